import { readFile } from 'node:fs/promises';
import type { ResourceUsage } from './resourceText.ts';

/** Of the kernel's clock, in which it counts CPU time for programs. */
const TICKS_PER_SECOND = 100;

/** What this host has used; undefined where the kernel does not tell. */
export async function readHostUsage(): Promise<ResourceUsage | undefined> {
  try {
    const [stat, memory] = await Promise.all(['/proc/stat', '/proc/meminfo'].map((path) => readFile(path, 'utf8')));
    return hostUsage(stat ?? '', memory ?? '');
  } catch {
    return undefined;
  }
}

/** CPU time that was spent on anything, and memory that programs cannot be given without taking it from others. */
export function hostUsage(stat: string, meminfo: string): ResourceUsage | undefined {
  const cpu = /^cpu +([\d ]+)$/m.exec(stat)?.[1]?.split(' ').map(Number);
  const [total, available] = ['MemTotal', 'MemAvailable'].map((name) =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1]),
  );
  if (!cpu || cpu.length < 8 || !Number.isFinite(total) || !Number.isFinite(available)) return undefined;
  // The time of guests is in user and nice already; idle and waiting for disks is not spent.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = cpu;
  return {
    cpuSeconds: (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND,
    memoryBytes: ((total as number) - (available as number)) * 1024,
  };
}
