import { deepClone, deepFreeze } from '@vireo/api/json.ts';
import { anything, int32, list, map, opt, type Schema, string, struct } from '@vireo/api/schema.ts';
import { describe, expect, it } from 'vitest';
import { applySchemaDefaults, defaultsFit } from './defaulting.ts';

const Item = struct('Item', '', { protocol: opt(1, string, { default: 'TCP' }), note: opt(2, string) });
const schema = struct('X', '', {
  replicas: opt(1, int32, { default: 1 }),
  nullable: opt(2, { type: 'string', nullable: true } as Schema<string>, { default: 'd' }),
  nested: opt(3, Item, { default: deepFreeze({}) }),
  absent: opt(4, Item),
  items: opt(5, list(Item)),
  byName: opt(6, map(Item)),
  any: opt(7, anything),
});

const defaulted = (value: object) => {
  const copy = deepClone(value);
  applySchemaDefaults(copy, schema);
  const again = deepClone(copy);
  applySchemaDefaults(again, schema);
  expect(again, 'a second time').toEqual(copy);
  return copy;
};
const all = { replicas: 1, nullable: 'd', nested: { protocol: 'TCP' } };

describe('applySchemaDefaults', () => {
  it.each([
    ['fills in what is missing, also inside a default', {}, all],
    [
      'keeps what is there',
      { replicas: 0, nested: { protocol: 'UDP' } },
      { ...all, replicas: 0, nested: { protocol: 'UDP' } },
    ],
    [
      'goes into lists and maps',
      { items: [{}, { protocol: 'UDP' }], byName: { x: {} } },
      { ...all, items: [{ protocol: 'TCP' }, { protocol: 'UDP' }], byName: { x: { protocol: 'TCP' } } },
    ],
    ['takes null for missing where null is not allowed', { replicas: null, nested: null }, all],
    ['keeps null where it is allowed', { nullable: null, any: null }, { ...all, nullable: null, any: null }],
    [
      'drops null without a default',
      { absent: null, items: [{ note: null }], byName: { x: null } },
      { ...all, items: [{ protocol: 'TCP' }], byName: {} },
    ],
    ['leaves wrong types to validation', { items: 'x', nested: [] }, { ...all, items: 'x', nested: [] }],
  ])('%s', (_, value, expected) => {
    expect(defaulted(value)).toEqual(expected);
  });

  it('fills in what takes the place of null among items and values', () => {
    const element = { type: 'string' as const };
    const value = { items: [null, 'x'], values: { a: null, b: 'x' }, nullable: [null] };
    applySchemaDefaults(
      value,
      struct('X', '', {
        items: opt(1, { type: 'array', items: element, elementDefault: 'd' }),
        values: opt(2, { type: 'object', values: element, elementDefault: 'd' }),
        nullable: opt(3, { type: 'array', items: { ...element, nullable: true }, elementDefault: 'd' }),
      }),
    );
    expect(value).toEqual({ items: ['d', 'x'], values: { a: 'd', b: 'x' }, nullable: [null] });
  });

  it('drops null where a custom resource keeps unknown fields', () => {
    const value = { any: null };
    applySchemaDefaults(value, struct('X', '', { any: opt(1, { preserveUnknownFields: true }) }));
    expect(value).toEqual({});
  });

  it('gives each object its own copy of a default', () => {
    const [one, two] = [defaulted({}), defaulted({})] as { nested: { protocol: string } }[];
    one!.nested.protocol = 'changed';
    expect(two!.nested.protocol).toBe('TCP');
  });

  it('refuses to make a large object of a small one', () => {
    const items = Array.from({ length: 400_000 }, () => ({}));
    expect(() => applySchemaDefaults({ items }, schema)).toThrow('Request entity too large: limit is 3145728');
    expect(defaultsFit({ items: items.slice(0, 1000).map(() => ({})) }, schema)).toBe(true);
  });
});
