import { expect, it } from 'vitest';
import { planRound } from './plan.ts';

const options = {
  seed: 7,
  vms: 4,
  stepsEach: 30,
  faultsEach: 3,
  lengthMs: 1000,
  actions: ['start', 'stop'],
  faults: ['kill', 'freeze'],
};

it('is the same for the same seed, and another for another', () => {
  expect(planRound(2, options)).toEqual(planRound(2, options));
  expect(planRound(3, options)).not.toEqual(planRound(2, options));
  expect(planRound(2, { ...options, seed: 8 })).not.toEqual(planRound(2, options));
});

it('stays within what was asked for, in the order of time, and uses all of it', () => {
  const rounds = Array.from({ length: 20 }, (_, number) => planRound(number, options));
  for (const { steps, injections } of rounds) {
    expect([steps.length, injections.length]).toEqual([30, 3]);
    for (const list of [steps, injections]) {
      const times = list.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.max(...times)).toBeLessThanOrEqual(1000);
    }
  }
  const all = rounds.flatMap(({ steps, injections }) => [
    ...steps.map((s) => s.action + s.vm),
    ...injections.map((b) => b.fault),
  ]);
  expect(new Set(all).size).toBe(2 * 4 + 2);
});

it('without faults is a storm of users alone', () => {
  expect(planRound(1, { ...options, faults: [] }).injections).toEqual([]);
});
