import type { VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
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

/** One that ran from noon on, for that many seconds. */
const ranFor = (seconds: number, phase: string, metadata = {}): Vmi =>
  vmiWith(
    {
      phase,
      phaseTransitionTimestamps: [
        { phase: 'Running', phaseTransitionTimestamp: new Date(now.getTime() - seconds * 1000).toISOString() },
        ...(phase === 'Running' ? [] : [{ phase, phaseTransitionTimestamp: now.toISOString() }]),
      ],
    },
    metadata,
  );
const atOnce = { ...once, retryAfterTimestamp: '2026-01-01T12:00:00Z' };
const afterTen = { ...twice, retryAfterTimestamp: '2026-01-01T12:00:10Z' };

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
    ['a VM that runs is forgiven', once, vmiWith({ phase: 'Running' }), 'Always', undefined],
    ['a crash after a good start is no failed start', before, failedLater, 'Always', undefined],
    ['a crash at once is one, and is tried again at once', undefined, ranFor(5, 'Failed'), 'Always', atOnce],
    ['so is the end of a guest that powers off at once', undefined, ranFor(5, 'Succeeded'), 'Always', atOnce],
    ['the next one waits', before, ranFor(59, 'Failed'), 'RerunOnFailure', afterTen],
    ['a guest that ran for a minute did start', before, ranFor(60, 'Failed'), 'Always', undefined],
    ['they are remembered until it has proved itself', before, ranFor(59, 'Running'), 'Always', before],
    ['and then forgotten', before, ranFor(60, 'Running'), 'Always', undefined],
    ['what somebody deleted did not fail', undefined, ranFor(5, 'Failed', deleting), 'Always', undefined],
    ['what is not run again has nothing to wait for', undefined, ranFor(5, 'Failed'), 'Once', undefined],
    ['nor what has done its work', undefined, ranFor(5, 'Succeeded'), 'RerunOnFailure', undefined],
    ['whoever starts by hand is not held back', once, vmiWith({ phase: 'Failed' }), 'Manual', undefined],
    ['a halted VM has none', once, undefined, 'Halted', undefined],
  ])('%s', (_, startFailureBefore, vmi, strategy, expected) => {
    expect(startFailure(vmWith({}, { startFailure: startFailureBefore }), vmi, strategy, now, least)).toEqual(expected);
  });
});
