import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { Draft } from '@vireo/kube';
import { BOOT_SECTOR_IMAGE } from '@vireo/node';

export const NAMESPACE = 'storm';
export const at = { namespace: NAMESPACE } as const;

/** The one set that is scaled. */
export const SET = 'herd';

/** What is put into drives: claims that all VMs share. */
export const DISCS = ['disc-red', 'disc-blue'] as const;
export const DRIVE = 'cd';
/** The disk that snapshots keep. */
const DATA = 'data';

/** How long a snapshot may wait for a VM that is gone, starts or stops. */
const SNAPSHOT_DEADLINE = '8s';

const blank = { source: { blank: {} }, storage: { resources: { requests: { storage: '1Mi' } } } };

/** The guest of 512 bytes, which is switched off without delay. */
const spec = (disks: readonly object[] = [], volumes: readonly object[] = []): VirtualMachineInstance['spec'] => ({
  terminationGracePeriodSeconds: 0,
  domain: {
    memory: { guest: '32Mi' },
    resources: { requests: { cpu: '10m' } },
    devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }, ...(disks as [])] },
  },
  volumes: [{ name: 'root', containerDisk: { image: BOOT_SECTOR_IMAGE } }, ...(volumes as [])],
});

export const vmName = (index: number): string => `vm-${index}`;

/** A VM with an empty drive; with `hasDisk` also with a disk on a claim of its own. */
export function vm(name: string, runs: boolean, hasDisk: boolean): Draft<VirtualMachine> {
  const drive = { name: DRIVE, cdrom: { bus: 'sata' } };
  const disk = { name: DATA, disk: { bus: 'virtio' } };
  const claim = `${name}-${DATA}`;
  return {
    metadata: { name, ...at },
    spec: {
      runStrategy: runs ? 'Always' : 'Halted',
      ...(hasDisk && { dataVolumeTemplates: [{ metadata: { name: claim }, spec: blank }] }),
      template: {
        spec: hasDisk ? spec([drive, disk], [{ name: DATA, dataVolume: { name: claim } }]) : spec([drive]),
      },
    },
  };
}

/** The claim whose disc is to be in the drive. */
export function discOf(spec: VirtualMachineInstance['spec'] | undefined): string | undefined {
  const volume = spec?.volumes?.find(({ name }) => name === DRIVE);
  return volume && claimNameOf(volume);
}

export const herd = (replicas: number): Draft<VirtualMachineInstanceReplicaSet> => ({
  metadata: { name: SET, ...at },
  spec: {
    replicas,
    selector: { matchLabels: { set: SET } },
    template: { metadata: { labels: { set: SET } }, spec: spec() },
  },
});

export const disc = (name: string): Draft<DataVolume> => ({ metadata: { name, ...at }, spec: blank });

const reference = (name: string) => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });

export const snapshotOf = (vm: string, name: string): Draft<VirtualMachineSnapshot> => ({
  metadata: { name, ...at },
  spec: { source: reference(vm), failureDeadline: SNAPSHOT_DEADLINE },
});

/** Brings a snapshot back; `name` says which time. */
export const restoreOf = (vm: string, snapshot: string, name: string): Draft<VirtualMachineRestore> => ({
  metadata: { name, ...at },
  spec: {
    target: reference(vm),
    virtualMachineSnapshotName: snapshot,
    targetReadinessPolicy: 'StopTarget',
  },
});

export {
  DataVolume,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
};
