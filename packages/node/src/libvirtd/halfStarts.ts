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
    const run = runOf(note);
    if (run !== undefined) {
      await endTpm(states, run.replace('domain-', ''));
      await rm(join(runsDirectory(layout), run), { recursive: true, force: true });
    }
    await rm(join(states, `${name}.pid`), { force: true });
    await rm(join(states, file), { force: true });
    removed.push(name);
  }
  return removed;
}

/**
 * Removes the directories of runs that no note of libvirt speaks of; gives their names. libvirt makes the directory of a
 * run before it notes the domain as active: a daemon that is killed in between leaves one that nobody would remove. To be
 * called while no daemon runs.
 */
export async function removeForgottenRuns(layout: NodeLayout): Promise<string[]> {
  const runs = (await readdir(runsDirectory(layout)).catch(() => [])).filter((name) => RUN.test(name));
  if (runs.length === 0) return [];
  const states = stateDirectory(layout);
  const files = (await readdir(states).catch(() => [])).filter((name) => name.endsWith('.xml'));
  const known = await Promise.all(files.map(async (file) => runOf(await readFile(join(states, file), 'utf8'))));
  const forgotten = runs.filter((name) => !known.includes(name));
  for (const name of forgotten) await rm(join(runsDirectory(layout), name), { recursive: true, force: true });
  return forgotten;
}

/** Where libvirt notes which domains are active. */
export const stateDirectory = ({ isRoot, libvirt, run }: NodeLayout): string =>
  isRoot ? join(libvirt, 'run/qemu') : join(run, 'libvirt/qemu/run');

/** Where libvirt has a directory for each run of a guest: for its key, and the socket of its monitor. */
const runsDirectory = ({ isRoot, libvirt }: NodeLayout): string =>
  join(libvirt, isRoot ? 'lib/qemu' : 'etc/libvirt/qemu/lib');

/** What such a directory is called. */
const RUN = /^domain-\d+-./;

/** The directory of the run that a note is of. */
function runOf(note: string): string | undefined {
  const path = /<monitor path='([^']+)'/.exec(note)?.[1];
  const name = path === undefined ? '' : basename(dirname(path));
  return RUN.test(name) ? name : undefined;
}

/** The emulator of a TPM is started before QEMU. It would hold the TPM's state against its successor. */
async function endTpm(states: string, run: string): Promise<void> {
  const file = join(states, 'swtpm', `${run}-swtpm.pid`);
  const pid = Number(await readFile(file, 'utf8').catch(() => '0'));
  const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
  if (command.includes(basename(file))) process.kill(pid, 'SIGKILL');
  await rm(file, { force: true });
}
