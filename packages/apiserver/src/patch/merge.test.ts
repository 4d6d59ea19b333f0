import { mergePatchBetween } from '@vireo/api';
import { deepEqual, deepFreeze, type JsonObject } from '@vireo/api/json.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch } from './merge.ts';

describe('applyMergePatch', () => {
  // The table of RFC 7386, appendix A, as far as the patch is an object.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j', (current, patch, expected) => {
    expect(applyMergePatch(deepFreeze(current), deepFreeze(patch))).toEqual(expected);
  });

  it('refuses the patch null', () => {
    expect(() => applyMergePatch({}, null)).toThrow(/^Invalid JSON Patch$/);
  });

  it.each([[[]], ['text'], [3]])('refuses the patch %j', (patch) => {
    expect(() => applyMergePatch({}, patch)).toThrow(
      /^error decoding patch: json: cannot unmarshal \w+ into Go value of type map\[string\]interface \{\}$/,
    );
  });

  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
  const object: fc.Arbitrary<JsonObject> = fc.letrec((tie) => ({
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.oneof({ maxDepth: 3 }, leaf, tie('object')), {
      noNullPrototype: true,
    }),
  })).object as fc.Arbitrary<JsonObject>;

  it.each<[string, unknown, unknown, unknown]>([
    ['goes from objects in a list', {}, [{ a: null, b: [{ c: null }, null] }, null], [{ b: [{}, null] }, null]],
    ['goes from a list in place of a list', { x: [1] }, [{ a: null }], [{}]],
    ['stays in a list in place of an object', { x: {} }, [{ a: null }], [{ a: null }]],
  ])('null %s', (_, current, list, expected) => {
    expect(applyMergePatch(current, { x: list })).toEqual({ x: expected });
  });

  it('law: the empty patch changes nothing', () => {
    fc.assert(fc.property(object, (current) => deepEqual(applyMergePatch(current, {}), current)));
  });

  it('law: the changes between two objects turn one into the other', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        deepFreeze(from);
        expect(deepEqual(applyMergePatch(from, mergePatchBetween(from, to) ?? {}), to)).toBe(true);
      }),
    );
  });

  it('law: applying a patch twice is applying it once', () => {
    fc.assert(
      fc.property(object, object, (current, patch) => {
        const once = applyMergePatch(current, patch);
        expect(deepEqual(applyMergePatch(once, patch), once)).toBe(true);
      }),
    );
  });
});
