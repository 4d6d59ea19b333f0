import { expect, it } from 'vitest';
import { windowOf } from './useVirtualRows.ts';

it.each([
  [0, 400, 5_000, { first: 0, last: 18 }],
  [4_000, 400, 5_000, { first: 92, last: 118 }],
  [199_600, 400, 5_000, { first: 4_982, last: 5_000 }],
  [4_000, 400, 3, { first: 3, last: 3 }],
  [0, 0, 0, { first: 0, last: 0 }],
])('scrolled to %i with %i in sight of %i rows, it draws %j', (scrollTop, height, count, rows) => {
  expect(windowOf(scrollTop, height, 40, count)).toEqual(rows);
});
