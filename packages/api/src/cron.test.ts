import { expect, test } from 'vitest';
import { nextTime, scheduleProblem } from './cron.ts';

test.each([
  '* * * * *',
  '*/5 0-6 1,15 jan-DEC Mon',
  '0 22 * * 1-5',
  '? ? ? ? ?',
  '5/15 * * * *',
  '@hourly',
  '@every 1h30m',
])('%s is a schedule', (schedule) => {
  expect(scheduleProblem(schedule)).toBeUndefined();
});

test.each([
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * 5-3 * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['*/2/3 * * * *', 'too many slashes: */2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
])('%s: %s', (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

test.each([
  // Thursday, 1 January 2026.
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z'],
  ['0 0 * * *', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['*/20 5 * * *', '2026-01-01T05:40:00Z', '2026-01-02T05:00:00Z'],
  ['5/25 * * * *', '2026-01-01T05:06:00Z', '2026-01-01T05:30:00Z'],
  ['30 2 * * mon-FRI', '2026-01-02T03:00:00Z', '2026-01-05T02:30:00Z'],
  ['15 10,22 31 * ?', '2026-01-31T22:15:00Z', '2026-03-31T10:15:00Z'],
  ['0 0 29 feb *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 29 2 *', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00Z'],
  // The 13th, or a Friday; and with a step, both.
  ['0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ['0 0 13 * 5', '2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'],
  ['0 0 13 * *', '2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'],
  ['0 0 */10 * 5', '2026-01-02T00:00:00Z', '2026-01-09T00:00:00Z'],
  ['@hourly', '2026-01-01T23:10:00Z', '2026-01-02T00:00:00Z'],
  ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
  ['@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['@every 90m', '2026-01-01T00:10:00.500Z', '2026-01-01T01:40:00Z'],
  ['@every 1ms', '2026-01-01T00:10:00.500Z', '2026-01-01T00:10:01Z'],
])('%s after %s: %s', (schedule, after, expected) => {
  expect(nextTime(schedule, new Date(after))?.toISOString()).toBe(new Date(expected).toISOString());
});

test.each(['0 0 30 feb *', '61 * * * *', ''])('%j is never', (schedule) => {
  expect(nextTime(schedule, new Date('2026-01-01T00:00:00Z'))).toBeUndefined();
});
