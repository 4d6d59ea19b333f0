import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../exists.ts';

/** What libvirt needs to confine a guest: the helper that writes its profile, and what that is made of. */
const NEEDED = [
  'usr/lib/libvirt/virt-aa-helper',
  'etc/apparmor.d/libvirt/TEMPLATE.qemu',
  'etc/apparmor.d/abstractions/libvirt-qemu',
];

/**
 * What administrators add to the profiles of guests. libvirt allows a guest the files that it knows of; the sockets of
 * its helpers are ours, and libvirt does not know them.
 */
const LOCAL_RULES = 'etc/apparmor.d/local/abstractions/libvirt-qemu';

/**
 * Whether libvirt is to confine guests with AppArmor on this host. Debian's package `libvirt-daemon-system` brings what
 * libvirt needs. The administrator decides by a rule for our sockets: without it, and one that lets libvirt's helper read
 * our disks, guests would not start.
 */
export async function hasAppArmor(root = '/'): Promise<boolean> {
  const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8').catch(() => '');
  if ((await read('sys/module/apparmor/parameters/enabled')).trim() !== 'Y') return false;
  // Only a confined daemon may confine others.
  const profiles = await read('sys/kernel/security/apparmor/profiles');
  if (!/^(?:libvirtd|\/usr\/sbin\/libvirtd) \(enforce\)$/m.test(profiles)) return false;
  if (!/^[^#]*\/run\/vireo\//m.test(await read(LOCAL_RULES))) return false;
  return (await Promise.all(NEEDED.map((path) => exists(join(root, path))))).every(Boolean);
}

/** Removes the profile of a guest that is gone: libvirt unloads it, and leaves its files. */
export async function removeProfile(uid: string, root = '/'): Promise<void> {
  const profile = join(root, 'etc/apparmor.d/libvirt', `libvirt-${uid}`);
  for (const path of [profile, `${profile}.files`]) await rm(path, { force: true });
}
