import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { expect, it, vi } from 'vitest';
import { certainOutcome, LOOK_MS } from './certainOutcome.ts';
import type { OutcomeAnswer } from './peerProtocol.ts';

const never = (): Promise<never> => new Promise(() => {});
const running: OutcomeAnswer = { outcome: 'running' };
const gone: OutcomeAnswer = { outcome: 'gone', reason: 'node b is out of service' };

/** Goes on in small steps until something is settled. */
async function soon<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = work.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  return settled;
}

it('asks a target again that has not answered, and nobody else while it answers', async () => {
  const clock = new FakeClock();
  const ask = vi.fn<() => Promise<OutcomeAnswer>>().mockRejectedValueOnce(new Error('no answer'));
  ask.mockResolvedValue(running);
  const [elsewhere, onSilence] = [vi.fn(never), vi.fn()];
  const signal = new AbortController().signal;
  expect(await soon(clock, certainOutcome({ ask, elsewhere, onSilence }, { clock, signal }))).toEqual(running);
  expect([ask, elsewhere, onSilence].map(({ mock }) => mock.calls.length)).toEqual([2, 0, 1]);
});

it('hears that the target is out of service while a question to it is still under way', async () => {
  const clock = new FakeClock();
  const elsewhere = vi.fn<() => Promise<OutcomeAnswer | undefined>>().mockResolvedValueOnce(undefined);
  elsewhere.mockRejectedValueOnce(new Error('the server does not answer')).mockResolvedValue(gone);
  const asked: AbortSignal[] = [];
  const ask = (signal: AbortSignal) => {
    asked.push(signal);
    return never();
  };
  const onSilence = vi.fn();
  const signal = new AbortController().signal;
  expect(await soon(clock, certainOutcome({ ask, elsewhere, onSilence }, { clock, signal }))).toEqual(gone);
  expect(clock.now()).toBeLessThanOrEqual(3 * LOOK_MS + 100);
  expect(onSilence).toHaveBeenCalledTimes(1);
  // The question is given up.
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
});

it('ends with the agent', async () => {
  const stop = new AbortController();
  const witnesses = { ask: never, elsewhere: never, onSilence: () => {} };
  const answer = certainOutcome(witnesses, { clock: new FakeClock(), signal: stop.signal });
  answer.catch(() => {});
  stop.abort(new Error('the node agent is stopping'));
  // Sessions of the agent reject what is being asked; what is between two questions ends too.
  await expect(answer).rejects.toThrow('the node agent is stopping');
});
