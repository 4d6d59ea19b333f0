import { describe, expect, it } from 'vitest';
import { VolumeError } from '../disks/volumeError.ts';
import { PullError } from '../images/pullFailure.ts';
import { podIn } from '../testing/objects.ts';
import type { Preparation } from './localVmi.ts';
import { pullEvents, volumeFailure } from './pullEvents.ts';

function reporting() {
  const events: string[] = [];
  const clock = { nowMs: 0, now: () => clock.nowMs, after: () => () => {} };
  const preparation: Preparation = {
    startedAtMs: 0,
    settled: Promise.resolve(),
    isSettled: false,
    isReported: false,
    reported: new Set(),
  };
  const told: (string | undefined)[] = [];
  const recorder = { event: (_: unknown, ...words: string[]) => void events.push(words.join(' ')) };
  const report = pullEvents(podIn('Pending'), preparation, { recorder, clock }, () => told.push(preparation.progress));
  return { events, clock, preparation, told, observer: report('quay.io/a') };
}

describe('the events of a pull', () => {
  it("has kubelet's words, with size and time", () => {
    const { events, observer, preparation } = reporting();
    observer.onPulling?.();
    observer.onPulled?.({ imageBytes: 123_456, tookMs: 1234 });
    expect(events).toEqual([
      'Normal Pulling Pulling image "quay.io/a"',
      'Normal Pulled Successfully pulled image "quay.io/a" in 1.234s. Image size: 123456 bytes.',
    ]);
    expect(preparation.reported).toEqual(new Set(['quay.io/a']));
  });

  it('says how far it is every ten seconds, however often it hears', () => {
    const { clock, told, observer } = reporting();
    for (let second = 0; second <= 25; second++) {
      clock.nowMs = second * 1000;
      observer.onProgress?.({ doneBytes: second * 1024 * 1024, totalBytes: 30 * 1024 * 1024 });
    }
    expect(told).toEqual([
      'pulling image "quay.io/a": 10.0 MiB of 30.0 MiB',
      'pulling image "quay.io/a": 20.0 MiB of 30.0 MiB',
    ]);
  });
});

describe('a volume that cannot be had', () => {
  const pull = new PullError('ErrImagePull', 'quay.io/a', 'failed to pull image "quay.io/a": 401');
  it.each<[string, VolumeError, isAgain: boolean, waiting: string, event: string]>([
    [
      'a pull',
      pull,
      false,
      'ErrImagePull: failed to pull image "quay.io/a": 401',
      'Warning Failed: Failed to pull image "quay.io/a": 401',
    ],
    [
      'a pull again',
      pull,
      true,
      'ImagePullBackOff: Back-off pulling image "quay.io/a": ErrImagePull: failed to pull image "quay.io/a": 401',
      'Normal BackOff: Back-off pulling image "quay.io/a"',
    ],
    ['a name', new PullError('InvalidImageName', 'A', 'x'), true, 'InvalidImageName: x', 'Warning InspectFailed: X'],
    ['a claim', new VolumeError('ContainerCreating', 'x'), false, 'ContainerCreating: x', 'Warning FailedMount: x'],
    [
      'a Secret',
      new VolumeError('CreateContainerConfigError', 'x'),
      true,
      'CreateContainerConfigError: x',
      'Warning Failed: x',
    ],
  ])('%s', (_, error, isAgain, waiting, event) => {
    const words = volumeFailure(error, isAgain);
    expect(`${words.waiting.reason}: ${words.waiting.message}`).toBe(waiting);
    expect(`${words.event.type} ${words.event.reason}: ${words.event.message}`).toBe(event);
  });
});
