import type { Schema } from '@vireo/api';
import { objectFields } from '@vireo/api/meta.ts';
import { schemaFromJson } from '@vireo/api/openapi.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppliedObject, typedBy } from '../testing/appliedObject.ts';
import { entryOf } from './managers.ts';
import { trackUpdate } from './update.ts';

const itemsByName = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, value: { type: 'integer' }, note: { type: 'string' } },
  },
};
const PROPERTIES = {
  text: { type: 'string' },
  count: { type: 'integer' },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
  list: { type: 'array', items: { type: 'string' } },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  items: itemsByName,
  ports: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
    items: {
      type: 'object',
      properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: { type: 'string' } },
    },
  },
  struct: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

function schemaOf(properties: object): Schema {
  const schema = schemaFromJson({ type: 'object', properties } as Parameters<typeof schemaFromJson>[0]);
  return { ...schema, properties: { ...schema.properties, ...objectFields } };
}

const typed = typedBy({ v1: schemaOf(PROPERTIES) });
const thing = (): AppliedObject => new AppliedObject(typed);

describe('who owns what after an apply', () => {
  it.each<[string, object, object]>([
    ['scalars', { text: 'a', count: 1 }, { 'f:text': {}, 'f:count': {} }],
    ['keys of maps', { labels: { a: '1' } }, { 'f:labels': { 'f:a': {} } }],
    ['an atomic map', { whole: { a: '1' } }, { 'f:whole': {} }],
    ['an atomic list', { list: ['a'] }, { 'f:list': {} }],
    ['items of a set', { set: ['a', 'b'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    [
      'items by key',
      { items: [{ name: 'x', value: 1 }] },
      { 'f:items': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:value': {} } } },
    ],
    [
      'items by a key that has a default',
      { ports: [{ port: 80 }] },
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    ],
    ['fields of structs', { struct: { a: 'x' } }, { 'f:struct': { 'f:a': {} } }],
    ['a struct without anything in it', { struct: {} }, { 'f:struct': {} }],
    ['a granular list without anything in it', { items: [], text: 'a' }, { 'f:text': {} }],
    [
      'what the schema does not know: maps by key, lists as a whole',
      { free: { a: { b: 1 }, c: [1] } },
      { 'f:free': { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} } },
    ],
  ])('%s', (_, fields, owned) => {
    expect(thing().apply('me', fields).owners).toEqual({ me: owned });
  });
});

describe('who owns what after an update', () => {
  it('the writer of a new object owns all of it, and the structs that it brought', () => {
    expect(thing().update('me', { struct: { a: 'x' }, labels: { k: 'v' }, items: [{ name: 'x' }] }).owners).toEqual({
      me: {
        'f:items': { '.': {}, 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
        'f:labels': { '.': {}, 'f:k': {} },
        'f:struct': { '.': {}, 'f:a': {} },
      },
    });
  });

  it('the last writer of a field owns it, and whoever removes one owns nothing of it', () => {
    const object = thing().update('one', { text: 'a', count: 1 }).update('two', { text: 'b', count: 1 });
    expect(object.owners).toEqual({ one: { 'f:count': {} }, two: { 'f:text': {} } });
    expect(object.update('three', { text: 'b' }).owners).toEqual({ two: { 'f:text': {} } });
  });

  it('a write of the status does not look at the rest of the object', () => {
    const unseen = () => new Proxy({}, { ownKeys: () => expect.unreachable('it is not looked at') });
    const object = (phase: string) => ({
      ...{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: {} },
      ...{ spec: unseen(), status: { phase } },
    });
    const at = typedBy({ v1: schemaOf({ status: PROPERTIES.free, spec: PROPERTIES.free }) });
    const name = { manager: 'me', operation: 'Update', apiVersion: 'example.com/v1', subresource: 'status' } as const;
    const [entry] = trackUpdate(at, object('a'), object('b'), [entryOf(name, { 'f:x': {} }, undefined)], name);
    expect(entry?.fieldsV1).toEqual({ 'f:status': { 'f:phase': {} }, 'f:x': {} });
  });

  it('an item that is there twice is one field', () => {
    const twice = [
      { name: 'x', value: 1 },
      { name: 'x', value: 2 },
    ];
    expect(thing().update('me', { text: 'a' }).update('you', { text: 'a', items: twice }).owners.you).toEqual({
      'f:items': { '.': {}, 'k:{"name":"x"}': {} },
    });
  });

  it('more than ten writers become one entry for the oldest', () => {
    const object = thing();
    const names = Array.from({ length: 12 }, (_, i) => `writer-${String(i).padStart(2, '0')}`);
    names.forEach((name, i) => {
      const labels = Object.fromEntries(names.slice(0, i + 1).map((each) => [each, 'x']));
      object.update(name, { labels });
    });
    const { 'ancient-changes': ancient, ...others } = object.owners;
    expect(Object.keys(others)).toEqual(names.slice(3));
    expect(ancient).toEqual({ 'f:labels': { '.': {}, 'f:writer-00': {}, 'f:writer-01': {}, 'f:writer-02': {} } });
  });
});

describe('an apply', () => {
  it('removes what its manager no longer applies, and nothing else', () => {
    const object = thing().apply('one', { text: 'a', count: 1, labels: { a: '1', b: '1' } });
    object.apply('two', { labels: { b: '1', c: '1' } }).apply('one', { text: 'a', labels: { a: '1' } });
    expect(object.fields).toEqual({ text: 'a', labels: { a: '1', b: '1', c: '1' } });
    expect(object.owners).toEqual({
      one: { 'f:labels': { 'f:a': {} }, 'f:text': {} },
      two: { 'f:labels': { 'f:b': {}, 'f:c': {} } },
    });
  });

  it('keeps an item that somebody else applies too, with what is theirs', () => {
    const object = thing().apply('one', { items: [{ name: 'x', value: 1 }, { name: 'y' }] });
    object.apply('two', { items: [{ name: 'x', note: 'mine' }] }).apply('one', { text: 'a' });
    expect(object.fields).toEqual({ text: 'a', items: [{ name: 'x', note: 'mine' }] });
  });

  it('shares what it sets to the value that is there', () => {
    const object = thing().apply('one', { text: 'a' }).apply('two', { text: 'a' });
    expect(object.owners).toEqual({ one: { 'f:text': {} }, two: { 'f:text': {} } });
    expect(object.apply('one', { count: 1 }).fields).toEqual({ text: 'a', count: 1 });
  });

  it('takes over what was there before anybody applied', () => {
    const object = thing().update('someone', { text: 'a', count: 1 });
    expect(() => object.apply('me', { text: 'b' })).toThrow(
      'Apply failed with 1 conflict: conflict with "someone" using example.com/v1: .text',
    );
    expect(object.apply('me', { text: 'b' }, { force: true }).owners).toEqual({
      me: { 'f:text': {} },
      someone: { 'f:count': {} },
    });
  });

  it('names every field that others own', () => {
    const object = thing()
      .apply('b', { text: 'a', items: [{ name: 'x', value: 1 }] })
      .apply('a', { count: 1 });
    let error: { message: string; status: { details: { causes: object[] } } } | undefined;
    try {
      object.apply('me', { text: 'b', count: 2, items: [{ name: 'x', value: 2 }] });
    } catch (thrown) {
      error = thrown as typeof error;
    }
    expect(error?.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .count\nconflicts with "b":\n- .text\n- .items[name="x"].value',
    );
    expect(error?.status.details.causes[2]).toEqual({
      reason: 'FieldManagerConflict',
      message: 'conflict with "b"',
      field: '.items[name="x"].value',
    });
  });

  it.each<[string[], string[], string[]]>([
    [
      ['a', 'b', 'c'],
      ['c', 'a'],
      ['b', 'c', 'a'],
    ],
    [
      ['a', 'b'],
      ['x', 'a', 'y', 'b', 'z'],
      ['x', 'a', 'y', 'b', 'z'],
    ],
    [
      ['a', 'b', 'x'],
      ['b', 'a', 'c'],
      ['b', 'x', 'a', 'c'],
    ],
    [
      ['x', 'a', 'y'],
      ['a', 'c'],
      ['x', 'a', 'y', 'c'],
    ],
    [[], ['b', 'a'], ['b', 'a']],
    [['a'], [], ['a']],
  ])('merges the set %j with %j to %j', (live, applied, expected) => {
    const object = thing().update('someone', { set: live }).apply('me', { set: applied });
    expect((object.fields as { set: string[] }).set).toEqual(expected);
  });

  it.each<[string, object, string]>([
    ['an unknown field', { nope: 1 }, '.nope: field not declared in schema'],
    ['a number for a text', { text: 5 }, '.text: expected string, got &value.valueUnstructured{Value:5}'],
    ['a text for a number', { count: 'x' }, '.count: expected numeric (int or float), got string'],
    ['a text for a map', { labels: 'x' }, '.labels: expected map, got &{x}'],
    ['a text for a list', { items: 'x' }, '.items: expected list, got &{x}'],
    [
      'an item without its key',
      { items: [{ value: 1 }] },
      `.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    ],
    ['an item given twice', { items: [{ name: 'x' }, { name: 'x' }] }, '.items: duplicate entries for key [name="x"]'],
    [
      'a map in a set',
      { set: [{}] },
      ".items: element 0: associative list without keys has an element that's a map type",
    ],
  ])('refuses %s', (name, fields, message) => {
    expect(() => thing().apply('me', fields)).toThrow(
      name === 'a map in a set' ? message.replace('.items', '.set') : message,
    );
  });

  it('of another version removes what was applied in the first', () => {
    const both = typedBy({ v1: schemaOf(PROPERTIES), v2: schemaOf(PROPERTIES) });
    const [v1, v2] = both.registry.versionsOf('example.com', 'things');
    const object = new AppliedObject(both).apply('me', { text: 'a', count: 1 });
    object.apply('me', { text: 'b' }, { at: { resource: v2 as typeof v1 & {}, registry: both.registry } });
    expect(object.fields).toEqual({ text: 'b' });
    expect(object.owners).toEqual({ me: { 'f:text': {} } });
  });

  it('drops what was owned in a version that is no longer served', () => {
    const both = typedBy({ v1: schemaOf(PROPERTIES), v2: schemaOf(PROPERTIES) });
    const [v1, v2] = both.registry.versionsOf('example.com', 'things');
    const object = new AppliedObject(both);
    object.apply('old', { text: 'a' }, { at: { resource: v2 as typeof v1 & {}, registry: both.registry } });
    object.apply('new', { count: 1 }).apply('new', { count: 2 }, { at: typed });
    expect(object.owners).toEqual({ new: { 'f:count': {} } });
    expect(object.fields).toEqual({ text: 'a', count: 2 });
  });

  it('goes by the schema as it is now: what became atomic is owned as a whole', () => {
    const object = thing().apply('one', { labels: { a: '1' } });
    const atomic = typedBy({
      v1: schemaOf({ ...PROPERTIES, labels: { ...PROPERTIES.labels, 'x-kubernetes-map-type': 'atomic' } }),
    });
    object.apply('one', { text: 'a' }, { at: atomic });
    expect(object.fields).toEqual({ text: 'a' });
  });
});

const anyFields = fc.record(
  {
    text: fc.constantFrom('a', 'b'),
    labels: fc.dictionary(fc.constantFrom('k', 'l', '__proto__', 'constructor'), fc.constantFrom('1', '2'), {
      minKeys: 1,
    }),
    set: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    items: fc.uniqueArray(fc.record({ name: fc.constantFrom('x', 'y'), value: fc.constantFrom(1, 2) }), {
      selector: ({ name }) => name,
      minLength: 1,
    }),
    struct: fc.record({ a: fc.constantFrom('1', '2'), b: fc.constant('1') }, { requiredKeys: ['a'] }),
    free: fc.record(
      { a: fc.integer(), b: fc.constant([1]), c: fc.record({ d: fc.boolean() }) },
      { requiredKeys: ['a'] },
    ),
  },
  { requiredKeys: [] },
);

describe('laws', () => {
  it('an apply that is repeated changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('one', 'two'), anyFields), { minLength: 1, maxLength: 5 }),
        (steps) => {
          const object = thing();
          for (const [manager, fields] of steps) object.apply(manager, fields, { force: true });
          const before = JSON.stringify([object.fields, object.owners]);
          const [manager, fields] = steps.at(-1) as [string, object];
          expect(JSON.stringify([object.apply(manager, fields).fields, object.owners])).toBe(before);
        },
      ),
    );
  });

  it('after an apply the object says what the configuration says, and a manager that gives up all leaves nothing behind', () => {
    fc.assert(
      fc.property(anyFields, anyFields, (first, second) => {
        const object = thing().apply('one', first).apply('one', second);
        const { set: _s, items: _i, ...rest } = second;
        expect(object.fields).toMatchObject(rest);
        expect(object.apply('one', {}).fields).toEqual({});
        expect(object.owners).toEqual({});
      }),
    );
  });
});
