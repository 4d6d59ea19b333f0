import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { GuestUser } from './range.ts';

const run = promisify(execFile);

/** A command that runs with the rights of a guest's user, and cannot get others. */
export const commandAs = ({ uid, gid }: GuestUser, command: readonly string[]): string[] => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--inh-caps=-all',
  '--no-new-privs',
  '--',
  ...command,
];

/** Whether a process is there and runs as that user. */
export async function isProcessOf(pid: number, uid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^Uid:\s+(\d+)/m.exec(status)?.[1] === String(uid) && !/^State:\s+Z/m.test(status);
}

/** The processes that run as that user. */
export async function processesOf(uid: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const areOf = await Promise.all(pids.map((pid) => isProcessOf(pid, uid)));
  return pids.filter((_, index) => areOf[index]);
}

/** Ends whatever still runs as a guest's user. The kernel itself lets no other process be hit. */
export async function endProcesses(user: GuestUser): Promise<void> {
  const [command, ...words] = commandAs(user, ['sh', '-c', 'kill -KILL -1']);
  await run(command as string, words).catch((error: Error & { stderr?: string }) => {
    // There is none: itself is not counted.
    if (!/no such process/i.test(error.stderr ?? '')) throw error;
  });
}
