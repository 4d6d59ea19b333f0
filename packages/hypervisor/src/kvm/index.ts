import type { Hypervisor } from '../contracts.ts';
import { memoryOverheadBytes } from '../overhead.ts';

const device = { device: 'kvm', path: '/dev/kvm' };

/** Linux' own hypervisor, by libvirt and QEMU. */
export const kvm: Hypervisor = {
  name: 'kvm',
  runtime: { device, memoryOverheadBytes },
  converter: { domainType: 'kvm', isAccelerated: true },
  labeller: { virtType: 'kvm', devices: [device] },
};
