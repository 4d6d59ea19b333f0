import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { expect, it } from 'vitest';
import { jsonPatch } from './jsonPatch.ts';

const clone = <T>(value: T): T => JSON.parse(JSON.stringify(value));

it('a JSON patch turns one object into the other', () => {
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

it('a JSON patch between equal objects is empty', () => {
  expect(jsonPatch({ a: [{ b: 1 }] }, { a: [{ b: 1 }] })).toEqual([]);
});

it('a JSON patch leaves the rest of a list alone', () => {
  expect(
    jsonPatch({ disks: [{ name: 'a' }, { name: 'b' }] }, { disks: [{ name: 'a' }, { name: 'b', bus: 'sata' }] }),
  ).toEqual([{ op: 'add', path: '/disks/1/bus', value: 'sata' }]);
});
