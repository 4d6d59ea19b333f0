import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';

export type Domain = Partial<VirtualMachineInstanceSpec['domain']>;
export type Rest = Partial<Omit<VirtualMachineInstanceSpec, 'domain'>>;

export const pod = { networks: [{ name: 'default', pod: {} }] };
export const card = (more: object): Domain => ({ devices: { interfaces: [{ name: 'default', ...more }] } });
export const disk = (more: object): Domain => ({ devices: { disks: [{ name: 'root', ...more }] } });
export const volume = (source: object): Rest => ({ volumes: [{ name: 'root', ...source }] });
export const claim = volume({ persistentVolumeClaim: { claimName: 'c' } });
export const withDisk: Domain = disk({ disk: { bus: 'virtio' } });
export const D = 'spec.domain.devices';
