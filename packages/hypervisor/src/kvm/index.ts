import type { Hypervisor } from '../contracts.ts';
import { hypervLabels } from '../labels.ts';
import { memlockBytes } from '../memlock.ts';
import { memoryOverheadBytes } from '../overhead.ts';

const devices = [{ device: 'kvm', path: '/dev/kvm' }];

/** Linux' own hypervisor, by libvirt and QEMU. */
export const kvm: Hypervisor = {
  name: 'kvm',
  emulator: 'qemu',
  runtime: { deviceRequests: devices, memoryOverheadBytes, memlockBytes },
  converter: { domainType: 'kvm', isAccelerated: true },
  labeller: {
    preferredVirtType: 'kvm',
    devices,
    discoverFeatures: (host) => (host.architecture === 'amd64' ? hypervLabels(host) : {}),
  },
};
