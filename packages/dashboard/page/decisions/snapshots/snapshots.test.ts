import { expect, it } from 'vitest';
import { machineOf, vmRow } from '../machine.ts';
import { clonesOf, restoresOf, snapshotsOf } from './lines.ts';
import { cloneFor, forecastOf, restoreFor, takeObstacle, timestampedName } from './requests.ts';

const vm = { metadata: { name: 'web', namespace: 'shop' }, spec: {} };
const machine = machineOf(vmRow(vm), undefined);
const source = { kind: 'VirtualMachine', name: 'web' };
const NOW = new Date('2026-01-02T03:04:05Z');

it('snapshots of the machine are listed newest first, with moment, disks, size and notes', () => {
  const ready = {
    metadata: { name: 'before' },
    spec: { source },
    status: {
      readyToUse: true,
      creationTime: '2026-01-02T00:00:00Z',
      indications: ['NoGuestAgent', 'Online', 'Strange'],
      sourceIndications: [{ indication: 'Strange', message: 'Something new.' }],
      snapshotVolumes: { includedVolumes: ['data'], excludedVolumes: ['root'] },
      virtualMachineSnapshotContentName: 'c',
    },
  };
  const failed = {
    metadata: { name: 'later', creationTimestamp: '2026-01-03T00:00:00Z' },
    spec: { source },
    status: { phase: 'Failed', error: { message: 'no space left' } },
  };
  const other = { metadata: { name: 'x' }, spec: { source: { kind: 'VirtualMachine', name: 'db' } } };
  const content = {
    metadata: { name: 'c' },
    spec: {
      volumeBackups: [
        { volumeName: 'data', persistentVolumeClaim: { spec: { resources: { requests: { storage: '1Gi' } } } } },
      ],
    },
  };
  expect(snapshotsOf([ready, failed, other], [content], 'web')).toMatchObject([
    {
      name: 'later',
      takenAt: undefined,
      isReady: false,
      state: { tone: 'err', label: 'Failed', reason: 'no space left' },
    },
    {
      name: 'before',
      takenAt: '2026-01-02T00:00:00Z',
      isReady: true,
      included: ['data'],
      excluded: ['root'],
      sizeBytes: 2 ** 30,
      state: { tone: 'ok', label: 'Ready' },
      notes: [{ word: 'NoGuestAgent', isWarning: true }, { word: 'Online' }, { text: 'Something new.' }],
    },
  ]);
});

it('restores and clones say how far they are and why they failed', () => {
  const restore = (conditions: object[], more: object = {}) => ({
    metadata: { name: 'r' },
    spec: { target: source, virtualMachineSnapshotName: 'before' },
    status: { conditions: conditions as never, ...more },
  });
  expect(
    restoresOf([restore([{ type: 'Progressing', status: 'True', reason: 'Creating new PVCs' }])], 'web'),
  ).toMatchObject([{ state: { tone: 'busy', reason: 'Creating new PVCs' } }]);
  expect(restoresOf([restore([{ type: 'Failure', status: 'True', reason: 'it runs' }])], 'web')).toMatchObject([
    { state: { tone: 'err', reason: 'it runs' } },
  ]);
  expect(restoresOf([restore([], { complete: true })], 'web')).toMatchObject([{ state: { tone: 'ok' } }]);
  const clone = {
    metadata: { name: 'c' },
    spec: {
      source: { kind: 'VirtualMachineSnapshot', name: 'before' },
      target: { kind: 'VirtualMachine', name: 'twin' },
    },
    status: { phase: 'RestoreInProgress' },
  };
  expect(clonesOf([clone], 'web', ['before'])).toMatchObject([{ target: 'twin', state: { label: 'Copying disks' } }]);
  expect(clonesOf([clone], 'web', [])).toEqual([]);
});

it('a restore says what happens to a machine that runs', () => {
  expect(restoreFor(machine, 'before', { stops: true, now: NOW }).body).toMatchObject({
    metadata: { name: 'before-to-web-20260102-030405' },
    spec: { targetReadinessPolicy: 'StopTarget', virtualMachineSnapshotName: 'before' },
  });
  expect(restoreFor(machine, 'before', { stops: false, now: NOW }).body).toMatchObject({
    spec: { targetReadinessPolicy: 'FailImmediate' },
  });
});

it('a clone is of the machine or of a snapshot', () => {
  expect(cloneFor(machine, undefined, 'twin', NOW).body).toMatchObject({
    spec: { source: { kind: 'VirtualMachine', name: 'web' } },
  });
  expect(cloneFor(machine, 'before', 'twin', NOW).body).toMatchObject({
    spec: { source: { kind: 'VirtualMachineSnapshot', name: 'before' }, target: { name: 'twin' } },
  });
});

it('names with a moment fit', () => {
  expect(timestampedName('web', NOW)).toBe('web-20260102-030405');
  expect(timestampedName('w'.repeat(80), NOW)).toHaveLength(63);
});

it('while a snapshot is taken there is no other', () => {
  expect(takeObstacle(machine, { ...vm, status: { snapshotInProgress: 'a' } })).toContain('Snapshot a');
  expect(takeObstacle(machine, vm)).toBeUndefined();
});

it('the forecast says which disks will be in it', () => {
  const status = {
    volumeSnapshotStatuses: [
      { name: 'data', enabled: true },
      { name: 'root', enabled: false, reason: 'container disk' },
    ],
  };
  expect(forecastOf({ ...vm, status }, undefined)).toMatchObject({
    included: ['data'],
    excluded: [{ name: 'root' }],
    consistency: expect.stringContaining('off'),
  });
});
