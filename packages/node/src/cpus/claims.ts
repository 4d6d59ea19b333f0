import { readdir, readFile } from 'node:fs/promises';
import { readAllowedCpus } from '../host/cpuTopology.ts';
import type { GuestProcess } from '../shutdown/guestProcesses.ts';

/** The CPUs that a VMI has to itself. */
export interface Claim {
  /** `namespace/name` of the VMI. */
  readonly key: string;
  readonly cpus: readonly number[];
}

/** What was handed out, by the VMI's uid; nothing where there is no file yet. */
export async function readClaims(file: string): Promise<Map<string, Claim>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '{}';
  });
  const claims = new Map(Object.entries(JSON.parse(text) as Record<string, Claim>));
  for (const [uid, { key, cpus }] of claims)
    if (typeof key !== 'string' || !Array.isArray(cpus))
      throw new Error(`the entry of VMI ${uid} has no key or no cpus`);
  return claims;
}

/** What guests have to themselves by the kernel's account: those who share CPUs share the first core, too. */
export async function runningClaims(
  guests: readonly GuestProcess[],
  reserved: readonly number[],
): Promise<Map<string, Claim>> {
  const claims = new Map<string, Claim>();
  for (const { pid, key } of guests) {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
    const lists = await Promise.all(threads.map((thread) => readAllowedCpus(`/proc/${pid}/task/${thread}/status`)));
    const cpus = [...new Set(lists.flat())].toSorted((one, other) => one - other);
    const words = (await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')).split('\0');
    const at = words.indexOf('-uuid');
    const uid = at < 0 ? undefined : words[at + 1];
    if (uid && cpus.length > 0 && !cpus.some((cpu) => reserved.includes(cpu))) claims.set(uid, { key, cpus });
  }
  return claims;
}
