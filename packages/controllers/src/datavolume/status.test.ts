import type { Persisted, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import type { DataVolume, DataVolumeStatus } from '@vireo/api/kinds/cdi/dataVolume.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { eventsFor } from './events.ts';
import { pendingCauseOf } from './reconcile.ts';
import type { Operation } from './source.ts';
import { dataVolumeStatus } from './status.ts';

const NOW = new Date('2026-01-02T03:04:05Z');

const dataVolume = (status: DataVolumeStatus = {}): Persisted<DataVolume> =>
  persisted({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'disk', namespace: 'shop', uid: 'u1' },
    spec: {},
    status,
  });

const claim = (phase: string, annotations: Record<string, string> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'disk', namespace: 'shop', annotations },
  status: { phase },
});

const status = (of: PersistentVolumeClaim | undefined, operation: Operation = 'import', isWaitingClass = false) =>
  dataVolumeStatus(dataVolume(), operation, { claim: of, isWaitingClass }, NOW);

describe('the phase', () => {
  const running = { [names.POD_PHASE]: 'Running' };
  it.each<[string, Operation, PersistentVolumeClaim | undefined, boolean]>([
    ['Pending', 'import', undefined, false],
    ['Pending', 'import', claim('Pending'), false],
    ['WaitForFirstConsumer', 'import', claim('Pending'), true],
    ['Pending', 'import', claim('Pending', { [names.BIND_IMMEDIATE]: '' }), true],
    ['ImportScheduled', 'import', claim('Bound'), false],
    ['ImportInProgress', 'import', claim('Bound', running), false],
    ['UploadScheduled', 'upload', claim('Bound', running), false],
    ['UploadReady', 'upload', claim('Bound', { ...running, [names.POD_READY]: 'true' }), false],
    ['CloneScheduled', 'clone', claim('Bound'), false],
    ['CloneInProgress', 'clone', claim('Bound', running), false],
    ['Succeeded', 'clone', claim('Bound', { [names.POD_PHASE]: 'Succeeded' }), false],
    ['Succeeded', 'none', claim('Bound'), false],
    ['Succeeded', 'import', claim('Pending', { [names.POPULATED_FOR]: 'disk' }), true],
    ['Failed', 'import', claim('Bound', { [names.IMPORT_FATAL]: 'true' }), false],
    ['Failed', 'import', claim('Lost'), false],
    ['Unknown', 'import', claim('Strange'), false],
  ])('%s of an operation %s', (phase, operation, of, isWaitingClass) => {
    expect(status(of, operation, isWaitingClass).phase).toBe(phase);
  });
});

describe('why a claim is pending', () => {
  const classes = [{ metadata: { name: 'local' } }] as StorageClass[];
  const pending = (storageClassName: string, annotations = {}) => ({
    ...claim('Pending', annotations),
    spec: { storageClassName },
  });
  const full = { [names.BOUND_MESSAGE]: 'node a: not enough space' };

  it('is that its class does not exist, or what its node says; nothing when it is bound', () => {
    expect(pendingCauseOf(pending('fast'), classes)).toBe('StorageClass "fast" does not exist');
    expect(pendingCauseOf(pending('local', full), classes)).toBe('node a: not enough space');
    expect(pendingCauseOf(pending('local'), classes)).toBeUndefined();
    expect(pendingCauseOf(claim('Bound', full), classes)).toBeUndefined();
  });

  it('is in the condition, and is an event once', () => {
    const state = { claim: pending('local', full), isWaitingClass: false, pendingCause: full[names.BOUND_MESSAGE] };
    const after = dataVolumeStatus(dataVolume(), 'import', state, NOW);
    expect(after.conditions).toContainEqual(
      expect.objectContaining({ type: 'Bound', message: 'PVC disk Pending: node a: not enough space' }),
    );
    const events = { type: 'Warning', reason: 'ProvisioningFailed', message: 'node a: not enough space' };
    expect(eventsFor(dataVolume(), 'import', after, state.pendingCause)).toContainEqual(events);
    expect(eventsFor(dataVolume(after), 'import', after, state.pendingCause)).not.toContainEqual(events);
  });
});

describe('conditions', () => {
  const words = ({ conditions = [] }: DataVolumeStatus) =>
    conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message].join('|'));

  it('show the claim, the work and the result', () => {
    expect(words(status(undefined))).toEqual(['Bound|False|NotFound|No PVC found', 'Ready|False||', 'Running|False||']);
    const failing = {
      [names.POD_PHASE]: 'Running',
      [names.RUNNING]: 'false',
      [names.RUNNING_REASON]: 'Error',
      [names.RUNNING_MESSAGE]: 'no route',
      [names.POD_RESTARTS]: '3',
    };
    const failed = status(claim('Bound', failing));
    expect(failed.restartCount).toBe(3);
    expect(words(failed)).toEqual(['Bound|True|Bound|PVC disk Bound', 'Ready|False||', 'Running|False|Error|no route']);
    const busy = { [names.POD_PHASE]: 'Running', [names.RUNNING]: 'true', [names.RUNNING_REASON]: 'Pod is running' };
    expect(words(status(claim('Bound', busy)))).toEqual([
      'Bound|True|Bound|PVC disk Bound',
      'Ready|False|TransferRunning|',
      'Running|True|Pod is running|',
    ]);
  });

  it('keep the time of their transition until their status changes', () => {
    const first = status(claim('Pending'));
    const later = new Date('2026-01-02T04:00:00Z');
    const next = dataVolumeStatus(
      dataVolume(first),
      'import',
      { claim: claim('Pending', { [names.RUNNING_REASON]: 'x' }), isWaitingClass: false },
      later,
    );
    const [bound, , runningNow] = next.conditions ?? [];
    expect(bound).toBe(first.conditions?.[0]);
    expect(runningNow).toMatchObject({
      lastTransitionTime: '2026-01-02T03:04:05Z',
      lastHeartbeatTime: '2026-01-02T04:00:00Z',
    });
  });
});

it('progress is percent, and none for uploads', () => {
  const half = claim('Bound', { [names.POD_PHASE]: 'Running', [names.PROGRESS]: '50.00%' });
  expect(status(half).progress).toBe('50.00%');
  expect(status(half, 'upload').progress).toBe('N/A');
  expect(status(undefined).progress).toBe('N/A');
  expect(status(claim('Bound', { [names.POD_PHASE]: 'Succeeded' })).progress).toBe('100.0%');
});

it('each step is an event once', () => {
  const bound = status(claim('Bound'));
  const events = (before: DataVolumeStatus, after: DataVolumeStatus) =>
    eventsFor(dataVolume(before), 'import', after).map(({ type, reason }) => `${type} ${reason}`);
  expect(events({}, bound)).toEqual(['Normal Bound', 'Normal ImportScheduled']);
  expect(events(bound, bound)).toEqual([]);
  const failing = status(claim('Bound', { [names.RUNNING_REASON]: 'Error', [names.RUNNING_MESSAGE]: 'no route' }));
  expect(events(bound, failing)).toEqual(['Warning Error']);
  const done = status(claim('Bound', { [names.POD_PHASE]: 'Succeeded', [names.RUNNING_MESSAGE]: 'Import Complete' }));
  expect(events(failing, done)).toEqual(['Normal ImportSucceeded']);
});
