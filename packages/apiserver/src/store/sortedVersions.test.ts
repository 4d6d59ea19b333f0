import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SortedVersions } from './sortedVersions.ts';
import { StoredVersion } from './stored.ts';

const version = (key: string, revision = 1) => new StoredVersion(key, revision, 1, Buffer.alloc(0));

function keysOf(sorted: SortedVersions, from = '', to?: string, most = Number.POSITIVE_INFINITY): string[] {
  const found: StoredVersion[] = [];
  sorted.collect(from, to, found, most);
  return found.map(({ key }) => key);
}

/** More than one piece holds, in an order that splits pieces everywhere. */
const many = Array.from({ length: 3_000 }, (_, i) => `key-${(i * 7919) % 3_000}`);

it('keeps many keys in order, whatever order they come in', () => {
  const sorted = new SortedVersions();
  for (const key of many) sorted.put(version(key));
  expect(keysOf(sorted)).toEqual([...many].sort());
  for (const key of many.slice(0, 2_900)) sorted.remove(key);
  expect(keysOf(sorted)).toEqual(many.slice(2_900).sort());
  for (const key of many) sorted.remove(key);
  expect(keysOf(sorted)).toEqual([]);
  expect(sorted.count('', undefined)).toBe(0);
});

it('has one version of each key, the last', () => {
  const sorted = new SortedVersions();
  for (const key of many) sorted.put(version(key, 1));
  for (const key of many) sorted.put(version(key, 2));
  const found: StoredVersion[] = [];
  sorted.collect('', undefined, found, Number.POSITIVE_INFINITY);
  expect(found).toHaveLength(many.length);
  expect(found.every(({ revision }) => revision === 2)).toBe(true);
});

it('finds ranges as a plain sorted list would', () => {
  const sorted = new SortedVersions();
  for (const key of many) sorted.put(version(key));
  const bound = fc.oneof(fc.constantFrom(...many), fc.constantFrom('', 'a', 'key-', 'key-15', 'key-9999', 'z'));
  const property = fc.property(bound, fc.option(bound, { nil: undefined }), fc.nat(1_500), (from, to, most) => {
    const expected = [...many].sort().filter((key) => key >= from && (to === undefined || key < to));
    expect(keysOf(sorted, from, to, most)).toEqual(expected.slice(0, most));
    expect(sorted.count(from, to)).toBe(expected.length);
  });
  fc.assert(property, { numRuns: 60 });
});
