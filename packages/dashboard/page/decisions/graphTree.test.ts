import { expect, it } from 'vitest';
import { graphLines } from './graph.ts';
import { problemLines, treeMove, visibleItems } from './graphTree.ts';

const object = (name: string) => ({ objectReference: { kind: 'Thing', name } });
const lines = graphLines({
  ...object('web'),
  children: [
    { ...object('disk'), children: [{ ...object('claim') }] },
    { ...object('keys'), status: 'missing' },
    { ...object('extra'), status: 'missing', optional: true },
  ],
});
const names = (items: readonly { name: string }[]): string[] => items.map(({ name }) => name);

it('what is collapsed hides what is below it', () => {
  expect(names(visibleItems(lines, new Set()))).toEqual(['web', 'disk', 'claim', 'keys', 'extra']);
  const items = visibleItems(lines, new Set(['0.0']));
  expect(items.map(({ name, isExpanded }) => [name, isExpanded])).toEqual([
    ['web', true],
    ['disk', false],
    ['keys', undefined],
    ['extra', undefined],
  ]);
});

it('only problems leaves out what is well, and what is optional', () => {
  expect(names(problemLines(lines))).toEqual(['web', 'keys']);
});

it.each([
  ['0', 'ArrowDown', { focus: '0.0' }],
  ['0.0', 'ArrowLeft', { collapse: '0.0' }],
  ['0.0.0', 'ArrowLeft', { focus: '0.0' }],
  ['0.0', 'ArrowRight', { focus: '0.0.0' }],
  ['0.1', 'ArrowRight', undefined],
  ['0.1', 'End', { focus: '0.2' }],
  ['0.2', 'Home', { focus: '0' }],
  ['0.2', 'ArrowDown', undefined],
])('at %s the key %s does %j', (at, key, move) => {
  expect(treeMove(visibleItems(lines, new Set()), at, key)).toEqual(move);
});

it('the right arrow opens what is collapsed', () => {
  expect(treeMove(visibleItems(lines, new Set(['0.0'])), '0.0', 'ArrowRight')).toEqual({ expand: '0.0' });
});
