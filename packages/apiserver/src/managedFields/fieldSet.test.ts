import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  intersection,
  pathsOf,
  recursiveDifference,
  restrictTo,
  union,
} from './fieldSet.ts';
import { keyElement, parseFieldSet, pathText } from './pathElement.ts';

const A: FieldSet = { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} };
const B: FieldSet = { 'f:a': { 'f:b': {}, 'f:d': {} } };

describe('sets of fields', () => {
  it('have unions, differences and intersections', () => {
    expect(union(A, B)).toEqual({ 'f:a': { '.': {}, 'f:b': {}, 'f:d': {} }, 'f:c': {} });
    expect(difference(A, B)).toEqual({ 'f:a': {}, 'f:c': {} });
    expect(difference(A, { 'f:a': {} })).toEqual({ 'f:a': { 'f:b': {} }, 'f:c': {} });
    expect(recursiveDifference(A, { 'f:a': {} })).toEqual({ 'f:c': {} });
    expect(intersection(A, B)).toEqual({ 'f:a': { 'f:b': {} } });
    expect(restrictTo(A, { 'f:a': { 'f:b': {} }, 'f:x': {} })).toEqual({ 'f:a': { 'f:b': {} } });
    expect(restrictTo(A, { 'f:a': {} })).toEqual({ 'f:a': { '.': {}, 'f:b': {} } });
  });

  it('are the same object where nothing changes, so that what was stored is used again', () => {
    expect(union(A, { 'f:a': { 'f:b': {} } })).toBe(A);
    expect(difference(A, { 'f:x': {} })).toBe(A);
    expect(recursiveDifference(A, { 'f:a': { 'f:x': {} } })).toBe(A);
  });

  it('are printed as in conflicts', () => {
    const set: FieldSet = {
      'f:metadata': { 'f:finalizers': { 'v:"x/y"': {} } },
      'f:spec': { 'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { 'f:name': {} } } },
    };
    expect([...pathsOf(set)].map(pathText)).toEqual([
      '.metadata.finalizers[="x/y"]',
      '.spec.ports[containerPort=80,protocol="TCP"].name',
    ]);
  });

  it('are read from what clients send, in their canonical order', () => {
    expect(JSON.stringify(parseFieldSet({ 'v:1': {}, 'f:b': {}, 'f:a': { 'f:x': {}, '.': {} } }))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"v:1":{}}',
    );
    expect(parseFieldSet({ 'k:{"b": 1, "a": 2}': {} })).toEqual({
      [keyElement([
        ['a', 2],
        ['b', 1],
      ])]: {},
    });
    for (const wrong of [{ a: {} }, { 'f:a': 1 }, { 'k:[': {} }, { 'v:x': {} }, { 'i:x': {} }, { 'x:a': {} }, []])
      expect(parseFieldSet(wrong)).toBeUndefined();
  });

  const below = (node: fc.Arbitrary<object>): fc.Arbitrary<object> =>
    fc.dictionary(fc.constantFrom('f:a', 'f:b', 'v:1', '.'), node, { maxKeys: 4 });
  const arbitrary = below(below(below(fc.constant({})))).map((set) => parseFieldSet(set) as FieldSet);
  const members = (set: FieldSet): Set<string> => new Set([...pathsOf(set)].map((path) => path.join('\n')));

  it('law: they are sets of paths', () => {
    fc.assert(
      fc.property(arbitrary, arbitrary, (a, b) => {
        const [left, right] = [members(a), members(b)];
        expect(members(union(a, b))).toEqual(new Set([...left, ...right]));
        expect(members(difference(a, b))).toEqual(new Set([...left].filter((path) => !right.has(path))));
        expect(members(intersection(a, b))).toEqual(new Set([...left].filter((path) => right.has(path))));
        expect(parseFieldSet(union(a, b))).toEqual(union(a, b));
      }),
    );
  });
});
