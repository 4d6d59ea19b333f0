import { afterEach, expect, it } from 'vitest';
import { formatAge, formatClock, formatTime, showTimesIn } from './times.ts';

afterEach(() => showTimesIn(undefined));

const now = Date.parse('2026-01-02T00:00:00Z');

it.each([
  ['2026-01-01T23:59:55Z', '5s'],
  ['2026-01-01T23:58:30Z', '90s'],
  ['2026-01-01T23:30:00Z', '30m'],
  ['2026-01-01T12:00:00Z', '12h'],
  ['2025-12-01T00:00:00Z', '32d'],
  ['2026-01-02T00:00:03Z', '0s'],
  ['never', '–'],
  [undefined, '–'],
])('%s was %s ago', (time, age) => {
  expect(formatAge(time, now)).toBe(age);
});

it('an exact time names its zone, and one that is none is told', () => {
  expect(formatTime('2026-01-02T00:00:00Z')).toMatch(/2026.*(UTC|GMT|[A-Z]{2,5})/);
  expect(formatTime(undefined)).toBe('unknown time');
});

it('times are in UTC for those who want that, and say so', () => {
  showTimesIn('UTC');
  expect(formatTime('2026-01-02T13:14:15Z')).toMatch(/1:14:15 PM UTC|13:14:15 UTC/);
  expect(formatClock(Date.parse('2026-01-02T13:14:15Z'))).toMatch(/1:14:15.PM UTC|13:14:15 UTC/);
});
