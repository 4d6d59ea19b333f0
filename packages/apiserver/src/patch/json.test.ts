import { ApiError } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import { applyJsonPatch } from '@vireo/api/jsonPatch.ts';
import fc from 'fast-check';
import { createPatch } from 'rfc6902';
import { describe, expect, it } from 'vitest';

const doc = deepFreeze({ a: { b: 1 }, list: ['x', 'y'], 'sl/ash': 0, 'ti~lde': 0 });

describe('applyJsonPatch', () => {
  it.each([
    [[], doc],
    [[{ op: 'add', path: '/a/c', value: 2 }], { ...doc, a: { b: 1, c: 2 } }],
    [[{ op: 'add', path: '/list/1', value: 'z' }], { ...doc, list: ['x', 'z', 'y'] }],
    [[{ op: 'add', path: '/list/-', value: 'z' }], { ...doc, list: ['x', 'y', 'z'] }],
    [[{ op: 'add', path: '/list/2', value: 'z' }], { ...doc, list: ['x', 'y', 'z'] }],
    [[{ op: 'add', path: '/n' }], { ...doc, n: null }],
    [[{ op: 'remove', path: '/list/0' }], { ...doc, list: ['y'] }],
    [[{ op: 'replace', path: '/sl~1ash', value: 1 }], { ...doc, 'sl/ash': 1 }],
    [[{ op: 'replace', path: '/ti~0lde', value: 1 }], { ...doc, 'ti~lde': 1 }],
    [[{ op: 'replace', path: '', value: { new: true } }], { new: true }],
    [[{ op: 'move', from: '/a/b', path: '/b' }], { ...doc, a: {}, b: 1 }],
    [[{ op: 'copy', from: '/a', path: '/a/self' }], { ...doc, a: { b: 1, self: { b: 1 } } }],
    [[{ op: 'test', path: '/a', value: { b: 1 } }], doc],
    [[{ op: 'test', path: '/a/missing', value: null }], doc],
    [[{ op: 'test', path: '/a/missing' }], doc],
    [[{ op: 'test', path: '', value: doc }], doc],
    // Where Kubernetes differs from the RFC, and clients rely on it.
    [[{ op: 'replace', path: '/a/c', value: 2 }], { ...doc, a: { b: 1, c: 2 } }],
    [[{ op: 'replace', path: '/n' }], { ...doc, n: null }],
    [[{ op: 'copy', from: '/a/missing', path: '/n' }], { ...doc, n: null }],
    [[{ op: 'add', path: '/list/-1', value: 'z' }], { ...doc, list: ['x', 'y', 'z'] }],
    [[{ op: 'add', path: '/list/-3', value: 'z' }], { ...doc, list: ['z', 'x', 'y'] }],
    [[{ op: 'replace', path: '/list/-1', value: 'z' }], { ...doc, list: ['x', 'z'] }],
    [[{ op: 'remove', path: '/list/-2' }], { ...doc, list: ['y'] }],
    [[{ op: 'test', path: '/list/-1', value: 'y' }], doc],
    [[{ op: 'remove', path: '/list/01' }], { ...doc, list: ['x'] }],
    [[{ op: 'add', path: 'anything/n', value: 1 }], { ...doc, n: 1 }],
    [[{ op: 'move', from: '/a', path: '/a' }], doc],
  ])('%j', (patch, expected) => {
    expect(applyJsonPatch(doc, deepFreeze(patch))).toEqual(expected);
  });

  it.each([
    ['not a list', {}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [
      'an operation that is no object',
      ['add'],
      'json: cannot unmarshal string into Go value of type handlers.jsonPatchOp',
    ],
    [
      'a path that is no text',
      [{ op: 'add', path: 1 }],
      'cannot unmarshal number into Go struct field jsonPatchOp.path',
    ],
  ])('answers 400 to %s', (_, patch, text) => {
    expect(() => applyJsonPatch(doc, patch)).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(text) }),
    );
  });

  it.each([
    ['no operation', [{ path: '/a' }], 'Unexpected kind: unknown'],
    ['an unknown operation', [{ op: 'frobnicate', path: '/a' }], 'Unexpected kind: frobnicate'],
    ['no path', [{ op: 'add', value: 1 }], 'add operation failed to decode path'],
    ['no source', [{ op: 'copy', path: '/a' }], 'copy operation failed to decode from'],
    ['a path without a slash', [{ op: 'add', path: 'a', value: 1 }], 'doc is missing path: "a"'],
    ['a failed test', [{ op: 'test', path: '/a/b', value: 2 }], 'testing value /a/b failed'],
    ['a test below what is missing', [{ op: 'test', path: '/x/y', value: null }], 'doc is missing path: "/x/y"'],
    ['removing what is missing', [{ op: 'remove', path: '/a/x' }], 'Unable to remove nonexistent key: x'],
    ['moving what is missing', [{ op: 'move', from: '/a/x', path: '/y' }], 'Unable to remove nonexistent key: x'],
    ['a missing parent', [{ op: 'add', path: '/x/y', value: 1 }], 'missing path: "/x/y"'],
    ['a missing parent of a replace', [{ op: 'replace', path: '/x/y', value: 1 }], 'missing path: "/x/y"'],
    ['a missing parent of a copy', [{ op: 'copy', from: '/x/y', path: '/z' }], 'missing path: "/x/y"'],
    ['an index out of range', [{ op: 'add', path: '/list/3', value: 1 }], 'invalid index: 3'],
    ['an index out of range below', [{ op: 'remove', path: '/list/-3' }], 'invalid index: -3'],
    ['an index that is none', [{ op: 'remove', path: '/list/one' }], 'invalid index: one'],
    ['a replace past the end', [{ op: 'replace', path: '/list/-', value: 1 }], 'invalid index: -'],
    ['a move into itself', [{ op: 'move', from: '/a', path: '/a/b' }], 'doc is missing path: "/a/b"'],
    ['removing everything', [{ op: 'remove', path: '' }], 'missing path: ""'],
    ['a document that is a number', [{ op: 'replace', path: '', value: 1 }], 'must be object or array'],
    ['inherited keys', [{ op: 'test', path: '/constructor/name', value: 'Object' }], 'missing path'],
  ])('answers 422 in the words of Kubernetes to %s, and keeps the reason', (_, patch, why) => {
    expect(() => applyJsonPatch(doc, patch)).toThrow(
      expect.objectContaining({
        code: 422,
        message: 'the server rejected our request due to an error in our request',
        why: expect.stringContaining(why),
      }),
    );
  });

  it('takes 10 000 operations and not one more', () => {
    const patch = Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/a/b', value: 1 }));
    expect(applyJsonPatch(doc, patch)).toEqual(doc);
    expect(() => applyJsonPatch(doc, [...patch, patch[0]])).toThrow(
      /maximum operations in a JSON patch is 10000, got 10001/,
    );
  });

  it('bounds what copies may add up to', () => {
    const patch = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/all', path: `/all/copy${i}` }));
    expect(() => applyJsonPatch({ doc, all: {} }, patch)).toThrow(
      expect.objectContaining({ why: expect.stringContaining('copy more than') }),
    );
  });

  it('bounds how deep copies may nest', () => {
    const patch = Array.from({ length: 12 }, (_, i) => ({ op: 'copy', from: '/a', path: '/a'.repeat(2 ** i) }));
    expect(() => applyJsonPatch({ a: {} }, patch)).toThrow(ApiError);
  });

  it('writes __proto__ as an ordinary key', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { admin: true } }]);
    expect(Object.keys(result as object)).toEqual(['__proto__']);
    expect((result as { admin?: boolean }).admin).toBeUndefined();
  });

  it('law: a patch made by diff turns one document into the other, leaving both alone', () => {
    const json = fc
      .jsonValue({ maxDepth: 3, depthSize: 'small' })
      .map((value) => JSON.parse(JSON.stringify({ value })));
    fc.assert(
      fc.property(json, json, (from, to) => {
        deepFreeze(from);
        expect(applyJsonPatch(from, createPatch(from, to))).toEqual(to);
      }),
      { numRuns: 100 },
    );
  });

  it('law: hostile patches throw ApiError or nothing', () => {
    const pointer = fc
      .array(fc.constantFrom('a', 'b', 'list', '0', '1', '-', '-1', '__proto__', 'constructor'))
      .map((t) => t.map((x) => `/${x}`).join(''));
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'nonsense'),
      path: fc.oneof(pointer, fc.jsonValue()),
      from: pointer,
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (patch) => {
        try {
          applyJsonPatch(doc, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});
