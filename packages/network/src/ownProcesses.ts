import { readlink } from 'node:fs/promises';

/** More than run at once, with those whose changes are still to be told. */
const MOST = 512;
const pids = new Set<number>();

/** Remembers a process of ours that changes rules. */
export function rememberProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  // Last in the order: the oldest go first.
  pids.delete(pid);
  pids.add(pid);
  if (pids.size > MOST) for (const oldest of pids) return void pids.delete(oldest);
}

/** Whether a process was one of ours. */
export const isOwnProcess = (pid: number): boolean => pids.has(pid);

/** The kernel's first PID namespace, which has this number everywhere. */
const FIRST_NAMESPACE = 'pid:[4026531836]';

/** Whether the kernel calls processes as we do: it tells of them as its first PID namespace knows them. */
export const knowsProcesses = async (): Promise<boolean> =>
  (await readlink('/proc/self/ns/pid').catch(() => '')) === FIRST_NAMESPACE;
