import { expect, it } from 'vitest';
import { type ConditionLike, conditionsPatch, withCondition } from './conditions.ts';

const then = '2026-01-01T00:00:00Z';
const now = new Date('2026-01-02T00:00:00.123Z');
const old: ConditionLike[] = [
  { type: 'A', status: 'True', lastTransitionTime: then },
  { type: 'B', status: 'True', lastTransitionTime: then },
];

it('a condition keeps its place, and its time while its status stays', () => {
  expect(withCondition(old, { type: 'A', status: 'True', reason: 'New' } as ConditionLike, now)).toEqual([
    { type: 'A', status: 'True', reason: 'New', lastTransitionTime: then },
    old[1],
  ]);
});

it('a condition whose status changes gets the present time', () => {
  expect(withCondition(old, { type: 'B', status: 'False' }, now)).toEqual([
    old[0],
    { type: 'B', status: 'False', lastTransitionTime: '2026-01-02T00:00:00Z' },
  ]);
});

it('a new condition comes last', () => {
  expect(withCondition(undefined, { type: 'C', status: 'True' }, now)).toEqual([
    { type: 'C', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z' },
  ]);
});

it('a patch takes away what a condition no longer says, and leaves the others out', () => {
  const paused = { type: 'Ready', status: 'False', reason: 'Paused', message: 'the guest is paused' };
  const before = [...old, paused] as ConditionLike[];
  const after = [...old, { type: 'Ready', status: 'True' }];
  expect(conditionsPatch(before, after)).toEqual([{ type: 'Ready', status: 'True', reason: null, message: null }]);
  expect(conditionsPatch(undefined, [paused] as ConditionLike[])).toEqual([paused]);
  expect(conditionsPatch(before, before)).toEqual([]);
});
