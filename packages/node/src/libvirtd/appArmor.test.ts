import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hasAppArmor, removeProfile } from './appArmor.ts';
import { nodeLayout, qemuConf } from './layout.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vireo-apparmor-'));
});
afterEach(() => rm(root, { recursive: true }));

const HOST = {
  'sys/module/apparmor/parameters/enabled': 'Y\n',
  'sys/kernel/security/apparmor/profiles':
    'virt-aa-helper (enforce)\nlibvirtd (enforce)\nlibvirtd//qemu_bridge_helper (enforce)\n',
  'etc/apparmor.d/local/abstractions/libvirt-qemu': '# Guests of Vireo\n  /run/vireo/*/machines/*/** rwk,\n',
  'usr/lib/libvirt/virt-aa-helper': '',
  'etc/apparmor.d/libvirt/TEMPLATE.qemu': '',
  'etc/apparmor.d/abstractions/libvirt-qemu': '',
};

it.each<[string, Partial<Record<keyof typeof HOST, string | undefined>>, boolean]>([
  ['all that libvirt needs', {}, true],
  ['a kernel without AppArmor', { 'sys/module/apparmor/parameters/enabled': undefined }, false],
  ['AppArmor turned off', { 'sys/module/apparmor/parameters/enabled': 'N\n' }, false],
  ['no profile of libvirtd', { 'sys/kernel/security/apparmor/profiles': 'man_groff (enforce)\n' }, false],
  ['a profile that only complains', { 'sys/kernel/security/apparmor/profiles': 'libvirtd (complain)\n' }, false],
  ['no rule for our sockets', { 'etc/apparmor.d/local/abstractions/libvirt-qemu': '' }, false],
  [
    'a rule that is a comment',
    { 'etc/apparmor.d/local/abstractions/libvirt-qemu': '# /run/vireo/*/machines/*/** rwk,\n' },
    false,
  ],
  ['no template', { 'etc/apparmor.d/libvirt/TEMPLATE.qemu': undefined }, false],
  ['no helper', { 'usr/lib/libvirt/virt-aa-helper': undefined }, false],
])('a host with %s', async (_, changes, expected) => {
  for (const [path, text] of Object.entries({ ...HOST, ...changes })) {
    if (text === undefined) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  expect(await hasAppArmor(root)).toBe(expected);
});

it('libvirt is left to confine guests only as root, and where it can', () => {
  const none = 'security_driver = "none"';
  expect(qemuConf(nodeLayout('/home', true), true)).not.toContain('security_driver');
  expect(qemuConf(nodeLayout('/home', true), false)).toContain(none);
  expect(qemuConf(nodeLayout('/home', false), true)).toContain(none);
});

it('the profile of a guest goes with it, and no other', async () => {
  const directory = join(root, 'etc/apparmor.d/libvirt');
  await mkdir(directory, { recursive: true });
  for (const name of ['TEMPLATE.qemu', 'libvirt-1', 'libvirt-1.files', 'libvirt-2'])
    await writeFile(join(directory, name), '');
  await removeProfile('1', root);
  await removeProfile('3', root);
  expect((await readdir(directory)).sort()).toEqual(['TEMPLATE.qemu', 'libvirt-2']);
});
