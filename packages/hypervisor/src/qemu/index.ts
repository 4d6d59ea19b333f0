import type { Hypervisor } from '../contracts.ts';
import { memlockBytes } from '../memlock.ts';
import { memoryOverheadBytes } from '../overhead.ts';

/** Software emulation: the same VMIs, slower, on hosts without hardware support. */
export const qemu: Hypervisor = {
  name: 'qemu',
  runtime: { deviceRequests: [], memoryOverheadBytes, memlockBytes },
  converter: { domainType: 'qemu', isAccelerated: false },
  labeller: { preferredVirtType: 'qemu', devices: [] },
};
