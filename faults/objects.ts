import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import type { Draft } from '@vireo/kube';
import { BOOT_SECTOR_IMAGE } from '@vireo/node';

export const NAMESPACE = 'storm';
export const at = { namespace: NAMESPACE } as const;

/** The one set that is scaled. */
export const SET = 'herd';

/** The guest of 512 bytes, which is switched off without delay. */
const spec = (): VirtualMachineInstance['spec'] => ({
  terminationGracePeriodSeconds: 0,
  domain: {
    memory: { guest: '32Mi' },
    resources: { requests: { cpu: '10m' } },
    devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
  },
  volumes: [{ name: 'root', containerDisk: { image: BOOT_SECTOR_IMAGE } }],
});

export const machineName = (index: number): string => `machine-${index}`;

export const machine = (name: string, runs: boolean): Draft<VirtualMachine> => ({
  metadata: { name, ...at },
  spec: { runStrategy: runs ? 'Always' : 'Halted', template: { spec: spec() } },
});

export const herd = (replicas: number): Draft<VirtualMachineInstanceReplicaSet> => ({
  metadata: { name: SET, ...at },
  spec: {
    replicas,
    selector: { matchLabels: { set: SET } },
    template: { metadata: { labels: { set: SET } }, spec: spec() },
  },
});

export { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceReplicaSet };
