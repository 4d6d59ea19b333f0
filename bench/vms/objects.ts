import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Draft } from '@vireo/kube';
import { BOOT_SECTOR_IMAGE } from '@vireo/node';

export const NAMESPACE = 'bench';

type Spec = VirtualMachineInstance['spec'];

/** The guest of 512 bytes. Little processor time is asked for, so that many fit; it is switched off without delay. */
const spec = {
  terminationGracePeriodSeconds: 0,
  domain: {
    memory: { guest: '64Mi' },
    resources: { requests: { cpu: '10m' } },
    devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
  },
  volumes: [{ name: 'root', containerDisk: { image: BOOT_SECTOR_IMAGE } }],
} as const satisfies Partial<Spec>;

export const vmi = (name: string): Draft<VirtualMachineInstance> => ({
  apiVersion: `${VirtualMachineInstance.group}/${VirtualMachineInstance.version}`,
  kind: VirtualMachineInstance.kind,
  metadata: { name, namespace: NAMESPACE },
  spec: structuredClone(spec) as unknown as Spec,
});

export const vm = (name: string): Draft<VirtualMachine> => ({
  apiVersion: `${VirtualMachine.group}/${VirtualMachine.version}`,
  kind: VirtualMachine.kind,
  metadata: { name, namespace: NAMESPACE },
  spec: { runStrategy: 'Always', template: { spec: structuredClone(spec) as unknown as Spec } },
});
