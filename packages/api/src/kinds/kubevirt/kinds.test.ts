import { describe, expect, it } from 'vitest';
import { compileJsonPath } from '../../jsonPath.ts';
import type { Kind } from '../../kind.ts';
import type { Schema } from '../../schema.ts';
import { reachableSchemas } from '../../testing/reachableSchemas.ts';
import { builtinKinds } from '../builtinKinds.ts';
import { kubevirtKinds } from './definitions.ts';

const reach = () => reachableSchemas(kubevirtKinds);

const named = kubevirtKinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const);

describe.each(named)('%s', (_, kind) => {
  it('has consistent names', () => {
    expect(kind.plural).toBe(kind.plural.toLowerCase());
    expect(kind.singular).toBe(kind.kind.toLowerCase());
    expect(kind.schema.name).toBe([...kind.group.split('.').reverse(), kind.version, kind.kind].join('.'));
    expect(kind.schema.description).toMatch(/\.$/);
  });

  it('starts with apiVersion, kind and metadata', () => {
    expect(Object.keys(kind.schema.properties ?? {}).slice(0, 3)).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('has columns that differ in name and that any server can fill', () => {
    const names = kind.columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { jsonPath, value } of kind.columns) {
      expect(value).toBeUndefined();
      expect(() => compileJsonPath(jsonPath ?? '')).not.toThrow();
    }
  });
});

describe('the kinds together', () => {
  const resources = (kinds: readonly Kind[]) =>
    new Map(kinds.map((kind) => [`${kind.plural}.${kind.group}`, kind] as const));

  it('are unique by group, version and kind, and by resource', () => {
    const ids = kubevirtKinds.map(({ group, version, kind }) => `${group}/${version}/${kind}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(resources(kubevirtKinds).size).toBe(46);
  });

  it('have short names that no other kind has', () => {
    const ours = [...resources(kubevirtKinds).values()].flatMap(({ shortNames }) => shortNames);
    const theirs = builtinKinds.flatMap(({ shortNames, plural }) => [...shortNames, plural]);
    expect(ours.filter((name, i) => ours.indexOf(name) !== i || theirs.includes(name))).toEqual([]);
  });

  it('use a component name for one schema only', () => {
    const names = new Map<string, Schema>();
    for (const schema of reach().keys()) {
      const original = schema.base ?? schema;
      if (original.name === undefined) continue;
      const known = names.get(original.name);
      if (known && known.properties !== original.properties) expect.fail(`two schemas are called ${original.name}`);
      names.set(original.name, original);
    }
    expect(names.size).toBeGreaterThan(350);
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

  it('describe themselves and each of their fields', () => {
    const silent = [...reach()].flatMap(([schema, path]) => [
      ...(schema.name && !schema.description ? [path] : []),
      ...Object.entries(schema.properties ?? {})
        .filter(([, { description }]) => !description?.endsWith('.'))
        .map(([name]) => `${path}.${name}`),
    ]);
    expect(silent).toEqual([]);
  });
});
