import type { Hypervisor } from '../contracts.ts';
import { memoryOverheadBytes } from '../overhead.ts';

/** Software emulation: the same machines, slower, on hosts without hardware support. */
export const qemu: Hypervisor = {
  name: 'qemu',
  runtime: { memoryOverheadBytes },
  converter: { domainType: 'qemu', isAccelerated: false },
  labeller: { virtType: 'qemu', devices: [] },
};
