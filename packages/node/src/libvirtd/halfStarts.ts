import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { NodeLayout } from './layout.ts';

/**
 * Removes what a killed libvirtd had written of guests before their QEMU began; gives the names of their domains.
 *
 * libvirt notes a domain as starting without a process first, with it next, and only then lets QEMU begin. It takes up
 * the first kind of note as a domain that is active, belongs to no process, and is locked by its start for ever: nobody
 * goes on with that start, and nothing can end it. Without the note the domain is one that is defined and off. To be
 * called while no daemon runs.
 */
export async function removeHalfStarts(layout: NodeLayout): Promise<string[]> {
  const states = stateDirectory(layout);
  const removed: string[] = [];
  for (const file of (await readdir(states).catch(() => [])).filter((name) => name.endsWith('.xml'))) {
    const note = await readFile(join(states, file), 'utf8');
    if (!/<domstatus [^>]*\bpid='0'/.test(note)) continue;
    const name = basename(file, '.xml');
    const directory = privateDirectory(layout, note);
    if (directory !== undefined) {
      await endTpm(states, basename(directory).replace('domain-', ''));
      await rm(directory, { recursive: true, force: true });
    }
    await rm(join(states, `${name}.pid`), { force: true });
    await rm(join(states, file), { force: true });
    removed.push(name);
  }
  return removed;
}

/** Where libvirt notes which domains are active. */
export const stateDirectory = ({ isRoot, libvirt, run }: NodeLayout): string =>
  isRoot ? join(libvirt, 'run/qemu') : join(run, 'libvirt/qemu/run');

/** What libvirt keeps for one run of a guest: its key, the socket of its monitor. */
function privateDirectory({ isRoot, libvirt }: NodeLayout, note: string): string | undefined {
  const path = /<monitor path='([^']+)'/.exec(note)?.[1];
  const name = path === undefined ? '' : basename(dirname(path));
  if (!/^domain-\d+-./.test(name)) return undefined;
  return join(libvirt, isRoot ? 'lib/qemu' : 'etc/libvirt/qemu/lib', name);
}

/** The emulator of a TPM is started before QEMU. It would hold the TPM's state against its successor. */
async function endTpm(states: string, run: string): Promise<void> {
  const file = join(states, 'swtpm', `${run}-swtpm.pid`);
  const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
  const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
  if (command.includes(basename(file))) process.kill(pid, 'SIGKILL');
  await rm(file, { force: true });
}
