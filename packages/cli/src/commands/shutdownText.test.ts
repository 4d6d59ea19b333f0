import { expect, it } from 'vitest';
import { departureLine, lateLine, notMovedLine, progressLine, someOf } from './shutdownText.ts';

it('says how many are left, and until when', () => {
  const progress = { total: 2, left: ['shop/web'], elapsedMs: 1, remainingMs: 4_200 };
  expect(progressLine(progress)).toBe('Shutting down 2 VMs … 1 left, at most 5 s: shop/web');
  expect(progressLine({ ...progress, total: 1, remainingMs: 0 })).toBe(
    'Shutting down 1 VM … 1 left, powering off: shop/web',
  );
});

it('says how many VMs have not moved yet', () => {
  const progress = { total: 2, left: ['shop/web'], remainingMs: 4_200 };
  expect(departureLine(progress)).toBe('Moving 2 VMs to other nodes … 1 left, at most 5 s: shop/web');
});

it('says which VMs shut down in place of moving, and why', () => {
  expect(notMovedLine('shop/web', 'no')).toBe('VM shop/web is not moved to another node and shuts down here: no');
  expect(lateLine(['shop/web'])).toBe('1 VM did not move in time and shuts down here: shop/web');
  expect(lateLine(['a', 'b'])).toBe('2 VMs did not move in time and shut down here: a, b');
});

it('names a few', () => {
  expect(someOf(['a', 'b', 'c'])).toBe('a, b, c');
  expect(someOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, 2 more');
});
