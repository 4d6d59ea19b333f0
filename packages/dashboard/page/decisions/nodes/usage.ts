import type { VmiRow } from '../machine.ts';

/** What the guests of a node have been given. */
export interface Usage {
  readonly machines: number;
  readonly cpus: number;
  readonly memoryBytes: number;
}

const NONE: Usage = { machines: 0, cpus: 0, memoryBytes: 0 };
const ENDED = new Set(['Succeeded', 'Failed']);

/** By node. Guests that have ended use nothing. */
export function usageByNode(vmis: Iterable<VmiRow>): ReadonlyMap<string, Usage> {
  const usage = new Map<string, Usage>();
  for (const { node, phase, cpus = 0, memoryBytes = 0 } of vmis) {
    if (node === undefined || ENDED.has(phase ?? '')) continue;
    const before = usage.get(node) ?? NONE;
    usage.set(node, {
      machines: before.machines + 1,
      cpus: before.cpus + cpus,
      memoryBytes: before.memoryBytes + memoryBytes,
    });
  }
  return usage;
}

export const usageOf = (usage: ReadonlyMap<string, Usage>, node: string): Usage => usage.get(node) ?? NONE;
