import { ApiError } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import { ObjectMeta } from '@vireo/api/meta.ts';
import { int32, list, map, opt, req, string, struct } from '@vireo/api/schema.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStrategicMergePatch } from './strategic.ts';

const Port = struct('Port', '', { containerPort: req(1, int32), name: opt(2, string) });
const Container = struct('Container', '', {
  name: req(1, string),
  image: opt(2, string),
  args: opt(3, list(string)),
  ports: opt(4, list(Port), { patch: 'merge', key: 'containerPort' }),
});
const Strategy = struct('Strategy', '', { type: opt(1, string), rollingUpdate: opt(2, map(string)) });
const schema = struct('Thing', '', {
  metadata: opt(1, ObjectMeta),
  spec: opt(
    2,
    struct('ThingSpec', '', {
      containers: opt(1, list(Container), { patch: 'merge', key: 'name' }),
      strategy: opt(2, Strategy, { patch: 'retainKeys' }),
      nodeSelector: opt(3, map(string)),
      whole: opt(4, Strategy, { patch: 'replace' }),
    }),
  ),
});

const apply = (current: unknown, patch: unknown) =>
  applyStrategicMergePatch(deepFreeze(current), deepFreeze(patch), schema);
const spec = (current: unknown, patch: unknown) =>
  (apply({ spec: current }, { spec: patch }) as { spec: unknown }).spec;
const containers = (current: unknown[], ...patch: unknown[]) =>
  (spec({ containers: current }, { containers: patch }) as { containers: unknown[] }).containers;
const [a, b, c] = [
  { name: 'a', image: '1' },
  { name: 'b', image: '1' },
  { name: 'c', image: '1' },
];

describe('fields', () => {
  it.each([
    [
      'sets and removes map entries',
      { nodeSelector: { x: '1', y: '2' } },
      { nodeSelector: { y: null, z: '3' } },
      { nodeSelector: { x: '1', z: '3' } },
    ],
    [
      'replaces a map',
      { nodeSelector: { x: '1' } },
      { nodeSelector: { $patch: 'replace', z: '3' } },
      { nodeSelector: { z: '3' } },
    ],
    ['empties a map', { nodeSelector: { x: '1' } }, { nodeSelector: { $patch: 'delete' } }, { nodeSelector: {} }],
    [
      'merges where asked to',
      { nodeSelector: { x: '1' } },
      { nodeSelector: { $patch: 'merge', z: '3' } },
      { nodeSelector: { x: '1', z: '3' } },
    ],
    [
      'keeps only the keys named',
      { strategy: { type: 'Rolling', rollingUpdate: { max: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'replaces what the schema says to',
      { whole: { type: 'a', rollingUpdate: {} } },
      { whole: { type: 'b' } },
      { whole: { type: 'b' } },
    ],
    [
      'drops nulls and directives from what is new',
      {},
      { strategy: { $retainKeys: ['type'], type: 'x' }, nodeSelector: { a: null } },
      { strategy: { type: 'x' }, nodeSelector: {} },
    ],
  ])('%s', (_, current, patch, expected) => {
    expect(spec(current, patch)).toEqual(expected);
  });
});

describe('lists of objects', () => {
  it.each([
    ['merges by key', [a, b], [{ name: 'b', image: '2' }], [a, { name: 'b', image: '2' }]],
    ['puts new elements before what is left, as Kubernetes does', [a, b], [c], [c, a, b]],
    ['follows the order of the patch', [a, b, c], [c, a], [b, c, a]],
    ['deletes by key', [a, b], [{ $patch: 'delete', name: 'a' }], [b]],
    ['deletes what is not there without complaint', [a], [{ $patch: 'delete', name: 'z' }], [a]],
    ['replaces the list', [a, b], [{ $patch: 'replace' }, c], [c]],
    ['removes a field of an element', [a], [{ name: 'a', image: null }], [{ name: 'a' }]],
    [
      'replaces a list without a key',
      [{ name: 'a', args: ['x', 'y'] }],
      [{ name: 'a', args: ['z'] }],
      [{ name: 'a', args: ['z'] }],
    ],
    [
      'merges inside',
      [{ name: 'a', ports: [{ containerPort: 1 }] }],
      [{ name: 'a', ports: [{ containerPort: 1, name: 'p' }] }],
      [{ name: 'a', ports: [{ containerPort: 1, name: 'p' }] }],
    ],
    [
      'merges two entries of the patch with one key',
      [],
      [a, { name: 'a', args: [] }],
      [{ name: 'a', image: '1', args: [] }],
    ],
  ])('%s', (_, current, patch, expected) => {
    expect(containers(current, ...patch)).toEqual(expected);
  });

  it('orders as $setElementOrder says, the rest staying where it was', () => {
    const order = (...names: string[]) => names.map((name) => ({ name }));
    expect(spec({ containers: [a, b, c] }, { '$setElementOrder/containers': order('c', 'a') })).toEqual({
      containers: [b, c, a],
    });
    expect(
      spec({ containers: [a, b] }, { '$setElementOrder/containers': order('a', 'c', 'b'), containers: [c] }),
    ).toEqual({ containers: [a, c, b] });
    expect(
      spec(
        { containers: [a, b] },
        { '$setElementOrder/containers': order('b'), containers: [{ $patch: 'delete', name: 'a' }] },
      ),
    ).toEqual({ containers: [b] });
  });
});

describe('lists of plain values', () => {
  const finalizers = (current: string[], patch: object) =>
    (apply({ metadata: { finalizers: current } }, { metadata: patch }) as { metadata: { finalizers: string[] } })
      .metadata.finalizers;
  it.each([
    ['adds', ['x'], { finalizers: ['y'] }, ['y', 'x']],
    ['adds nothing twice', ['x', 'y'], { finalizers: ['y'] }, ['x', 'y']],
    ['deletes', ['x', 'y'], { '$deleteFromPrimitiveList/finalizers': ['x'] }, ['y']],
    ['orders', ['x', 'y'], { '$setElementOrder/finalizers': ['y', 'x'] }, ['y', 'x']],
    [
      'deletes and adds',
      ['x', 'y'],
      { '$deleteFromPrimitiveList/finalizers': ['x'], '$setElementOrder/finalizers': ['y', 'z'], finalizers: ['z'] },
      ['y', 'z'],
    ],
  ])('%s', (_, current, patch, expected) => {
    expect(finalizers(current, patch)).toEqual(expected);
  });
});

describe('refusals', () => {
  it.each([
    [[], /^json: cannot unmarshal array into Go value of type map/],
    [{ spec: { $patch: 'nonsense' } }, /unknown patch type: "nonsense" in map/],
    [{ spec: { containers: [{ image: 'x' }] } }, /map: \{"image":"x"\} does not contain declared merge key: name/],
    [{ spec: { containers: [{ $patch: 'delete' }] } }, /does not contain declared merge key: name/],
    [{ spec: { containers: [{ $patch: 'merge', name: 'a' }] } }, /merging lists cannot yet be specified/],
    [{ spec: { containers: [['x']] } }, /lists of lists are not supported/],
    [{ spec: { strategy: { $retainKeys: 'type' } } }, /invalid patch format of retainKeys/],
    [{ spec: { strategy: { $retainKeys: [], type: 'x' } } }, /invalid patch format of retainKeys: field "type"/],
    [{ metadata: { '$setElementOrder/finalizers': 'x' } }, /invalid patch format of setElementOrder list/],
    [{ metadata: { '$deleteFromPrimitiveList/finalizers': {} } }, /invalid patch format of primitive list/],
    [
      { metadata: { '$setElementOrder/finalizers': ['a', 'b'], finalizers: ['b', 'a'] } },
      /doesn't match \$setElementOrder/,
    ],
  ])('%j', (patch, text) => {
    expect(() => apply({ metadata: { finalizers: ['q'] }, spec: { containers: [a] } }, patch)).toThrow(text);
  });
});

describe('laws', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const container = fc.record(
    { name, image: fc.constantFrom('1', '2'), args: fc.array(name) },
    { requiredKeys: ['name'] },
  );
  const set = fc.uniqueArray(container, { selector: (x) => x.name });
  const thing = fc.record({
    metadata: fc.record({
      finalizers: fc.uniqueArray(name),
      labels: fc.dictionary(name, name, { noNullPrototype: true }),
    }),
    spec: fc.record({ containers: set, strategy: fc.record({ type: name }) }),
  });

  it('the empty patch changes nothing', () => {
    fc.assert(
      fc.property(thing, (x) => {
        expect(apply(x, {})).toEqual(x);
      }),
    );
  });

  it('a patch applied twice is a patch applied once', () => {
    fc.assert(
      fc.property(thing, thing, (x, patch) => {
        const once = apply(x, patch);
        expect(apply(once, patch)).toEqual(once);
      }),
    );
  });

  it('patches of different elements commute, but for the order', () => {
    const byName = (x: unknown) => (x as { name: string }[]).toSorted((l, r) => l.name.localeCompare(r.name));
    fc.assert(
      fc.property(set, container, container, (x, p, q) => {
        fc.pre(p.name !== q.name);
        expect(byName(containers(containers(x, p), q))).toEqual(byName(containers(containers(x, q), p)));
      }),
    );
  });

  it('$setElementOrder that names everything is the order of the result', () => {
    fc.assert(
      fc.property(set, set, fc.func(fc.integer()), (x, patch, rank) => {
        const names = [...new Set([...x, ...patch].map((item) => item.name))].sort((l, r) => rank(l) - rank(r));
        const sorted = patch.toSorted((l, r) => names.indexOf(l.name) - names.indexOf(r.name));
        const order = names.map((item) => ({ name: item }));
        const result = spec({ containers: x }, { containers: sorted, '$setElementOrder/containers': order });
        expect((result as { containers: { name: string }[] }).containers.map((item) => item.name)).toEqual(names);
      }),
    );
  });

  it('hostile patches throw ApiError or nothing', () => {
    const key = fc.constantFrom(
      'spec',
      'metadata',
      'containers',
      'finalizers',
      'name',
      '$patch',
      '$retainKeys',
      '__proto__',
      '$setElementOrder/containers',
      '$deleteFromPrimitiveList/finalizers',
    );
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('a', 'replace', 'delete', null, 1),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true }), thing, (patch, x) => {
        try {
          apply(x, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
