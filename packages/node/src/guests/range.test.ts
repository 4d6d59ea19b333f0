import { describe, expect, it } from 'vitest';
import { guestRange } from './range.ts';

const ALL = '         0          0 4294967295\n';
const none = new Set<number>();

describe('the ids of the guests of a home', () => {
  it('are the same every time, and above those of people and containers', () => {
    const range = guestRange('/var/lib/vireo', ALL, none);
    expect(range).toEqual(guestRange('/var/lib/vireo', ALL, none));
    expect(range?.count).toBe(65_536);
    expect(range?.first).toBeGreaterThan(1_879_048_191);
    expect((range?.first ?? 0) + 65_536).toBeLessThan(2 ** 31);
    expect(guestRange('/home/other', ALL, none)).not.toEqual(range);
  });

  it('are not those of another home of this host', () => {
    const taken = new Set([guestRange('/home/a', ALL, none)?.first ?? 0]);
    const next = guestRange('/home/a', ALL, taken);
    expect(taken).not.toContain(next?.first);
    // The other home has gone: those that there are stay.
    expect(guestRange('/home/a', ALL, none, next?.first)).toEqual(next);
    expect(guestRange('/home/a', ALL, new Set([next?.first ?? 0]), next?.first)).not.toEqual(next);
    expect(guestRange('/home/a', ALL, none, 1000)).toEqual(guestRange('/home/a', ALL, none));
    const all = new Set(Array.from({ length: 1_024 }, (_, slot) => 1_900_000_000 + slot * 65_536));
    expect(guestRange('/home/a', ALL, all)).toBeUndefined();
  });

  it.each([
    ['a container with 65,536 ids', '0 100000 65536', { first: 32_768, count: 32_768 }],
    ['one that has many more', '0 1000 1\n1 100000 1000000', { first: 934_465, count: 65_536 }],
    ['one that has hardly any', '0 1000 1\n1 100000 1000', undefined],
    ['one that has one', '0 1000 1', undefined],
  ])('in %s', (_, map, range) => {
    expect(guestRange('/home/a', map, none)).toEqual(range);
    if (range) expect(guestRange('/home/a', map, new Set([range.first]))).toBeUndefined();
  });
});
