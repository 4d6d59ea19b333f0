import { expect, it } from 'vitest';
import { Random } from '../../faults/random.ts';
import type { Case } from '../../oracle/case.ts';
import { hostileApplies, hostileBuiltInApplies } from './applies.ts';
import { tooMuch } from './judge.ts';
import { hostileRules, mutatedCrd, mutatedSchema } from './kinds.ts';
import { mutated } from './mutate.ts';
import { hostilePolicy } from './policies.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

it.each<[string, (random: Random) => Case]>([
  ['hostileApplies', hostileApplies],
  ['hostileBuiltInApplies', hostileBuiltInApplies],
  ['hostilePolicy', hostilePolicy],
  ['hostileRules', hostileRules],
  ['mutatedCrd', mutatedCrd],
  ['mutatedSchema', mutatedSchema],
])('%s follows from its seed, and seeds differ', (_, make) => {
  const texts = SEEDS.map((seed) => JSON.stringify(make(new Random(seed))));
  const again = SEEDS.filter((seed) => JSON.stringify(make(new Random(seed))) === texts[seed]);
  expect(again).toEqual(SEEDS);
  expect(new Set(texts).size).toBe(SEEDS.length);
});

it('a mutation changes a copy, and leaves what it was given', () => {
  const value = { a: { b: [1, { c: 'x' }] }, d: null };
  const before = JSON.stringify(value);
  const changed = SEEDS.map((seed) => JSON.stringify(mutated(new Random(seed), value)));
  expect(JSON.stringify(value)).toBe(before);
  expect(changed.filter((text) => text !== before).length).toBeGreaterThan(15);
});

it('a policy that matches more than its own kind is never stored', () => {
  const steps = SEEDS.flatMap((seed) => hostilePolicy(new Random(seed)).steps);
  const stored = steps.filter(({ path, method, query }) => /policies$/.test(path) && method === 'POST' && !query);
  expect(stored.length).toBe(SEEDS.length);
  for (const { body } of stored) expect(JSON.stringify(body)).toContain('"apiGroups":["{group}"]');
});

it('an answer without end is a finding', () => {
  expect(tooMuch({ headers: {}, body: 'x'.repeat(20 << 20) })).toMatch(/^was answered with \d+ bytes$/);
  expect(tooMuch({ headers: {}, body: 'x' })).toBeUndefined();
});
