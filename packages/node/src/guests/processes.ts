import { readdir, readFile } from 'node:fs/promises';
import { type CommandError, run } from '@vireo/network';
import type { GuestUser } from './range.ts';

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

/** Processes cannot be started as other users: a capability is missing. */
export class NoUsers extends Error {
  override readonly name = 'NoUsers';
}

/** Throws NoUsers where nothing can run as a user. */
export async function tryProcess(user: GuestUser): Promise<void> {
  const [command, ...words] = commandAs(user, ['true']);
  await run(command as string, words).catch((error: CommandError) => {
    throw new NoUsers(`processes cannot run as other users: ${error.stderr}`, { cause: error });
  });
}

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

/** More than a guest can hold out: each try hits all that it has at that moment. */
const MOST_TRIES = 100;

/** Ends whatever still runs as a guest's user. */
export async function endProcesses(user: GuestUser, killAll = killAllOf): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const failure = await killAll(user);
    if (!failure) return;
    const left = await processesOf(user.uid);
    if (left.length === 0) return;
    if (tries >= MOST_TRIES) throw failure;
    // A process of the guest's can kill all others of its user, so also the one that was to kill it; but not us.
    for (const pid of left) kill(pid);
  }
}

/** As one of them: the kernel itself lets no other process be hit. Says what is in the way. */
async function killAllOf(user: GuestUser): Promise<Error | undefined> {
  const [command, ...words] = commandAs(user, ['sh', '-c', 'kill -KILL -1']);
  return run(command as string, words).then(
    () => undefined,
    // There is none: itself is not counted.
    (error: CommandError) => (/no such process/i.test(error.stderr) ? undefined : error),
  );
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
