import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leftOut } from './filters.ts';

it('a star in a filter stands for any text, none included', () => {
  /** What a filter means; quick enough where there are few stars. */
  const pattern = (filter: string): RegExp => new RegExp(`^${filter.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*')}$`);
  const text = (...letters: string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 7 });
  fc.assert(
    fc.property(text('a', 'b', '.'), text('a', 'b', '.', '*'), (key, filter) => {
      const isKept = pattern(filter).test(key);
      expect(leftOut([key], [filter])).toEqual(isKept ? [] : [key]);
      expect(leftOut([key], [`!${filter}`])).toEqual(isKept ? [key] : []);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['**', 'a/b', true],
  ['a*a', 'a', false],
  ['a**a', 'aa', true],
  ['a*b*', 'acbc', true],
  ['*.example.com/*', 'team.example.com/a', true],
  ['*.example.com', 'example.com', false],
])('the filter %j for the key %j', (filter, key, isKept) => {
  expect(leftOut([key], [filter])).toEqual(isKept ? [] : [key]);
});

it('a filter with many stars is compared as quickly as any other', () => {
  const [key, filter] = ['a'.repeat(63), `${'*a'.repeat(60)}*b`];
  expect(leftOut([key], [filter])).toEqual([key]);
  expect(leftOut([`${key}b`], [filter])).toEqual([]);
});
