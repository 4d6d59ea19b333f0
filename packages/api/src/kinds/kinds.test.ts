import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.ts';
import type { Schema } from '../schema.ts';
import { reachableSchemas } from '../testing/reachableSchemas.ts';
import { bodyKinds, builtinKinds } from './index.ts';

const reach = () => reachableSchemas([...builtinKinds, ...bodyKinds]);

const named = builtinKinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const);

describe.each(named)('%s', (_, kind) => {
  it('has consistent names', () => {
    expect(kind.plural).toBe(kind.plural.toLowerCase());
    expect(kind.singular).toBe(kind.kind.toLowerCase());
    expect(kind.listKind).toBe(`${kind.kind}List`);
    expect(kind.schema.name?.split('.').slice(-2)).toEqual([kind.version, kind.kind]);
    expect(kind.schema.description).toMatch(/\.$/);
  });

  it('starts with apiVersion, kind and metadata', () => {
    expect(Object.keys(kind.schema.properties ?? {}).slice(0, 3)).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('has columns that differ in name and say where their cells come from', () => {
    const names = kind.columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const column of kind.columns) expect(column.value ?? column.jsonPath).toBeDefined();
  });
});

describe('objects that say little', () => {
  const bare = { apiVersion: '', kind: '', metadata: {} };
  const objects = [bare, { ...bare, spec: {} }, { ...bare, spec: {}, status: {} }, { ...bare, status: {} }];

  it.each(named)('do not upset %s', (_, kind) => {
    const read = (object: KubeObject) => {
      kind.applyDefaults?.(object);
      for (const column of kind.columns) column.value?.(object, new Date(0));
      for (const select of Object.values(kind.selectableFields)) expect(typeof select(object)).toBe('string');
    };
    for (const object of objects) expect(() => read(structuredClone(object))).not.toThrow();
  });
});

describe('the kinds together', () => {
  it('are unique by group, version and kind, and by resource', () => {
    const ids = [...builtinKinds, ...bodyKinds].map(({ group, version, kind }) => `${group}/${version}/${kind}`);
    const resources = builtinKinds.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(resources).size).toBe(resources.length);
  });

  it('use a component name for one schema only', () => {
    const names = new Map<string, Schema>();
    for (const schema of reach().keys()) {
      const original = schema.base ?? schema;
      if (original.name === undefined || original.protoMessage === 'raw') continue;
      const known = names.get(original.name);
      // A recursive schema is a stand-in for the same thing.
      if (known && known.properties !== original.properties) expect.fail(`two schemas are called ${original.name}`);
      names.set(original.name, original);
    }
    expect(names.size).toBeGreaterThan(350);
  });

  it('give each field of a message its own protobuf number', () => {
    for (const [schema, path] of reach()) {
      const numbers = Object.values(schema.properties ?? {})
        .filter(({ proto }) => proto !== undefined)
        .map(({ proto }) => JSON.stringify(proto));
      expect(new Set(numbers).size, path).toBe(numbers.length);
      // An embedded message takes its own number, which no plain field may have.
      const embedded = numbers.filter((number) => number.startsWith('[')).map((number) => JSON.parse(number)[0]);
      for (const number of embedded) expect(numbers, path).not.toContain(String(number));
    }
  });

  it('number every field but apiVersion and kind', () => {
    for (const [schema, path] of reach()) {
      const missing = Object.entries(schema.properties ?? {}).filter(
        ([name, { proto }]) => proto === undefined && name !== 'apiVersion' && name !== 'kind',
      );
      expect(
        missing.map(([name]) => name),
        path,
      ).toEqual([]);
    }
  });

  it('merge lists of objects by a key that the objects have', () => {
    for (const [schema, path] of reach()) {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const fields = Object.keys(property.schema.items?.properties ?? {});
        for (const key of property.schema.listMapKeys ?? []) expect(fields, `${path}.${name}`).toContain(key);
        if (property.patchMergeKey) expect(fields, `${path}.${name}`).toContain(property.patchMergeKey);
      }
    }
  });

  it('are all described', () => {
    const silent = [...reach()].filter(([schema]) => schema.name && !schema.description).map(([{ name }]) => name);
    expect(silent).toEqual([]);
  });
});
