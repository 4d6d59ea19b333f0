import { describe, expect, it } from 'vitest';
import type { Vmi, VmStatus } from '../kinds.ts';
import { vmiWith, vmWith } from '../testing/objects.ts';
import { delaySeconds, startFailure } from './startFailure.ts';

const now = new Date('2026-01-01T12:00:00Z');
const least = () => 0;
const most = () => 0.999999;

describe('the delay after failed starts', () => {
  it.each([
    [1, 10, 15],
    [2, 40, 60],
    [3, 90, 135],
    [4, 160, 240],
    [5, 250, 300],
    [6, 300, 300],
    [100, 300, 300],
  ])('after %i: %i to %i seconds', (failures, shortest, longest) => {
    expect(delaySeconds(failures, least)).toBe(shortest);
    expect(delaySeconds(failures, most)).toBe(longest);
  });
});

const once = { consecutiveFailCount: 1, lastFailedVMIUID: 'vmi-uid', retryAfterTimestamp: '2026-01-01T12:00:10Z' };
const twice = { consecutiveFailCount: 2, lastFailedVMIUID: 'vmi-uid', retryAfterTimestamp: '2026-01-01T12:00:40Z' };
const before = { ...once, lastFailedVMIUID: 'the-one-before' };
const failedLater = vmiWith({ phase: 'Failed', phaseTransitionTimestamps: [{ phase: 'Running' }] });

describe('failed starts', () => {
  it.each<[string, VmStatus['startFailure'], Vmi | undefined, string, VmStatus['startFailure']]>([
    ['the first is counted', undefined, vmiWith({ phase: 'Failed' }), 'Always', once],
    ['the next is counted', before, vmiWith({ phase: 'Failed' }), 'Always', twice],
    ['an end without ever running counts, however it ended', undefined, vmiWith({ phase: 'Succeeded' }), 'Once', once],
    ['none is counted twice', once, vmiWith({ phase: 'Failed' }), 'Always', once],
    ['they are remembered while nothing is there', once, undefined, 'RerunOnFailure', once],
    [
      'they are remembered while the next is tried',
      once,
      vmiWith({ phase: 'Scheduled' }, { uid: 'x' }),
      'Always',
      once,
    ],
    ['a machine that runs is forgiven', once, vmiWith({ phase: 'Running' }), 'Always', undefined],
    ['a crash after a good start is no failed start', once, failedLater, 'Always', undefined],
    ['whoever starts by hand is not held back', once, vmiWith({ phase: 'Failed' }), 'Manual', undefined],
    ['a halted machine has none', once, undefined, 'Halted', undefined],
  ])('%s', (_, startFailureBefore, vmi, strategy, expected) => {
    expect(startFailure(vmWith({}, { startFailure: startFailureBefore }), vmi, strategy, now, least)).toEqual(expected);
  });
});
