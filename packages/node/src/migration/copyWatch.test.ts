import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { ConnectionError, type DomainState } from '@vireo/libvirt';
import { expect, it, vi } from 'vitest';
import { ABORTED, type CopyContext, CopyWatch } from './copyWatch.ts';
import { unlessStopped } from './unlessStopped.ts';

const COOKIE = { cookie: Buffer.from('all is there') };

/** A watch over a copy by a libvirt whose calls are the given ones. */
function watchOf(calls: Partial<CopyContext['calls']> = {}, configuration: CopyContext['configuration'] = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const control = {
    whyStop: vi.fn((): string | undefined => undefined),
    onProgress: vi.fn(),
    onMode: vi.fn(),
    onError: vi.fn(),
  };
  const done = async (): Promise<void> => {};
  const watch = new CopyWatch({
    domain: { name: 'shop_web', uuid: 'u', id: 1 },
    calls: {
      jobStats: () => Promise.reject(new ConnectionError('no libvirtd')),
      abortJob: done,
      domainState: async () => ({ state: 'running', reason: 'booted' }),
      startPostCopy: done,
      suspendDomain: done,
      setMigrationMaxDowntime: done,
      ...calls,
    },
    configuration,
    control,
    clock,
    signal: stop.signal,
  });
  return { clock, stop, control, watch };
}

async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let tenths = 0; tenths < 10 * seconds; tenths += 1) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
}

it('waits as long as libvirt copies, whatever else fails', async () => {
  const { clock, control, watch } = watchOf({
    setMigrationMaxDowntime: () => Promise.reject(new ConnectionError('no libvirtd')),
  });
  const performing = Promise.withResolvers<typeof COOKIE>();
  const waiting = watch.wait(performing.promise, 1e9);
  await pass(clock, 5);
  performing.resolve(COOKIE);
  await pass(clock, 1);
  await expect(waiting).resolves.toEqual(COOKIE.cookie);
  // Tried at every look, told of once.
  expect(control.onError.mock.calls.map(([what]) => what)).toEqual(['limit the downtime']);
});

it('repeats an abort until the copy has ended', async () => {
  const abortJob = vi.fn(async () => {});
  const { clock, control, watch } = watchOf({ abortJob });
  const performing = Promise.withResolvers<typeof COOKIE>();
  const waiting = watch.wait(performing.promise, 1e9);
  waiting.catch(() => {});
  await pass(clock, 1);
  expect(abortJob).not.toHaveBeenCalled();
  control.whyStop.mockReturnValue(ABORTED);
  await pass(clock, 5);
  expect(abortJob.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(watch.stopReason).toBe(ABORTED);
  performing.reject(new Error('operation aborted'));
  await pass(clock, 1);
  await expect(waiting).rejects.toThrow('operation aborted');
});

it('an abort that libvirt does not answer does not keep the copy from ending', async () => {
  const { clock, control, watch } = watchOf({ abortJob: () => new Promise(() => {}) });
  control.whyStop.mockReturnValue(ABORTED);
  const performing = Promise.withResolvers<typeof COOKIE>();
  const waiting = watch.wait(performing.promise, 1e9);
  await pass(clock, 3);
  performing.resolve(COOKIE);
  await pass(clock, 1);
  await expect(waiting).resolves.toEqual(COOKIE.cookie);
});

it('does not call back a guest that runs on the target already', async () => {
  const abortJob = vi.fn(async () => {});
  const configuration = { allowPostCopy: true, completionTimeoutPerGiB: 1 };
  const { clock, stop, control, watch } = watchOf({ abortJob }, configuration);
  const waiting = watch.wait(new Promise(() => {}), 1e9);
  waiting.catch(() => {});
  await pass(clock, 3);
  expect(control.onMode.mock.calls).toEqual([['PostCopy']]);
  control.whyStop.mockReturnValue(ABORTED);
  await pass(clock, 3);
  expect(abortJob).not.toHaveBeenCalled();
  // Only the end of the agent ends the wait.
  stop.abort(new Error('the node agent is stopping'));
  await pass(clock, 1);
  await expect(waiting).rejects.toThrow('the node agent is stopping');
});

it.each<[string, string, modes: string[], isPausedByUs: boolean]>([
  ['pauses a guest that takes too long', 'running', ['Paused'], true],
  ['leaves a guest as it is that its user has paused', 'paused', [], false],
])('%s', async (_, state, modes, isPausedByUs) => {
  const suspendDomain = vi.fn(async () => {});
  const domainState = async () => ({ state, reason: 'user' }) as DomainState;
  const configuration = { allowWorkloadDisruption: true, completionTimeoutPerGiB: 1 };
  const { clock, control, watch } = watchOf({ suspendDomain, domainState }, configuration);
  const performing = Promise.withResolvers<typeof COOKIE>();
  const waiting = watch.wait(performing.promise, 1e9);
  await pass(clock, 1.8);
  expect(suspendDomain).toHaveBeenCalledTimes(modes.length);
  expect(control.onMode.mock.calls.flat()).toEqual(modes);
  expect(watch.isPausedByUs).toBe(isPausedByUs);
  // It has twice the time.
  expect(watch.stopReason).toBeUndefined();
  performing.resolve(COOKIE);
  await pass(clock, 1);
  await waiting;
});

it('gives up work that hangs as soon as there is a reason', async () => {
  const clock = new FakeClock();
  let why: string | undefined;
  let given: AbortSignal | undefined;
  const work = unlessStopped(
    (signal) => {
      given = signal;
      return new Promise<never>(() => {});
    },
    () => why,
    { clock, signal: new AbortController().signal },
  );
  work.catch(() => {});
  await pass(clock, 2);
  expect(given?.aborted).toBe(false);
  why = ABORTED;
  await pass(clock, 1);
  await expect(work).rejects.toThrow(ABORTED);
  expect(given?.aborted).toBe(true);
});
