import type { Schema } from '@vireo/api';
import { expect, it } from 'vitest';
import { typeMismatch } from './schemaTypes.ts';

const text: Schema = { type: 'string' };
const optional = (schema: Schema) => ({ schema, required: false }) as const;
const disk: Schema = {
  type: 'object',
  properties: {
    name: { schema: text, required: true },
    size: optional({ type: 'string', format: 'quantity' }),
  },
};
const vm: Schema = {
  type: 'object',
  properties: {
    cores: optional({ type: 'integer' }),
    disks: optional({ type: 'array', items: disk }),
    labels: optional({ type: 'object', values: text }),
  },
};

it.each<[path: string, value: unknown, words: string | undefined]>([
  ['', {}, undefined],
  ['', undefined, undefined],
  ['spec', { cores: 2, disks: [{ name: 'root', size: 5 }], labels: { a: 'b' }, unknown: [1] }, undefined],
  ['', [], 'is a list, not of type object'],
  ['spec', 'x', 'spec is "x", not of type object'],
  ['', { cores: 1.5 }, 'cores is 1.5, not of type integer'],
  ['spec', { disks: [{ name: 'a' }, {}] }, 'spec.disks[1].name is missing'],
  ['spec', { disks: [{ name: null }] }, 'spec.disks[0].name is missing'],
  ['', { disks: [{ name: 'a', size: [] }] }, 'disks[0].size is a list, not of type string'],
  ['spec', { labels: { 'a.b/c': 1 } }, 'spec.labels.a.b/c is 1, not of type string'],
])('of %j: %j → %s', (path, value, words) => {
  expect(typeMismatch(path, value, vm)?.trim()).toBe(words);
});
