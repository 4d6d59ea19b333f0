import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SOCKET } from '@vireo/node/filesystems/confine.ts';
import type { Machine } from './machines.ts';
import type { Own } from './targets.ts';

/** Whoever owns a file can change its mode and give it more names. */
const OWNER = ['read', 'write', 'chmod', 'link'];
const OWN_DIRECTORY = ['list', 'create', 'symlink', 'chmod'];
const PROCESS = ['signal', 'memory', 'environ', 'maps', 'fds', 'root', 'cwd', 'ptrace', 'steal', 'nice'];

/** All that a machine's user has on the host. Whatever is not here belongs to somebody else. */
export async function ownOf(machine: Machine, processes: readonly string[]): Promise<Own[]> {
  const { directory, own, vnc, claims, nvram, tpm } = machine;
  const file = (name: string, may: readonly string[], must: readonly string[] = may): Own => ({ name, may, must });
  const disk = (name: string): Own => file(name, OWNER, ['read', 'write']);
  return [
    disk(join(directory, 'root.qcow2')),
    disk(join(directory, 'empty.qcow2')),
    disk(nvram),
    file(join(directory, 'init.iso'), OWNER, ['read']),
    // Other machines have it, too.
    file(join(directory, 'root.base'), ['read']),
    disk(claims.data ?? ''),
    file(claims.shared ?? '', ['read']),
    file(claims.disc ?? '', ['read']),
    file(own, OWN_DIRECTORY, ['list', 'create']),
    file(vnc, ['connect']),
    file(join(own, 'tpm'), ['connect']),
    // The programs that share directories with the guest have one connection each, which QEMU has.
    ...['fs0', 'fs1'].map((place) => file(join(machine.sockets, place, 's', SOCKET), ['connect'], [])),
    ...(await ownBelow(tpm)),
    ...(await libvirtDirectory(machine)),
    ...processes.map((name) => file(name, PROCESS, ['signal'])),
  ];
}

/** A directory that is the machine's own, with the files in it. */
async function ownBelow(directory: string, root = ''): Promise<Own[]> {
  const names = await readdir(join(root, directory), { withFileTypes: true });
  return [
    { name: directory, may: OWN_DIRECTORY, must: ['list'] },
    ...names
      .filter((entry) => entry.isFile())
      .map((entry) => ({ name: join(directory, entry.name), may: OWNER, must: ['read'] })),
  ];
}

const LIBVIRT = '/var/lib/libvirt/qemu';

/** What libvirtd has made for the machine: a place for a key and for the socket by which it commands QEMU, one for memory. */
async function libvirtDirectory({ name, pid }: Machine): Promise<Own[]> {
  const root = `/proc/${pid}/root`;
  const places = [LIBVIRT, join(LIBVIRT, 'ram')].map(async (place) => {
    const found = (await readdir(join(root, place))).find((each) => each.endsWith(`_${name}`));
    if (found === undefined) throw new Error(`libvirtd has no directory for the machine ${name} in ${place}`);
    return ownBelow(join(place, found), root);
  });
  return (await Promise.all(places)).flat();
}
