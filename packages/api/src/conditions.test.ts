import { expect, it } from 'vitest';
import {
  type ConditionDraft,
  type ConditionLike,
  conditionOf,
  conditionsPatch,
  isConditionTrue,
  mergeConditions,
  withCondition,
} from './conditions.ts';

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

it('an object without conditions has none, and none that is true', () => {
  const node = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
  expect([undefined, {}, { status: {} }, node].map((each) => conditionOf(each, 'Ready')?.status)).toEqual([
    undefined,
    undefined,
    undefined,
    'Unknown',
  ]);
  expect([undefined, {}, node].map((each) => isConditionTrue(each, 'Ready'))).toEqual([false, false, false]);
  expect(isConditionTrue({ status: { conditions: old } }, 'A')).toBe(true);
});

const ready = { type: 'Ready', status: 'False', reason: 'Off', message: 'off', lastTransitionTime: then, probed: 1 };
const merged = (...drafts: ConditionDraft[]) => mergeConditions([ready], drafts, now, { stamp: { probed: 2 } });

it.each<[string, ConditionDraft, object]>([
  ['the same as before stays as it was', { type: 'Ready', status: 'False', reason: 'Off', message: 'off' }, ready],
  [
    'another reason keeps its time',
    { type: 'Ready', status: 'False', reason: 'Broken', message: undefined },
    { type: 'Ready', status: 'False', reason: 'Broken', lastTransitionTime: then, probed: 2 },
  ],
  [
    'another status has a new time',
    { type: 'Ready', status: 'True' },
    { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T00:00:00Z', probed: 2 },
  ],
])('a condition that says %s', (_, draft, expected) => {
  expect(merged(draft)).toStrictEqual([expected]);
});

it('merged conditions keep their order, new ones come last, and managed ones without a draft go', () => {
  const before = ['Paused', 'Ready', 'Foreign', 'Synchronized'].map((type) => ({ ...ready, type }));
  const drafts = ['Scheduled', 'Ready'].map((type) => ({ type, status: 'True' }));
  const after = mergeConditions(before, drafts, now, { managed: ['Paused', 'Ready', 'Scheduled', 'Synchronized'] });
  expect(after.map(({ type }) => type)).toEqual(['Ready', 'Foreign', 'Scheduled']);
  const [kept] = mergeConditions([ready], [ready], now, { managed: ['Ready'] });
  expect(kept).toBe(ready);
});
