import { toBytes } from '../../quantity.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';

/** What a dump takes beside the memory itself. */
const OVERHEAD_BYTES = 100 * 1024 * 1024;

/** The most that a dump of the guest's memory takes. */
export function memoryDumpBytes({ spec }: Pick<VirtualMachineInstance, 'spec'>): number {
  const { memory, resources } = spec.domain;
  return Number(toBytes(memory?.guest ?? resources?.requests?.memory ?? '0')) + OVERHEAD_BYTES;
}

/** How large the claim for a dump has to be; `overhead` is the share that its filesystem takes. */
export const memoryDumpClaimBytes = (vmi: Pick<VirtualMachineInstance, 'spec'>, overhead: number): number =>
  Math.ceil(memoryDumpBytes(vmi) / (1 - overhead));
