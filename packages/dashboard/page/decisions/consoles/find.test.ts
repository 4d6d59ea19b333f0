import { expect, it } from 'vitest';
import { findInRows, nextMatch, textOfRows } from './find.ts';

const rows = [
  { text: 'login: root  ', isWrapped: false },
  { text: 'a long line t', isWrapped: false },
  { text: 'hat is broken', isWrapped: true },
  { text: 'Root root    ', isWrapped: false },
  { text: '             ', isWrapped: false },
];

it('finds words regardless of case, several in a row', () => {
  expect(findInRows(rows, 'root')).toEqual([
    { row: 0, column: 7, length: 4 },
    { row: 3, column: 0, length: 4 },
    { row: 3, column: 5, length: 4 },
  ]);
});

it('finds words that the edge broke', () => {
  expect(findInRows(rows, 'that')).toEqual([{ row: 1, column: 12, length: 4 }]);
  expect(findInRows(rows, 'hat is')).toEqual([{ row: 2, column: 0, length: 6 }]);
});

it('finds nothing for nothing', () => {
  expect(findInRows(rows, '')).toEqual([]);
  expect(findInRows(rows, 'nowhere')).toEqual([]);
});

it.each([
  [-1, 3, 1, 0],
  [-1, 3, -1, 2],
  [2, 3, 1, 0],
  [0, 3, -1, 2],
  [-1, 0, 1, -1],
])('goes from match %i of %i by %i to %i', (current, count, step, expected) => {
  expect(nextMatch(current, count, step)).toBe(expected);
});

it('puts broken lines together for a download', () => {
  expect(textOfRows(rows)).toBe('login: root\na long line that is broken\nRoot root\n');
});
