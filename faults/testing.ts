import { type Kind, type KubeObject, type Persisted, PersistentVolume, PersistentVolumeClaim, Pod } from '@vireo/api';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import {
  DataVolume,
  DRIVE,
  disc,
  herd,
  NAMESPACE,
  restoreOf,
  SET,
  snapshotOf,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
  vm,
} from './objects.ts';
import type { Scene } from './scene.ts';

/** An object as the server would give it; its uid is made of its kind and name. */
export function stored<T extends KubeObject>(
  kind: Kind<T>,
  name: string,
  parts: object,
  owner?: Persisted,
): Persisted<T> {
  const { apiVersion, kind: word } = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind };
  const reference = owner && {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
  };
  const metadata = {
    name,
    namespace: NAMESPACE,
    uid: `${word}-${name}`,
    ...(reference && { ownerReferences: [reference] }),
  };
  return persisted({ apiVersion, kind: word, ...parts, metadata } as unknown as T);
}

/** Everything at rest: `on` runs with a disc in its drive, `off` does not run, one replica, a snapshot and a restore. */
export function calmScene(): Scene {
  const discInside = { name: DRIVE, persistentVolumeClaim: { claimName: 'disc-red', hotpluggable: true } };
  const { spec } = vm('on', true, false);
  const template = { spec: { ...spec.template.spec, volumes: [...(spec.template.spec?.volumes ?? []), discInside] } };
  const on = stored(VirtualMachine, 'on', { spec: { ...spec, template }, status: { printableStatus: 'Running' } });
  const off = stored(VirtualMachine, 'off', {
    spec: vm('off', false, false).spec,
    status: { printableStatus: 'Stopped' },
  });
  const set = stored(VirtualMachineInstanceReplicaSet, SET, herd(1));
  const running = stored(
    VirtualMachineInstance,
    'on',
    {
      spec: template.spec,
      status: {
        phase: 'Running',
        cdromStatus: [{ name: DRIVE, claimName: 'disc-red', target: 'sda', tray: 'closed' }],
        volumeStatus: [{ name: DRIVE, phase: 'Ready', target: 'sda' }],
      },
    },
    on,
  );
  const replica = stored(VirtualMachineInstance, `${SET}-1`, { spec: {}, status: { phase: 'Running' } }, set);
  Object.assign(replica.metadata, { labels: { set: SET } });
  const red = stored(DataVolume, 'disc-red', disc('disc-red'));
  const snapshot = stored(VirtualMachineSnapshot, 'kept', {
    ...snapshotOf('on', 'kept'),
    status: { phase: 'Succeeded', readyToUse: true },
  });
  const content = stored(VirtualMachineSnapshotContent, 'kept-content', {
    spec: { virtualMachineSnapshotName: 'kept' },
  });
  const launcher = stored(Pod, 'launcher-on', {}, running);
  const states = ['on', `${SET}-1`];
  return {
    vms: [on, off],
    vmis: [running, replica],
    pods: [launcher, stored(Pod, 'hp-volume-on', {}, launcher), stored(Pod, 'launcher-replica', {}, replica)],
    set,
    snapshots: [snapshot],
    restores: [
      stored(VirtualMachineRestore, 'back', { ...restoreOf('on', 'kept', 'back'), status: { complete: true } }, on),
    ],
    snapshotContents: [content],
    volumeSnapshots: [stored(VolumeSnapshot, 'state', {}, content)],
    volumeSnapshotContents: [
      stored(VolumeSnapshotContent, 'state-data', { spec: { volumeSnapshotRef: { name: 'state' } } }),
    ],
    dataVolumes: [red],
    claims: [stored(PersistentVolumeClaim, 'disc-red', { spec: { volumeName: 'pv-red' } }, red)],
    volumes: [stored(PersistentVolume, 'pv-red', { spec: { claimRef: { name: 'disc-red' } } })],
    services: [],
    slices: [],
    policies: [],
    nodes: [],
    ranges: undefined,
    network: undefined,
    domains: states.map((name) => ({
      name: `${NAMESPACE}_${name}`,
      disc: name === 'on' ? '/home/volumes/pv-red/disk.img' : undefined,
    })),
    host: {
      guests: states.map((_, index) => ({ pid: index + 1, command: ['qemu-system-x86_64'] })),
      strays: [],
      files: states.map((name) => `VirtualMachineInstance-${name}`),
      sockets: states.map((name) => `VirtualMachineInstance-${name}`),
      definitions: [],
      states: states.map((name) => `${NAMESPACE}_${name}`),
      logs: states.map((name) => `${NAMESPACE}_${name}`),
      monitors: ['storm_on', 'storm_he'],
      disks: ['pv-red'],
      kept: ['state-data'],
    },
  };
}
