import type { Case, Step } from '../case.ts';
import { CRD_PATH, crd, crdObject, crdOf, create, type Schema, type Version, withSpec } from './steps.ts';

const string = { type: 'string' };
const of = (name: string, ...steps: Step[]): Case => ({ name: `crd life: ${name}`, area: 'crd', steps });
const read: Step = { method: 'GET', path: CRD_PATH };
const patch = (body: unknown, subresource = ''): Step => ({
  method: 'PATCH',
  path: `${CRD_PATH}${subresource}`,
  contentType: 'application/merge-patch+json',
  body,
});
const patchSpec = (spec: Schema): Step => patch({ spec });
const patchStatus = (status: Schema): Step => patch({ status }, '/status');
const versions = (...all: readonly Version[]): Schema => ({
  versions: (crdObject(all) as { spec: { versions: unknown } }).spec.versions,
});
const v1: Version = { name: 'v1', schema: withSpec({ x: string }) };
const v2: Version = { name: 'v2', schema: withSpec({ x: string, y: string }) };
const stored = (version: Version): Version => ({ ...version, isStorage: true });
const notStored = (version: Version): Version => ({ ...version, isStorage: false });
const tried = (all: readonly Version[], spec?: Schema): Step => ({ ...crdOf(all, spec), query: { dryRun: 'All' } });
const webhook = (clientConfig: Schema, ...conversionReviewVersions: string[]): Schema => ({
  conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } },
});
const selects = (...paths: string[]): Schema => ({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
const manyFields = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, string]));
const set = { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' };

/** Changes of CRDs, their status, and their end. */
export const CRD_LIFE: readonly Case[] = [
  of(
    'names',
    crdOf([v1]),
    patchSpec({ scope: 'Cluster' }),
    patchSpec({ group: 'other.example.com' }),
    patchSpec({ names: { plural: 'gadgets' } }),
    patchSpec({ names: { kind: 'Gadget' } }),
    patchSpec({ names: { listKind: null, singular: null } }),
    patchSpec({ names: { shortNames: ['wi', 'W'] } }),
    patchSpec({ names: { shortNames: ['wi'], categories: ['all'] } }),
    read,
    patch({ metadata: { name: 'other.{group}' } }),
    patch({ metadata: { labels: { a: 'b' } } }),
    read,
  ),
  of(
    'versions',
    crdOf([v1]),
    patchSpec(versions(notStored(v1), stored(v2))),
    read,
    patchSpec(versions(stored(v2))),
    patchStatus({ storedVersions: ['v2'] }),
    patchSpec(versions(stored(v2))),
    read,
    patchSpec(versions()),
    patchSpec({ versions: null }),
    patchSpec(versions(notStored(v2))),
    patchSpec({ preserveUnknownFields: true }),
  ),
  of(
    'the status',
    crdOf([v1]),
    patchStatus({ storedVersions: [] }),
    patchStatus({ storedVersions: ['v9'] }),
    patchStatus({ acceptedNames: { plural: 'UPPER' } }),
    patchStatus({ acceptedNames: { kind: 'A', listKind: 'A', shortNames: ['_'] } }),
    patchStatus({ unknown: 1 }),
    patch({ status: { storedVersions: ['v7'] } }),
    read,
    { method: 'GET', path: `${CRD_PATH}/status` },
    { method: 'GET', path: `${CRD_PATH}/scale` },
  ),
  of(
    'schemas',
    crdOf([v1]),
    patchSpec(versions({ ...v1, schema: withSpec({ x: { ...string, format: 'nonsense' } }) })),
    patchSpec(versions({ ...v1, schema: withSpec({ x: { ...string, format: 'nonsense' }, y: string }) })),
    patchSpec(versions({ ...v1, schema: withSpec({ x: { ...string, format: 'other' }, y: string }) })),
    patchSpec(versions({ ...v1, schema: withSpec({ x: set }) })),
    patchSpec(versions({ ...v1, schema: withSpec({ x: { 'x-kubernetes-preserve-unknown-fields': true } }) })),
    patchSpec(versions({ ...v1, schema: withSpec({ x: { type: 'integer', format: 'uuid' } }) })),
    read,
  ),
  of(
    'the end',
    crdOf([v1]),
    create({ spec: { x: 'a' } }),
    patch({ metadata: { finalizers: ['example.com/keep'] } }),
    { method: 'DELETE', path: CRD_PATH, query: { dryRun: 'All' } },
    { method: 'DELETE', path: CRD_PATH },
    read,
    { method: 'DELETE', path: CRD_PATH },
    patch({ metadata: { finalizers: null } }),
    read,
  ),
  of(
    'groups of Kubernetes',
    ...['', 'https://example.com/1', 'unapproved, a try', 'yes'].map(
      (annotation): Step => ({
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        query: { dryRun: 'All' },
        body: {
          ...crdObject([v1], { group: 'x.k8s.io' }),
          metadata: { name: 'widgets.x.k8s.io', annotations: { 'api-approved.kubernetes.io': annotation } },
        },
      }),
    ),
  ),
  of(
    'parts of versions',
    tried([{ ...v1, more: selects('.spec.x') }, v2]),
    tried([
      { ...v1, more: selects('.spec.x') },
      { ...v1, name: 'v2' },
    ]),
    tried([
      { ...v1, more: selects('.spec.x') },
      { ...v2, more: selects('.spec.x') },
    ]),
    tried([{ ...v1, more: selects('.spec.x', '.spec', '.spec.x.y', '.status.any', '..', '.spec[0]', "['spec']") }]),
    tried([
      { name: 'v1', schema: withSpec(manyFields), more: selects(...Object.keys(manyFields).map((f) => `.spec.${f}`)) },
    ]),
    tried([
      { ...v1, name: 'a' },
      { ...v2, name: 'a' },
    ]),
    tried([v1, { ...v2, schema: withSpec({ x: set }) }]),
    tried([v1, { ...v2, schema: { type: 'object', nullable: true } }]),
    tried([
      { ...v1, subresources: { status: {} } },
      { ...v2, subresources: { scale: {} } },
    ]),
    tried([{ ...v1, subresources: { status: {} }, schema: { type: 'object', maxProperties: 3 } }]),
    tried([{ ...v1, subresources: { status: {} }, schema: { type: 'array', items: string } }]),
    tried([{ ...v1, subresources: { status: {} }, schema: { type: 'object', required: ['spec'], title: 'T' } }]),
    tried([
      { ...v1, subresources: { status: {} } },
      { ...v2, schema: { type: 'object', maxProperties: 3 } },
    ]),
    tried([{ ...v1, more: { deprecated: true, deprecationWarning: 'é\u0007' } }]),
    tried([{ ...v1, more: { deprecated: true, deprecationWarning: 'x'.repeat(257) } }]),
    tried([{ ...v1, schema: { type: 'object', $schema: 'x' } }]),
    tried([v1], { preserveUnknownFields: true, conversion: { strategy: 'Webhook' } }),
    tried([{ ...v1, schema: withSpec({ x: { ...string, default: 'x' } }) }], { preserveUnknownFields: true }),
    { ...crd(withSpec({ x: string })), body: { ...crdObject([v1]), metadata: { generateName: 'g-' } } },
  ),
  of(
    'webhooks',
    ...[
      webhook({ url: 'https://user:pass@x?q=1#f' }, 'v1'),
      webhook({ url: 'nonsense' }, 'v1'),
      webhook({ url: 'https:///path' }, 'v1'),
      webhook({ url: 'https://x:port' }, 'v1'),
      webhook({ url: 'https://x', caBundle: 'eA==' }, 'v1'),
      webhook({ url: 'https://x' }, 'v1', 'v1', 'V_2'),
      webhook({ service: { namespace: 'a' } }, 'v1'),
      webhook({ service: { name: 'a', port: 0, path: 'a//B' } }, 'v1'),
      webhook({ service: { name: 'a', namespace: 'b', path: '//' } }, 'v1'),
      webhook({ service: { name: 'a', namespace: 'b', path: '/a/' } }, 'v1'),
      webhook({ url: 'https://x', service: { name: 'a', namespace: 'b' } }, 'v1'),
    ].map((spec) => tried([v1], spec)),
  ),
  of(
    'embedded resources',
    ...[
      { properties: { metadata: { type: 'object', default: { name: '/' } } } },
      { properties: { metadata: { type: 'object', default: { name: 1 } } } },
      { properties: { metadata: { type: 'object', default: { labels: { 'a b': 'c' } } } } },
      { properties: { metadata: { type: 'object', properties: { name: { ...string, default: '/' } } } } },
      { properties: { metadata: { type: 'object', additionalProperties: { ...string, default: 'x' } } } },
      { properties: { kind: { ...string, default: '' }, apiVersion: { ...string, default: 'a/b/c' } } },
      { properties: { metadata: { type: 'object', 'x-kubernetes-embedded-resource': true } } },
      { properties: { metadata: string } },
      { default: { apiVersion: 1, kind: 'X' } },
      { default: { apiVersion: 'a/b/c', kind: '_', metadata: { name: '/', unknown: 1 } } },
      { default: { apiVersion: 'v1', kind: 'X', metadata: 'x' } },
    ].map((more) =>
      tried([
        {
          name: 'v1',
          schema: withSpec({
            x: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
              ...more,
            },
          }),
        },
      ]),
    ),
  ),
  of(
    'rules',
    ...[
      [{ rule: '' }],
      [{ rule: 'self.nope' }, { rule: 'true', reason: 'Nope', fieldPath: '.nope', message: ' ' }],
      [
        { rule: 'true', fieldPath: ".x['a']" },
        { rule: 'oldSelf.x == self.x', optionalOldSelf: true },
      ],
      [{ rule: "self.x == '<&>'", messageExpression: 'self.y' }],
      [{ rule: 'self.x.matches("(")' }],
    ].map((rules) =>
      tried([
        {
          name: 'v1',
          schema: withSpec({ x: string }, { 'x-kubernetes-validations': rules }),
        },
      ]),
    ),
    tried([{ name: 'v1', schema: withSpec({ x: {} }, { 'x-kubernetes-validations': [{ rule: 'nonsense' }] }) }]),
    tried([
      {
        name: 'v1',
        schema: withSpec({ x: set, y: { ...string, 'x-kubernetes-validations': [{ rule: 'nonsense' }] } }),
      },
    ]),
    tried([
      {
        name: 'v1',
        schema: withSpec({ x: { ...string, allOf: [{ 'x-kubernetes-validations': [{ rule: '' }] }] } }),
      },
    ]),
    tried([
      {
        name: 'v1',
        schema: withSpec({
          x: { type: 'array', items: { ...string, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
        }),
      },
    ]),
  ),
];
