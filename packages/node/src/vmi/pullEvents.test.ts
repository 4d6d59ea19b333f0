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
  const progress: (string | undefined)[] = [];
  const recorder = { event: (_: unknown, ...words: string[]) => void events.push(words.join(' ')) };
  const report = pullEvents(podIn('Pending'), preparation, { recorder, clock }, () =>
    progress.push(preparation.progress),
  );
  return { events, clock, preparation, progress, observer: report('quay.io/a') };
}

describe('the events of a pull', () => {
  it("have kubelet's words, with size and time", () => {
    const { events, observer, preparation } = reporting();
    observer.onPulling?.();
    observer.onPulled?.({ imageBytes: 123_456, tookMs: 1234 });
    expect(events).toEqual([
      'Normal Pulling Pulling image "quay.io/a"',
      'Normal Pulled Successfully pulled image "quay.io/a" in 1.234s. Image size: 123456 bytes.',
    ]);
    expect(preparation.reported).toEqual(new Set(['quay.io/a']));
  });

  it('say how far it is every five seconds at most', () => {
    const { clock, progress, observer } = reporting();
    for (let second = 0; second <= 14; second++) {
      clock.nowMs = second * 1000;
      observer.onProgress?.({ doneBytes: second * 1024 * 1024, totalBytes: 30 * 1024 * 1024 });
    }
    expect(progress).toEqual([
      'pulling image "quay.io/a": 5.0 MiB of 30.0 MiB (16%)',
      'pulling image "quay.io/a": 10.0 MiB of 30.0 MiB (33%)',
    ]);
  });

  it('show every step of a build at once, and its bytes every five seconds at most', () => {
    const { clock, events, progress, observer, preparation } = reporting();
    const step = (stepNumber: number, name: string, doneBytes?: number) =>
      observer.onBuilding?.({
        step: name,
        stepNumber,
        stepCount: 5,
        ...(doneBytes && { doneBytes, totalBytes: 40 << 20 }),
      });
    step(1, 'Resolving the packages of the guest image');
    expect(events).toEqual([]);
    for (let second = 0; second <= 6; second++) {
      clock.nowMs = second * 1000;
      step(2, 'Downloading 59 Debian packages', second << 20);
    }
    step(3, 'Unpacking the packages');
    expect(events).toEqual(['Normal Building Building image "quay.io/a"']);
    expect(progress).toEqual([
      'building the guest image, step 1 of 5: resolving the packages of the guest image',
      'building the guest image, step 2 of 5: downloading 59 Debian packages',
      'building the guest image, step 2 of 5: downloading 59 Debian packages: 5.0 MiB of 40.0 MiB (12%)',
      'building the guest image, step 3 of 5: unpacking the packages',
    ]);
    expect(preparation.built).toBe('quay.io/a');
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
