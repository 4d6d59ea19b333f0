import type { Case, Step } from '../case.ts';
import { CRD_PATH, crd, crdObject, crdOf, create, get, type Schema, withSpec } from './steps.ts';

const string = { type: 'string' };
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const of = (name: string, ...steps: Step[]): Case => ({ name: `crd: ${name}`, area: 'crd', steps });
const dryRun = (body: unknown): Step => ({ method: 'POST', path: CRDS, query: { dryRun: 'All' }, body });
const base = crdObject([{ name: 'v1', schema: withSpec({ x: string }) }]) as { spec: Schema; metadata: Schema };
const spec = (change: Schema): Step => dryRun({ ...base, spec: { ...base.spec, ...change } });

/** CRDs that are right and wrong, and how the server says so. */
export const CRDS_CASES: readonly Case[] = [
  of('a CRD as it is stored', crdOf([{ name: 'v1', schema: withSpec({ x: string }) }]), {
    method: 'GET',
    path: CRD_PATH,
  }),
  of(
    'names and versions',
    spec({ group: '' }),
    spec({ group: 'Not_A_Group' }),
    spec({ group: 'nodots' }),
    spec({ group: 'other.example.com' }),
    spec({ group: 'x.k8s.io' }),
    spec({ scope: 'Everywhere' }),
    spec({ scope: '' }),
    spec({ names: { plural: 'widgets', kind: 'Widget' } }),
    spec({ names: { plural: 'Widgets', kind: 'widget_x' } }),
    spec({ names: { kind: 'Widget' } }),
    spec({ names: { plural: 'widgets' } }),
    spec({ names: { plural: 'widgets', kind: 'Widget', listKind: 'Widget' } }),
    spec({ names: { plural: 'widgets', kind: 'Widget', singular: 'W', shortNames: ['W', ''], categories: ['A b'] } }),
    spec({ versions: [] }),
    spec({ versions: [{ name: 'v1', served: true, storage: true }] }),
    spec({ versions: [{ name: 'v1', served: true, storage: true, schema: {} }] }),
    spec({ versions: [{ name: 'V_1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] }),
    spec({ versions: [{ name: '', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] }),
    spec({
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    }),
    spec({
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    }),
    spec({
      versions: ['v1', 'v1'].map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    }),
    spec({ preserveUnknownFields: true }),
    spec({ conversion: { strategy: 'Sometimes' } }),
    spec({ conversion: { strategy: 'Webhook' } }),
    spec({
      conversion: {
        strategy: 'None',
        webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
      },
    }),
    spec({ conversion: { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } } }),
    spec({
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'http://x' }, conversionReviewVersions: ['v1'] },
      },
    }),
    spec({
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: [] },
      },
    }),
    spec({
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v9'] },
      },
    }),
    spec({ unknown: 1 }),
    dryRun({ ...base, metadata: { name: 'other.{group}' } }),
    dryRun({ ...base, metadata: {} }),
    dryRun({ ...base, spec: undefined }),
    dryRun({ ...base, kind: 'Other' }),
  ),
  of(
    'parts of a version',
    ...[
      { subresources: { scale: {} } },
      { subresources: { scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: '.spec.replicas' } } },
      {
        subresources: {
          scale: { specReplicasPath: '.spec.list[0]', statusReplicasPath: '.status.x', labelSelectorPath: '.other' },
        },
      },
      { subresources: { scale: { specReplicasPath: '.spec', statusReplicasPath: '.status' } } },
      { subresources: { scale: { specReplicasPath: '.spec.nope', statusReplicasPath: '.status.nope' } } },
      { additionalPrinterColumns: [{ name: '', type: 'x', jsonPath: '' }] },
      { additionalPrinterColumns: [{ name: 'a', type: 'string', jsonPath: 'spec.x' }] },
      { additionalPrinterColumns: [{ name: 'a', type: 'string', jsonPath: '.spec[', format: 'nope', priority: -1 }] },
      {
        additionalPrinterColumns: [
          { name: 'a', type: 'string', jsonPath: '.spec.x' },
          { name: 'a', type: 'date', jsonPath: '.spec.y' },
        ],
      },
      { selectableFields: [{ jsonPath: '.spec.x' }] },
      {
        selectableFields: [
          { jsonPath: '.spec.nope' },
          { jsonPath: '.metadata.name' },
          { jsonPath: '.spec' },
          { jsonPath: 'spec.x' },
          { jsonPath: '' },
        ],
      },
      { selectableFields: [{ jsonPath: '.spec.x' }, { jsonPath: '.spec.x' }] },
      { deprecated: true, deprecationWarning: '' },
      { deprecationWarning: 'x' },
      { deprecated: true, deprecationWarning: 'a\nb' },
      { served: false },
    ].map((more) => ({ ...crdOf([{ name: 'v1', schema: withSpec({ x: string }), more }]), query: { dryRun: 'All' } })),
  ),
  of(
    'objects that do not fit',
    crd(
      withSpec(
        {
          text: { type: 'string', minLength: 2, maxLength: 3, pattern: '^a', enum: ['ab', 'abc'] },
          number: { type: 'integer', minimum: 2, maximum: 6, multipleOf: 2, format: 'int32' },
          real: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
          list: { type: 'array', items: string, minItems: 1, maxItems: 2 },
          map: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
          need: { type: 'object', required: ['a', 'b'], properties: { a: string, b: string } },
          one: {
            type: 'object',
            properties: { a: string, b: string },
            oneOf: [{ required: ['a'] }, { required: ['b'] }],
          },
          any: {
            type: 'object',
            properties: { a: string, b: string },
            anyOf: [{ required: ['a'] }, { required: ['b'] }],
          },
          all: { type: 'string', allOf: [{ minLength: 3 }, { pattern: '^b' }] },
          not: { type: 'string', not: { enum: ['bad'] } },
          port: { 'x-kubernetes-int-or-string': true },
          time: { type: 'string', format: 'date-time' },
          ip: { type: 'string', format: 'ipv4' },
        },
        { required: ['text'] },
      ),
    ),
    ...[
      {},
      { text: 'ab', number: 3 },
      { text: 'x' },
      { text: 'abcd' },
      { text: null },
      { text: 3 },
      {
        text: 'ab',
        number: 'x',
        real: 1,
        list: [],
        map: {},
        need: {},
        one: {},
        any: {},
        all: 'a',
        not: 'bad',
        port: true,
        time: 'x',
        ip: 'y',
      },
      { text: 'ab', number: 8, real: 2.5, list: ['a', 'b', 'c'], map: { a: 1, b: 2, c: 3 }, one: { a: 'x', b: 'y' } },
      { text: 'ab', number: 2.5, map: { a: 'x' }, list: [1, null] },
      { text: 'ab', number: 99999999999 },
      { text: 'ab', need: 'x', list: {} },
    ].map((value) => create({ spec: value })),
    create({}),
    create({ spec: null }),
    create({ spec: 'x' }),
    create({
      metadata: { name: 'UPPER', labels: { 'a b': 'c d' }, annotations: { '/': '' }, finalizers: ['x'] },
      spec: { text: 'ab' },
    }),
    create({ metadata: { name: '', generateName: 'g-' }, spec: { text: 'ab' } }),
    create({ metadata: { name: '' }, spec: { text: 'ab' } }),
    create({ metadata: { namespace: 'other' }, spec: { text: 'ab' } }),
    get(),
  ),
];
