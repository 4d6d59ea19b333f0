import type { ObjectMeta, Persisted, Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith } from '../testing/objects.ts';
import { podWith } from '../testing/pods.ts';
import { nextPhase, phaseTimes } from './phase.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const none = undefined;
const pending = podWith({ phase: 'Pending' });
const ready = podWith({ phase: 'Running', containerStatuses: [{ ready: true }] });
const halfReady = podWith({ phase: 'Running', containerStatuses: [{ ready: true }, { ready: false }] });
const going = podWith({ phase: 'Running', containerStatuses: [{ ready: true }] }, deleting);
const ended = (finishedAt: string): Persisted<Pod> =>
  podWith({
    phase: 'Succeeded',
    containerStatuses: [{ ready: false, state: { terminated: { exitCode: 0, finishedAt } } }],
  });
const phase = (name: string, metadata: ObjectMeta = {}): Vmi => vmiWith({ phase: name }, metadata);

describe('the phase that follows', () => {
  it.each<[from: string, launcher: string, vmi: Vmi, pod: Persisted<Pod> | undefined, expected: string]>([
    ['nothing', 'none', phase(''), none, 'Pending'],
    ['Pending', 'none', phase('Pending'), none, 'Pending'],
    ['Pending', 'one that waits for a node', phase('Pending'), pending, 'Scheduling'],
    ['Pending', 'one that is ready already', phase('Pending'), ready, 'Scheduled'],
    ['Pending, deleted', 'none', phase('Pending', deleting), none, 'Failed'],
    ['Scheduling', 'one that waits', phase('Scheduling'), pending, 'Scheduling'],
    ['Scheduling', 'one that is ready in part', phase('Scheduling'), halfReady, 'Scheduling'],
    ['Scheduling', 'one that is ready', phase('Scheduling'), ready, 'Scheduled'],
    ['Scheduling', 'one that failed', phase('Scheduling'), podWith({ phase: 'Failed' }), 'Failed'],
    ['Scheduling', 'one that is deleted', phase('Scheduling'), going, 'Failed'],
    ['Scheduling', 'none any more', phase('Scheduling'), none, 'Failed'],
    ['Scheduled', 'one that is ready', phase('Scheduled'), ready, 'Scheduled'],
    ['Scheduled', 'none any more, though it may be starting', phase('Scheduled'), none, 'Scheduled'],
    ['Running', 'one that is ready', phase('Running'), ready, 'Running'],
    ['Running', 'one that goes, and its guest with it', phase('Running'), going, 'Running'],
    ['Running', 'none any more, though the guest may run', phase('Running'), none, 'Running'],
    ['Running, deleted', 'none any more', phase('Running', deleting), none, 'Running'],
    ['Running', 'one that has just ended', phase('Running'), ended('2026-01-01T11:59:55Z'), 'Running'],
    ['Running', 'one that ended a while ago', phase('Running'), ended('2026-01-01T11:59:50Z'), 'Failed'],
    ['Running', 'one that no node has reported as ended', phase('Running'), podWith({ phase: 'Failed' }), 'Running'],
    ['Unknown', 'none any more', phase('Unknown'), none, 'Unknown'],
    ['Succeeded', 'none any more', phase('Succeeded'), none, 'Succeeded'],
    ['Failed', 'one that is ready', phase('Failed'), ready, 'Failed'],
    ['Unknown', 'one that is ready', phase('Unknown'), ready, 'Unknown'],
  ])('%s, launcher: %s', (_, __, vmi, pod, expected) => {
    expect(nextPhase(vmi, pod, NOW)).toBe(expected);
  });
});

describe('the times of phases', () => {
  const at = new Date('2026-01-01T12:00:00Z');
  const names = (before: string, after: string) =>
    phaseTimes(vmiWith({ phase: before }).status ?? {}, after, at)?.map((each) => each.phase);
  it.each([
    ['', 'Pending', ['Pending']],
    ['', 'Scheduled', ['Pending', 'Scheduling', 'Scheduled']],
    ['Pending', 'Scheduled', ['Scheduling', 'Scheduled']],
    ['Scheduling', 'Scheduled', ['Scheduled']],
    ['Running', 'Failed', ['Failed']],
    ['Running', 'Running', undefined],
  ])('from %j to %s', (before, after, expected) => {
    expect(names(before, after)).toEqual(expected);
  });
});
