import { expect, it } from 'vitest';
import { type Condition, restated, stated } from './conditions.ts';

const now = new Date('2026-05-01T10:00:00Z');
const old: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'A',
  message: 'a',
  lastProbeTime: null,
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

it('says the same without any change', () => {
  expect(stated([old], { type: 'Ready', status: 'False', reason: 'A', message: 'a' }, now)).toBe(old);
});

it('keeps the time while only the reason changes', () => {
  expect(stated([old], { type: 'Ready', status: 'False', reason: 'B' }, now)).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'B',
    lastProbeTime: null,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
});

it('sets the time when the status changes', () => {
  expect(stated([old], { type: 'Ready', status: 'True' }, now).lastTransitionTime).toBe('2026-05-01T10:00:00Z');
});

it('keeps the order, adds at the end, removes by type', () => {
  const paused = { ...old, type: 'Paused' };
  const result = restated([paused, old], [{ type: 'Synchronized', status: 'False' }, { ...old }], ['Paused'], now);
  expect(result.map(({ type }) => type)).toEqual(['Ready', 'Synchronized']);
});
