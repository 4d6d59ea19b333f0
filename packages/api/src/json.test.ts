import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepClone, deepEqual, deepFreeze, exceedsDepth, scanJson } from './json.ts';

describe('deepEqual, deepClone, deepFreeze', () => {
  it('clone is equal and independent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = deepClone(value);
        expect(deepEqual(copy, value)).toBe(true);
        expect(copy).toEqual(value);
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  it('agrees with the text of the value', () => {
    const sorted = (value: unknown): string =>
      JSON.stringify(value, (_, v) =>
        v && typeof v === 'object' && !Array.isArray(v)
          ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
          : v,
      );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
        const [x, y] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
        expect(deepEqual(x, y)).toBe(sorted(x) === sorted(y));
      }),
    );
  });

  it('keeps a key called __proto__ as data', () => {
    const value = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const copy = deepClone(value);
    expect(Object.keys(copy)).toEqual(['__proto__', 'a']);
    expect(copy.admin).toBeUndefined();
    expect(deepEqual(copy, { a: 1 })).toBe(false);
  });

  it('freezes to the bottom', () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    expect(() => {
      value.a[0]!.b = 2;
    }).toThrow(TypeError);
  });
});

describe('scanJson', () => {
  it.each([
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"spec":{"x":1,"y":{"x":1},"x":2}}', ['spec.x']],
    ['{"spec":{"list":[{"n":1},{"n":1,"n":2}]}}', ['spec.list[1].n']],
    ['{"a":"\\"b\\":","a":"\\\\"}', ['a']],
    ['{"a":1,"\\u0061":1}', ['a']],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"a":["x","x",{"x":"a"}]}', []],
  ])('%s', (text, duplicates) => {
    expect(scanJson(text).duplicates).toEqual(duplicates);
    expect(scanJson(Buffer.from(text)).duplicates).toEqual(duplicates);
  });

  it('names a key that is repeated half a million times at the bottom of 999 levels once', () => {
    const [open, close] = ['{"a":'.repeat(998), '}'.repeat(998)];
    const text = `${open}{${'"a":1,'.repeat(500_000)}"b":1}${close}`;
    expect(scanJson(text).duplicates).toEqual([Array(999).fill('a').join('.')]);
    const heard: [string, boolean][] = [];
    scanJson(text, undefined, (key, isRepeated) => void heard.push([key, isRepeated]));
    expect(heard.slice(998)).toEqual([
      ['a', false],
      ['a', true],
      ['b', false],
    ]);
  });

  it('names a few hundred of very many objects with repeated keys', () => {
    const text = `[${Array(10_000).fill('{"a":1,"a":2}').join(',')}]`;
    expect(scanJson(text).duplicates).toHaveLength(200);
    expect(scanJson(text).duplicates.at(-1)).toBe('[199].a');
  });

  it('tells nothing of what lies below a key that is skipped, also where that key is repeated', () => {
    const heard: string[] = [];
    scanJson('{"u":{"x":1},"u":[{"y":1}],"k":{"z":1},"u":{"x":1}}', undefined, (key, _, path) => {
      heard.push(path());
      return key === 'u' ? 'skip' : undefined;
    });
    expect(heard).toEqual(['u', 'k', 'k.z']);
  });

  it('tells nothing more once it is stopped', () => {
    const heard: string[] = [];
    scanJson('{"a":1,"b":1,"c":1}', undefined, (key) => {
      heard.push(key);
      return key === 'b' ? 'stop' : undefined;
    });
    expect(heard).toEqual(['a', 'b']);
  });

  it('finds none in what JSON.stringify wrote', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => scanJson(JSON.stringify(value)).duplicates.length === 0));
  });

  it('stops at the depth limit', () => {
    expect(scanJson('['.repeat(10_000) + ']'.repeat(10_000)).tooDeep).toBe(false);
    expect(scanJson('['.repeat(10_001) + ']'.repeat(10_001)).tooDeep).toBe(true);
    expect(scanJson('{"a":[{}]}', 2).tooDeep).toBe(true);
  });

  it('survives any text', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\a1 ') }), (text) => !scanJson(text).tooDeep));
  });
});

describe('exceedsDepth', () => {
  it('counts levels of objects and lists', () => {
    expect(exceedsDepth({ a: [1] }, 2)).toBe(false);
    expect(exceedsDepth({ a: [[]] }, 2)).toBe(true);
    expect(exceedsDepth(1, 0)).toBe(false);
    expect(exceedsDepth(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)))).toBe(true);
  });
});
