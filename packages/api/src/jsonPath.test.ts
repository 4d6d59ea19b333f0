import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJsonPath, setAtPath } from './jsonPath.ts';

const object = {
  metadata: { name: 'x', annotations: { 'example.com/a.b': 'dotted' } },
  spec: { replicas: 3, list: ['a', 'b', 'c'], items: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 5 },
      { type: 'Paused', status: 'False', weight: 1 },
    ],
  },
};

describe('compileJsonPath', () => {
  it.each([
    ['.spec.replicas', [3]],
    ['{.spec.replicas}', [3]],
    ['$.spec.replicas', [3]],
    ['spec.replicas', [3]],
    ["['spec']['replicas']", [3]],
    ['.spec["replicas"]', [3]],
    ['.metadata.annotations.example\\.com/a\\.b', ['dotted']],
    [".metadata.annotations['example.com/a.b']", ['dotted']],
    ['.spec.list[0]', ['a']],
    ['.spec.list[-1]', ['c']],
    ['.spec.list[-1:]', ['c']],
    ['.spec.list[1:]', ['b', 'c']],
    ['.spec.list[0:2]', ['a', 'b']],
    ['.spec.list[::2]', ['a', 'c']],
    ['.spec.list[0,2]', ['a', 'c']],
    ['.spec.list[*]', ['a', 'b', 'c']],
    ['.spec.items[*].n', [1, 2, 3]],
    ['.metadata.*', ['x', { 'example.com/a.b': 'dotted' }]],
    ['..n', [1, 2, 3]],
    ['.status..status', ['True', 'False']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type == 'Paused')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Paused']],
    ['.status.conditions[?(@.weight>1)].type', ['Ready']],
    ['.status.conditions[?(@.weight<=1)].type', ['Paused']],
    ['.status.conditions[?(@.missing)].type', []],
    ['.spec.items[?(@.n == $.spec.replicas)].n', [3]],
    ['.nothing.here[0]', []],
    ['.constructor', []],
    ['.', [object]],
    ['', [object]],
  ])('%s', (path, expected) => {
    expect(compileJsonPath(path)(object)).toEqual(expected);
  });

  it.each(['.spec[', '.spec[x]', '.a..', '.a.', ".a['b", '.a b', '.a[::0]', '.a[?(b)]', `.${'a'.repeat(3000)}`])(
    'refuses %j',
    (path) => {
      expect(() => compileJsonPath(path)).toThrow(/^invalid JSONPath/);
    },
  );

  it('law: any text is compiled or refused, and what is compiled runs', () => {
    const unit = fc.constantFrom(
      '.',
      '[',
      ']',
      '*',
      '?',
      '(',
      ')',
      '@',
      '$',
      'a',
      '0',
      '-',
      ':',
      ',',
      "'",
      '"',
      '=',
      '\\',
      '{',
      '}',
    );
    fc.assert(
      fc.property(fc.string({ unit }), (path) => {
        let compiled: ReturnType<typeof compileJsonPath>;
        try {
          compiled = compileJsonPath(path);
        } catch (error) {
          expect((error as Error).message).toMatch(/^invalid JSONPath/);
          return;
        }
        expect(Array.isArray(compiled(object))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('setAtPath', () => {
  it('sets what a plain path leads to', () => {
    const draft = { spec: { replicas: 1, other: 2 } };
    setAtPath(draft, '.spec.replicas', 5);
    expect(draft).toEqual({ spec: { replicas: 5, other: 2 } });
    setAtPath(draft, '.status.a.b', 1);
    expect(draft).toEqual({ spec: { replicas: 5, other: 2 }, status: { a: { b: 1 } } });
  });

  it.each(['.spec[0]', '..a', '.'])('refuses %s', (path) => {
    expect(() => setAtPath({}, path, 1)).toThrow(/not a plain path/);
  });
});
