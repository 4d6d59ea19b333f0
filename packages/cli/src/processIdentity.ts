import { readFileSync } from 'node:fs';
import { errorCode } from './failure.ts';

/**
 * Tells a process from a later one with the same number: the boot it belongs to and when it started, by the kernel's
 * clock. Undefined when there is no such process.
 */
export function processIdentity(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold spaces; counting starts behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [fields[0], fields[19]];
    return state === 'Z' ? undefined : `${boot}/${startTime}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}
