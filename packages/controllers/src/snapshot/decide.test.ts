import type { Persisted, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import { decide, type SnapshotState } from './decide.ts';
import { indicationStatus, indicationsOf, withoutFreeze } from './indications.ts';
import type { Content, Snapshot, SnapshotStatus } from './kinds.ts';
import { type SourceVolume, type StorageLookup, snapshotClassOf } from './volumes.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const secondsAgo = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const snapshot = (status: SnapshotStatus = {}, spec: Partial<Snapshot['spec']> = {}, age = 1): Snapshot =>
  persisted({
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineSnapshot',
    metadata: { name: 'first', namespace: 'shop', uid: 's', creationTimestamp: secondsAgo(age) },
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }, ...spec },
    status,
  });

const content: Content = persisted({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  metadata: { name: 'c', namespace: 'shop' },
  spec: {
    source: {},
    volumeBackups: ['root', 'data'].map((volumeName) => ({
      volumeName,
      persistentVolumeClaim: {},
      volumeSnapshotName: `vs-${volumeName}`,
    })),
  },
});

const taken = (volume: string, creationTime?: string): VolumeSnapshot => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { name: `vs-${volume}` },
  spec: { source: {} },
  status: { ...(creationTime && { creationTime }) },
});

const claim = (phase: string, metadata: PersistentVolumeClaim['metadata'] = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', ...metadata },
  spec: { storageClassName: 'local' },
  status: { phase },
});
const kept: VolumeSnapshotClass = {
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'local' },
  driver: 'vireo.io/local',
  deletionPolicy: 'Delete',
};
const volume = (of?: PersistentVolumeClaim): SourceVolume => ({
  volume: 'root',
  claimName: 'c',
  claim: of,
  snapshotClass: kept,
});

const free = vmWith();
const locked = vmWith({}, { snapshotInProgress: 'first' });
const moving = vmiWith({ phase: 'Running', migrationState: { migrationUid: 'm' } });
const given = (state: Partial<SnapshotState>): SnapshotState => ({
  snapshot: snapshot(),
  vm: free,
  vmi: undefined,
  content: undefined,
  volumes: [],
  taken: [],
  nowMs: NOW,
  ...state,
});

describe('what comes next for a snapshot', () => {
  it.each<[when: string, state: Partial<SnapshotState>, step: string]>([
    ['it goes', { snapshot: { ...snapshot(), metadata: { ...snapshot().metadata, ...deleting } } }, 'end'],
    ['it has failed', { snapshot: snapshot({ phase: 'Failed' }) }, 'clear'],
    ['it is there', { snapshot: snapshot({ phase: 'Succeeded' }) }, 'settle'],
    ['five minutes have passed', { snapshot: snapshot({}, {}, 301), vm: locked }, 'fail'],
    ['its own time has passed', { snapshot: snapshot({}, { failureDeadline: '10s' }, 11), vm: locked }, 'fail'],
    ['it may have had less', { snapshot: snapshot({}, { failureDeadline: '10s' }, 10.9), vm: locked }, 'createContent'],
    ['it may take for ever', { snapshot: snapshot({}, { failureDeadline: '0' }, 9e5) }, 'lock'],
    ['there is no VM', { vm: undefined }, 'wait'],
    ['the VM goes', { vm: vmWith({}, {}, deleting) }, 'wait'],
    ['another snapshot is in progress', { vm: vmWith({}, { snapshotInProgress: 'other' }) }, 'wait'],
    ['a restore is in progress', { vm: vmWith({}, { restoreInProgress: 'other' }) }, 'wait'],
    ['the VM is starting', { vmi: vmiWith({ phase: 'Scheduled' }) }, 'wait'],
    ['the VM is stopping', { vmi: vmiWith({ phase: 'Running' }, deleting) }, 'wait'],
    ['the VM runs', { vmi: vmiWith({ phase: 'Running' }) }, 'lock'],
    ['the VM moves', { vmi: moving }, 'wait'],
    [
      'the VM has moved',
      { vmi: vmiWith({ phase: 'Running', migrationState: { migrationUid: 'm', completed: true } }) },
      'lock',
    ],
    ['a claim is not there', { volumes: [volume()] }, 'wait'],
    ['a claim has no volume', { volumes: [volume(claim('Pending'))] }, 'wait'],
    ['a claim goes', { volumes: [volume(claim('Bound', deleting))] }, 'wait'],
    [
      'a claim that cannot be kept does not count',
      { volumes: [{ ...volume(claim('Pending')), snapshotClass: undefined }] },
      'lock',
    ],
    ['all is well', { volumes: [volume(claim('Bound'))] }, 'lock'],
    ['the VM is held', { vm: locked }, 'createContent'],
    ['the VM is held, and moves all the same', { vm: locked, vmi: moving }, 'wait'],
    ['nothing is taken', { vm: locked, content }, 'take'],
    ['some is taken', { vm: locked, content, taken: [taken('root', secondsAgo(0))] }, 'take'],
    ['the storage works', { vm: locked, content, taken: [taken('root', secondsAgo(0)), taken('data')] }, 'watch'],
    [
      'all is taken',
      { vm: locked, content, taken: ['root', 'data'].map((name) => taken(name, secondsAgo(0))) },
      'finish',
    ],
    [
      'its content goes',
      { vm: locked, content: { ...content, metadata: { ...content.metadata, ...deleting } } },
      'fail',
    ],
  ])('when %s', (_, state, step) => {
    expect(decide(given(state)).step).toBe(step);
  });
});

describe('a snapshot that is given up says what it waited for', () => {
  const late = (state: Partial<SnapshotState>): string => {
    const step = decide(given({ snapshot: snapshot({}, {}, 301), ...state }));
    return step.step === 'fail' ? step.message : step.step;
  };
  const failing = { ...taken('data'), status: { error: { message: 'the disk is full' } } };
  it.each<[what: string, state: Partial<SnapshotState>, message: string]>([
    ['the VM', { vm: undefined }, 'Source does not exist'],
    ['the VM to arrive', { vmi: moving }, 'Source not locked: the VM is migrating'],
    ['the VM to settle', { vmi: vmiWith({ phase: 'Scheduled' }) }, 'Source not locked: the VM is starting or stopping'],
    [
      'the storage',
      { vm: locked, content, taken: [taken('root', secondsAgo(0)), taken('data')] },
      'VolumeSnapshot vs-data has not been taken',
    ],
    [
      'storage that has trouble',
      { vm: locked, content, taken: [taken('root', secondsAgo(0)), failing] },
      'VolumeSnapshot vs-data has not been taken: the disk is full',
    ],
    ['nothing any more', { vm: locked }, 'the VM was unlocked only a moment ago'],
  ])('%s', (_, state, message) => {
    expect(late(state)).toBe(`snapshot deadline exceeded: ${message}`);
  });
});

describe('the indications of a VM', () => {
  const agent = { type: 'AgentConnected', status: 'True' };
  const paused = { type: 'Paused', status: 'True' };
  it.each([
    ['off', undefined, undefined],
    ['without an agent', vmiWith({ phase: 'Running' }), ['NoGuestAgent', 'Online']],
    ['with an agent', vmiWith({ phase: 'Running', conditions: [agent] }), ['GuestAgent', 'Online']],
    ['paused', vmiWith({ phase: 'Running', conditions: [agent, paused] }), ['Online', 'Paused']],
  ])('that is %s', (_, vmi, expected) => {
    expect(indicationStatus(indicationsOf(vmi, 'all')).indications).toEqual(expected);
  });

  it.each([
    [
      'some',
      'PartialSnapshot',
      'The snapshot does not contain all disks of the VM: the storage of some does not support snapshots.',
    ],
    ['none', 'NoDisks', 'The snapshot contains only the configuration of the VM and none of its disks.'],
  ] as const)('with %s of its disks: %s', (share, indication, message) => {
    expect(indicationStatus(indicationsOf(undefined, share))).toEqual({
      indications: [indication],
      sourceIndications: [{ indication, message }],
    });
  });

  it('an agent that could not freeze gives QuiesceFailed, not GuestAgent', () => {
    expect(withoutFreeze(['GuestAgent', 'Online'], 'no')).toEqual(['Online', 'QuiesceFailed']);
    expect(withoutFreeze(['GuestAgent', 'Online'], 'freeze limit of VSS')).toEqual(['Online', 'QuiesceTimeout']);
  });
});

describe('the VolumeSnapshotClass of a claim is', () => {
  const other = { ...kept, metadata: { name: 'other' } };
  const marked = {
    ...kept,
    metadata: { name: 'marked', annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } },
  };
  const lookup = (snapshotClasses: VolumeSnapshotClass[], preferred?: string): StorageLookup => ({
    claim: () => undefined,
    backendStorageClaims: () => [],
    storageClass: (name) =>
      name === 'local' ? ({ metadata: { name }, provisioner: 'vireo.io/local' } as Persisted<StorageClass>) : undefined,
    profile: () =>
      preferred
        ? { apiVersion: '', kind: '', metadata: {}, spec: {}, status: { snapshotClass: preferred } }
        : undefined,
    snapshotClasses,
  });
  it.each([
    ['the only one of its driver', lookup([kept, { ...other, driver: 'x' }]), 'local'],
    ['the default among several', lookup([kept, other, marked]), 'marked'],
    ['none, where none of several is marked', lookup([kept, other]), undefined],
    ['what the profile of its storage says', lookup([kept, other, marked], 'other'), 'other'],
  ])('%s', (_, of, expected) => {
    expect(snapshotClassOf(claim('Bound'), of)?.metadata.name).toBe(expected);
  });
});
