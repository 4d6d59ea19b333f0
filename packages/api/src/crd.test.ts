import { describe, expect, it } from 'vitest';
import { toCrd } from './crd.ts';
import { defineKind } from './kind.ts';
import { type KubeObject, objectFields } from './meta.ts';
import { int32, list, map, opt, string, struct } from './schema.ts';

const schema = struct('t.Widget', 'A thing.', {
  ...objectFields,
  spec: opt(undefined, struct('t.WidgetSpec', 'What is wanted.', { replicas: opt(undefined, int32, { default: 1 }) })),
  status: opt(undefined, struct('t.WidgetStatus', 'What is.', { phase: opt(undefined, string) })),
});

const Widget = defineKind<KubeObject>({
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  shortNames: ['wd'],
  categories: ['all'],
  schema,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
    { name: 'Computed', type: 'string', value: () => 'not for a CRD' },
  ],
  selectableFields: { 'status.phase': () => '' },
});

describe('toCrd', () => {
  it('carries names, schema, columns, subresources and selectable fields', () => {
    expect(toCrd([Widget], { labels: { a: 'b' } })).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.org', labels: { a: 'b' } },
      spec: {
        group: 'example.org',
        names: {
          plural: 'widgets',
          singular: 'widget',
          kind: 'Widget',
          listKind: 'WidgetList',
          shortNames: ['wd'],
          categories: ['all'],
        },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                description: 'A thing.',
                type: 'object',
                properties: {
                  apiVersion: { description: expect.any(String), type: 'string' },
                  kind: { description: expect.any(String), type: 'string' },
                  metadata: { type: 'object' },
                  spec: {
                    description: 'What is wanted.',
                    type: 'object',
                    properties: { replicas: { type: 'integer', format: 'int32', default: 1 } },
                  },
                  status: { description: 'What is.', type: 'object', properties: { phase: { type: 'string' } } },
                },
              },
            },
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            },
            additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 }],
            selectableFields: [{ jsonPath: '.status.phase' }],
          },
        ],
      },
    });
  });

  it('leaves out what a definition cannot carry', () => {
    const Part = struct('t.Part', 'A part.', { name: opt(undefined, string) });
    const spec = struct('t.PartsSpec', 'Parts.', {
      parts: opt(undefined, list(Part, ['name']), { patch: 'merge', key: 'name' }),
      byName: opt(undefined, map(struct('t.Nothing', 'Nothing.', {}))),
    });
    const kind = { ...Widget, schema: { ...schema, properties: { ...objectFields, spec: opt(undefined, spec) } } };
    expect(toCrd([kind]).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec).toEqual({
      description: 'Parts.',
      type: 'object',
      properties: {
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { description: 'A part.', type: 'object', properties: { name: { type: 'string' } } },
        },
        byName: { type: 'object', additionalProperties: { description: 'Nothing.', type: 'object' } },
      },
    });
  });

  it('stores one of several versions, and warns of the ones that go', () => {
    const crd = toCrd([{ ...Widget, version: 'v1alpha1' }, Widget], {
      storageVersion: 'v1',
      deprecated: { v1alpha1: 'use v1' },
    });
    expect(crd.spec.versions.map(({ name, storage, deprecated }) => [name, storage, deprecated])).toEqual([
      ['v1alpha1', false, true],
      ['v1', true, undefined],
    ]);
  });

  it('refuses versions of another kind', () => {
    expect(() => toCrd([Widget, { ...Widget, group: 'else.org' }])).toThrow(
      'toCrd: namespaced Widget widgets.else.org (v1) is not a version of namespaced Widget widgets.example.org',
    );
    expect(() => toCrd([Widget], { storageVersion: 'v2' })).toThrow('has no version v2 to store');
    expect(() => toCrd([])).toThrow('no versions given');
  });
});
