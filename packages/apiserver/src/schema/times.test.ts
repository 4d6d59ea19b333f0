import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasFormat } from './formats.ts';
import { normalizeMicroTime, normalizeTime } from './times.ts';

describe('a time is written', () => {
  it.each([
    ['2024-02-29T12:00:01Z', '2024-02-29T12:00:01Z'],
    ['2024-02-29t12:00:01z', '2024-02-29T12:00:01Z'],
    ['2024-02-29T12:00:01.75+01:00', '2024-02-29T11:00:01Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
    ['2023-02-29T12:00:01Z', undefined],
    ['2024-02-29T24:00:00Z', undefined],
  ])('%s as %s', (text, expected) => {
    expect(normalizeTime(text)).toBe(expected);
  });

  it('with six digits where a MicroTime is', () => {
    expect(normalizeMicroTime('2024-02-29T12:00:01Z')).toBe('2024-02-29T12:00:01.000000Z');
    expect(normalizeMicroTime('2024-02-29T12:00:01.1234567Z')).toBe('2024-02-29T12:00:01.123456Z');
  });
});

describe('a day', () => {
  it('is one where the calendar has it', () => {
    const digits = (count: number, most: number) => fc.nat(most).map((value) => String(value).padStart(count, '0'));
    fc.assert(
      fc.property(digits(4, 9999), digits(2, 14), digits(2, 33), (year, month, day) => {
        const text = `${year}-${month}-${day}`;
        const date = new Date(`${text}T00:00:00Z`);
        const isThere = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
        expect(hasFormat(text, 'date')).toBe(isThere);
      }),
      { numRuns: 2000 },
    );
  });
});
