import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { expect, it } from 'vitest';
import { jsonPatch } from './jsonPatch.ts';

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value));

it('makes of one object the other', () => {
  const object = fc.dictionary(
    fc.constantFrom('a', 'b', 'a/b', 'c~d'),
    fc.jsonValue({ maxDepth: 3, noUnicodeString: true }),
  );
  fc.assert(
    fc.property(object, object, (before, after) => {
      const target = { root: clone(before) };
      const errors = applyPatch(target.root, clone(jsonPatch(clone(before), clone(after))));
      expect(errors.filter(Boolean)).toEqual([]);
      expect(target.root).toEqual(clone(after));
    }),
  );
});

it('says nothing where nothing changed', () => {
  expect(jsonPatch({ a: [{ b: 1 }] }, { a: [{ b: 1 }] })).toEqual([]);
});

it('leaves the rest of a list alone', () => {
  expect(
    jsonPatch({ disks: [{ name: 'a' }, { name: 'b' }] }, { disks: [{ name: 'a' }, { name: 'b', bus: 'sata' }] }),
  ).toEqual([{ op: 'add', path: '/disks/1/bus', value: 'sata' }]);
});
