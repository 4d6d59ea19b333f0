import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Stored } from '../store/store.ts';
import { ListSnapshots } from './snapshots.ts';

const items = (count: number): Stored[] => Array.from({ length: count }, () => ({}) as Stored);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('snapshots of lists', () => {
  it('are kept until they are forgotten', () => {
    const snapshots = new ListSnapshots();
    const kept = items(3);
    snapshots.keep('a', kept);
    expect(snapshots.get('a')).toBe(kept);
    snapshots.forget('a');
    expect(snapshots.get('a')).toBeUndefined();
  });

  it('go after five minutes, whether or not anybody asks', () => {
    const snapshots = new ListSnapshots();
    snapshots.keep('a', items(3));
    vi.advanceTimersByTime(299_000);
    expect(snapshots.get('a')).toBeDefined();
    snapshots.keep('b', items(3));
    vi.advanceTimersByTime(1_000);
    expect(snapshots.get('a')).toBeUndefined();
    expect(snapshots.size).toBe(1);
    vi.advanceTimersByTime(600_000);
    expect(snapshots.size).toBe(0);
  });

  it('make room for newer ones, by the number of their items', () => {
    const snapshots = new ListSnapshots(10);
    snapshots.keep('a', items(4));
    snapshots.keep('b', items(4));
    snapshots.keep('a', items(4));
    snapshots.keep('c', items(4));
    expect(['a', 'b', 'c'].filter((key) => snapshots.get(key))).toEqual(['a', 'c']);
    snapshots.keep('huge', items(11));
    expect(snapshots.size).toBe(0);
  });
});
