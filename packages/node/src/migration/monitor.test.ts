import { describe, expect, it } from 'vitest';
import { decideMonitor, downtimeLimitMs, type Progress } from './monitor.ts';

const GB = 1e9;
const at = (more: Partial<Progress>): Progress => ({
  elapsedMs: 1_000,
  sinceProgressMs: 0,
  mode: 'PreCopy',
  bytes: GB,
  ...more,
});
const disruptive = { allowWorkloadDisruption: true };
const postCopy = { allowPostCopy: true };

describe('a migration', () => {
  it.each<[string, Partial<Progress>, object, string]>([
    ['that makes progress goes on', {}, {}, 'wait'],
    ['within its time goes on', { elapsedMs: 149_000 }, {}, 'wait'],
    ['beyond its time is aborted', { elapsedMs: 151_000 }, {}, 'abort'],
    ['of more data has more time', { elapsedMs: 151_000, bytes: 1.1 * GB }, {}, 'wait'],
    ['without a limit goes on', { elapsedMs: 1e9 }, { completionTimeoutPerGiB: 0 }, 'wait'],
    ['with a limit of its own is aborted', { elapsedMs: 11_000 }, { completionTimeoutPerGiB: 10 }, 'abort'],
    ['without progress is aborted', { sinceProgressMs: 151_000, bytes: 9 * GB }, {}, 'abort'],
    ['with another limit of progress is aborted', { sinceProgressMs: 6_000 }, { progressTimeout: 5 }, 'abort'],
    ['beyond its time pauses the guest where it may', { elapsedMs: 151_000 }, disruptive, 'pauseGuest'],
    ['whose guest is paused has twice the time', { elapsedMs: 299_000, mode: 'Paused' }, disruptive, 'wait'],
    ['whose guest is paused is aborted in the end', { elapsedMs: 301_000, mode: 'Paused' }, disruptive, 'abort'],
    ['beyond its time goes on on the target where it may', { elapsedMs: 151_000 }, postCopy, 'startPostCopy'],
    [
      'that goes on on the target is waited for',
      { elapsedMs: 1e9, sinceProgressMs: 1e9, mode: 'PostCopy' },
      postCopy,
      'wait',
    ],
  ])('%s', (_, progress, configuration, action) => {
    expect(decideMonitor(at(progress), configuration).action).toBe(action);
  });

  it('tells why it is aborted as KubeVirt does', () => {
    expect(decideMonitor(at({ elapsedMs: 160_000 }))).toMatchObject({
      reason: 'Live migration is not completed after 160 sec and has been aborted',
    });
    expect(decideMonitor(at({ sinceProgressMs: 155_000 }))).toMatchObject({
      reason: 'Live migration stuck for 155 sec and has been aborted',
    });
  });
});

it.each([
  ['begins with little', 0, {}, 50],
  ['stays so for the first pass', 2, {}, 50],
  ['doubles with each pass', 3, {}, 100],
  ['ends with what QEMU allows by itself', 9, {}, 300],
  ["takes KubeVirt's default for nobody's word", 9, { maxDowntimeMs: 900 }, 300],
  ['takes the word of a policy', 9, { maxDowntimeMs: 2000 }, 2000],
  ['never exceeds it', 0, { maxDowntimeMs: 20 }, 20],
])('the downtime that is allowed %s', (_, passes, configuration, expected) => {
  expect(downtimeLimitMs(passes, configuration)).toBe(expected);
});
