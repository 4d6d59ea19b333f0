import { describe, expect, it } from 'vitest';
import { age, formatFirst, formatLabels, formatSelector, humanDuration } from './columns.ts';

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const days = 24 * hours;
const years = 365 * days;

describe('humanDuration', () => {
  it.each([
    [-5 * seconds, '<invalid>'],
    [-1 * seconds, '0s'],
    [0, '0s'],
    [999, '0s'],
    [5 * seconds, '5s'],
    [119 * seconds, '119s'],
    [2 * minutes, '2m'],
    [2 * minutes + 30 * seconds, '2m30s'],
    [10 * minutes + 59 * seconds, '10m'],
    [179 * minutes, '179m'],
    [3 * hours, '3h'],
    [3 * hours + 5 * minutes, '3h5m'],
    [8 * hours + 59 * minutes, '8h'],
    [47 * hours, '47h'],
    [2 * days, '2d'],
    [2 * days + 3 * hours, '2d3h'],
    [8 * days + 5 * hours, '8d'],
    [729 * days, '729d'],
    [2 * years, '2y'],
    [2 * years + 10 * days, '2y10d'],
    [9 * years + 10 * days, '9y'],
  ])('%i ms is %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });
});

describe('age', () => {
  const now = new Date('2030-01-01T00:10:00Z');

  it('counts from the timestamp', () => {
    expect(age('2030-01-01T00:00:00Z', now)).toBe('10m');
  });

  it('does not know without one', () => {
    expect(age(undefined, now)).toBe('<unknown>');
  });
});

describe('formatSelector', () => {
  it.each([
    [undefined, '<none>'],
    [{}, '<none>'],
    [{ matchLabels: { b: '2', a: '1' } }, 'a=1,b=2'],
    [
      {
        matchLabels: { m: '1' },
        matchExpressions: [
          { key: 'z', operator: 'In', values: ['y', 'x'] },
          { key: 'c', operator: 'NotIn', values: ['d'] },
          { key: 'e', operator: 'Exists' },
          { key: 'f', operator: 'DoesNotExist' },
        ],
      },
      'c notin (d),e,!f,m=1,z in (x,y)',
    ],
  ])('%j is %s', (selector, text) => {
    expect(formatSelector(selector)).toBe(text);
  });
});

describe('formatLabels and formatFirst', () => {
  it('sorts labels, and says when there are none', () => {
    expect(formatLabels({ b: '', a: 'x' })).toBe('a=x,b=');
    expect(formatLabels(undefined)).toBe('<none>');
  });

  it('counts what it leaves out', () => {
    expect(formatFirst(['a', 'b', 'c', 'd', 'e'], 3, '<none>')).toBe('a,b,c + 2 more...');
    expect(formatFirst(['a'], 3, '<none>')).toBe('a');
    expect(formatFirst([], 3, '<none>')).toBe('<none>');
  });
});
