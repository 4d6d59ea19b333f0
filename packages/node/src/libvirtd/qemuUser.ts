import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** libvirtd does not start without the user and the group that it was built for, even where it never uses them. */
export async function ensureQemuUser(): Promise<void> {
  const has = async (file: string): Promise<boolean> => /^libvirt-qemu:/m.test(await readFile(file, 'utf8'));
  if (!(await has('/etc/group')))
    for (const group of ['kvm', 'libvirt-qemu']) await run('groupadd', ['--system', '--force', group]);
  if (await has('/etc/passwd')) return;
  const home = ['--no-create-home', '--home-dir', '/var/lib/libvirt', '--shell', '/usr/sbin/nologin'];
  await run('useradd', ['--system', ...home, '--gid', 'kvm', 'libvirt-qemu']);
}
