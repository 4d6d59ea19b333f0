import { expect, it } from 'vitest';
import { departureLine, progressLine, someOf } from './shutdownText.ts';

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

it('names a few', () => {
  expect(someOf(['a', 'b', 'c'])).toBe('a, b, c');
  expect(someOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, 2 more');
});
