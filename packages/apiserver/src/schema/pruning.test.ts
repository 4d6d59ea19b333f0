import { deepClone } from '@vireo/api/json.ts';
import { anyObject, list, map, opt, type Schema, string, struct } from '@vireo/api/schema.ts';
import { describe, expect, it } from 'vitest';
import { pruneUnknownFields } from './pruning.ts';

const prune = (value: object, schema: Schema) => {
  const copy = deepClone(value);
  const dropped = pruneUnknownFields(copy, schema);
  expect(pruneUnknownFields(copy, schema), 'a second time').toEqual([]);
  return { value: copy, dropped };
};
const Item = struct('Item', '', { a: opt(1, string) });
const open = struct('Open', '', { item: opt(1, Item) }, { preserveUnknownFields: true });
const embedded: Schema = { type: 'object', embeddedResource: true };

describe('pruneUnknownFields', () => {
  it('drops what the schema does not know and says where it was', () => {
    const schema = struct('X', '', {
      spec: opt(1, struct('S', '', { items: opt(1, list(Item)), map: opt(2, map(Item)) })),
    });
    expect(prune({ x: 1, spec: { y: 2, items: [{ a: '' }, { b: 1 }], map: { k: { a: '', c: 3 } } } }, schema)).toEqual({
      value: { spec: { items: [{ a: '' }, {}], map: { k: { a: '' } } } },
      dropped: ['x', 'spec.y', 'spec.items[1].b', 'spec.map.k.c'],
    });
  });

  it('keeps apiVersion, kind and metadata of the object and of embedded ones', () => {
    const meta = { apiVersion: 'v1', kind: 'X', metadata: { anything: 1 } };
    const schema = struct('X', '', { one: opt(1, embedded), many: opt(2, list(embedded)) });
    expect(prune({ ...meta, one: { ...meta, spec: 1 }, many: [{ ...meta, z: 1 }] }, schema)).toEqual({
      value: { ...meta, one: meta, many: [meta] },
      dropped: ['one.spec', 'many[0].z'],
    });
    expect(prune({ spec: { kind: 'x' } }, struct('Y', '', { spec: opt(1, Item) })).dropped).toEqual(['spec.kind']);
  });

  it('keeps unknown fields where they are preserved, but prunes known ones below', () => {
    expect(prune({ x: { deep: [{ y: 1 }] }, item: { a: '', b: 1 } }, open)).toEqual({
      value: { x: { deep: [{ y: 1 }] }, item: { a: '' } },
      dropped: ['item.b'],
    });
    expect(prune({ data: { x: 1 } }, struct('D', '', { data: opt(1, anyObject) })).dropped).toEqual([]);
    const openList: Schema = { ...list(Item), preserveUnknownFields: true };
    expect(prune({ items: [{ b: 1 }] }, struct('L', '', { items: opt(1, openList) })).dropped).toEqual([]);
  });

  it('goes by the kind of an embedded object, whatever the schema says of its metadata', () => {
    const metadata = { schema: { type: 'object' as const }, required: false };
    const schema = struct('X', '', { one: opt(1, { ...embedded, properties: { metadata } }) });
    expect(prune({ one: { metadata: { name: 'a' } } }, schema).dropped).toEqual([]);
  });

  it('empties the objects in a list where there should be none', () => {
    expect(
      prune(
        { item: [{ a: '' }, [{ b: 1 }], 2], a: { c: 1 } },
        struct('X', '', { item: opt(1, Item), a: opt(2, string) }),
      ),
    ).toEqual({
      value: { item: [{}, [{}], 2], a: {} },
      dropped: ['item[0].a', 'item[1][0].b', 'a.c'],
    });
  });

  it('is not fooled by names of Object.prototype', () => {
    expect(prune(JSON.parse('{"constructor":1,"__proto__":{},"toString":2}'), Item).dropped).toEqual([
      'constructor',
      '__proto__',
      'toString',
    ]);
  });
});
