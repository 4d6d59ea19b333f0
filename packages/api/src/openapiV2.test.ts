import { describe, expect, it } from 'vitest';
import { ObjectMeta } from './meta.ts';
import { schemaFromJson } from './openapi.ts';
import { customDefinitionOf, definitionOf } from './openapiV2.ts';
import { anyObject, bytes, intOrString, list, map, opt, quantity, refine, req, string, struct } from './schema.ts';

describe('definitionOf', () => {
  const Inner = struct('t.Inner', 'Inside.', { a: opt(1, string) });
  const Outer = struct('t.Outer', 'Outside.', {
    told: opt(2, Inner, { doc: 'Told about.', default: {} }),
    refined: opt(9, refine(Inner, { mapType: 'granular' })),
    names: req(4, list(string, 'set'), { patch: 'merge', doc: 'Names.' }),
    items: opt(5, list(Inner, ['a']), { patch: 'merge', key: 'a' }),
    sizes: opt(6, map(quantity)),
    data: opt(7, map(bytes, 'atomic')),
    free: opt(8, anyObject),
    port: opt(1, intOrString),
  });

  it('refers to other schemas, with texts beside the reference and without defaults', () => {
    const { schema, references } = definitionOf(Outer);
    expect(schema).toEqual({
      description: 'Outside.',
      type: 'object',
      required: ['names'],
      properties: {
        data: {
          type: 'object',
          additionalProperties: { type: 'string', format: 'byte' },
          'x-kubernetes-map-type': 'atomic',
        },
        free: { type: 'object' },
        items: {
          type: 'array',
          items: { $ref: '#/definitions/t.Inner' },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'a',
        },
        names: {
          type: 'array',
          items: { type: 'string' },
          description: 'Names.',
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-patch-strategy': 'merge',
        },
        port: { $ref: `#/definitions/${intOrString.name}` },
        refined: { $ref: '#/definitions/t.Inner', 'x-kubernetes-map-type': 'granular' },
        sizes: { type: 'object', additionalProperties: { $ref: `#/definitions/${quantity.name}` } },
        told: { $ref: '#/definitions/t.Inner', description: 'Told about.' },
      },
    });
    expect(references.map(({ name }) => name).sort()).toEqual([quantity.name, intOrString.name, 't.Inner'].sort());
  });

  it('gives values of two types one that old clients know', () => {
    expect(definitionOf(quantity).schema).toEqual({ type: 'string', description: quantity.description });
    expect(definitionOf(intOrString).schema).toMatchObject({ type: 'string', format: 'int-or-string' });
  });
});

describe('customDefinitionOf', () => {
  const specOf = (spec: object) =>
    customDefinitionOf(schemaFromJson({ type: 'object', properties: { spec } })).schema.properties?.spec;
  const a = { type: 'string' };

  it.each([
    [
      'drops alternatives',
      { type: 'object', properties: { a }, anyOf: [{ required: ['a'] }], not: { required: ['b'] } },
      { type: 'object', properties: { a } },
    ],
    ['drops defaults', { type: 'string', default: 'x', description: 'D.' }, { type: 'string', description: 'D.' }],
    [
      'keeps other rules',
      { type: 'string', pattern: '^a', maxLength: 3, enum: ['a'], title: 'T' },
      { type: 'string', pattern: '^a', maxLength: 3, enum: ['a'], title: 'T' },
    ],
    [
      'leaves out the type of what may be null',
      { type: 'object', nullable: true, properties: { a }, required: ['a'] },
      { required: ['a'] },
    ],
    [
      'does not require what may be null',
      { type: 'object', properties: { a, b: { ...a, nullable: true } }, required: ['a', 'b'] },
      { type: 'object', properties: { a, b: {} }, required: ['a'] },
    ],
    [
      'requires nothing where values of a map may be null',
      { type: 'object', additionalProperties: { ...a, nullable: true }, required: ['b'] },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'leaves out the type of what keeps unknown fields',
      { type: 'object', properties: { a }, 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'leaves out the type of lists of such',
      { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } },
    ],
    [
      'leaves out the type of lists that keep unknown fields',
      { type: 'array', items: a, 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'keeps integers or strings untyped',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      { 'x-kubernetes-int-or-string': true },
    ],
    [
      'keeps maps',
      { type: 'object', additionalProperties: { type: 'array', items: a } },
      { type: 'object', additionalProperties: { type: 'array', items: a } },
    ],
    [
      'keeps maps of anything',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: true },
    ],
  ])('%s', (_, given, wanted) => {
    expect(specOf(given)).toEqual(wanted);
  });

  it('gives objects within the object what every object has', () => {
    const embedded = { type: 'object', properties: { a }, 'x-kubernetes-embedded-resource': true };
    expect(specOf(embedded)).toMatchObject({
      properties: {
        a,
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { $ref: `#/definitions/${ObjectMeta.name}` },
      },
      required: ['kind', 'apiVersion'],
    });
    expect(specOf({ ...embedded, 'x-kubernetes-preserve-unknown-fields': true })).toEqual({
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  it('says nothing of an object that keeps unknown fields', () => {
    expect(
      customDefinitionOf(
        schemaFromJson({ type: 'object', properties: { a }, 'x-kubernetes-preserve-unknown-fields': true }),
      ),
    ).toEqual({
      schema: { type: 'object' },
      references: [],
    });
  });
});
