import { describe, expect, it } from 'vitest';
import { type CacheEntry, disksToRemove } from './collect.ts';

const DAY = 24 * 3_600_000;
const NOW = 1000 * DAY;
const GB = 1e9;

const entry = (name: string, ageDays: number, changes: Partial<CacheEntry> = {}): CacheEntry => ({
  name,
  isUsed: false,
  lastUsedMs: NOW - ageDays * DAY,
  sizeBytes: 10 * GB,
  ...changes,
});
const withFree = (freeGb: number) => ({ freeBytes: freeGb * GB, totalBytes: 100 * GB });

describe('which disks go', () => {
  it.each<[string, CacheEntry[], freeGb: number, string[]]>([
    ['young ones stay', [entry('a', 1)], 50, []],
    ['old ones go', [entry('a', 1), entry('b', 15)], 50, ['b']],
    ['not under a VM', [entry('b', 15, { isUsed: true })], 1, []],
    ['the longest unused first when it is full, and no more than needed', [entry('a', 1), entry('b', 2)], 12, ['b']],
    ['several when one is not enough', [entry('a', 1), entry('b', 2), entry('c', 3)], 5, ['c', 'b']],
    ['not the one that was just found', [entry('a', 0)], 1, []],
    ['nothing at 85 %', [entry('a', 1)], 15, []],
    ['an empty cache', [], 0, []],
  ])('%s', (_, entries, freeGb, removed) => {
    expect(disksToRemove(entries, withFree(freeGb), NOW)).toEqual(removed);
  });
});
