import type { Case, Step } from '../case.ts';
import { EVERYTHING } from './schemas.ts';
import { apply, crd, create, jsonPatch, mergePatch, widget } from './steps.ts';

const LEVELS = ['Strict', 'Warn', 'Ignore', ''] as const;
const of = (name: string, ...steps: Step[]): Case => ({
  name: `field validation: ${name}`,
  area: 'objects',
  steps: [crd(EVERYTHING), ...steps],
});
const each = (step: (query: Record<string, string>, name: string) => Step): Step[] =>
  LEVELS.map((fieldValidation, index) => step(fieldValidation ? { fieldValidation } : {}, `w${index}`));

const unknown = {
  foo: 1,
  bar: { baz: 1 },
  spec: {
    foo: 1,
    nested: { x: 1 },
    items: [
      { name: 'a', x: 1 },
      { name: 'b', y: 2 },
    ],
    maps: { m: { z: 1 } },
    any: { fine: 1 },
    objects: [{ q: 1 }],
  },
};
const OBJECT = '/apis/{group}/v1/namespaces/default/widgets';
const raw = (
  method: 'POST' | 'PUT' | 'PATCH',
  text: string,
  query: Record<string, string>,
  contentType = 'application/json',
): Step => ({
  method,
  path: method === 'POST' ? OBJECT : `${OBJECT}/w`,
  contentType,
  query,
  body: text,
});
const head = '"apiVersion":"{group}/v1","kind":"Widget"';
const DUPLICATES = `{${head},"metadata":{"name":"dup","labels":{"a":"1","a":"2"}},"spec":{"text":"a","text":"b","foo":1,"foo":2,"items":[{"name":"x","name":"y"}],"any":{"k":1,"k":2}},"spec":{"replicas":1}}`;
const YAML_DUPLICATES = `apiVersion: {group}/v1
kind: Widget
metadata:
  name: dup
  labels:
    a: "1"
    a: "2"
spec:
  text: a
  text: b
  foo: 1
  any:
    k: 1
    k: 2
`;

/** What becomes of fields that the schema does not have, and of those that are given twice. */
export const FIELD_VALIDATION: readonly Case[] = [
  of('unknown fields in a create', ...each((query, name) => create(unknown, { query, name }))),
  of(
    'unknown fields in metadata',
    ...each((query, name) => create({ metadata: { foo: 1, labels: { a: 'b' } }, spec: {} }, { query, name })),
  ),
  of(
    'unknown fields of an embedded resource',
    ...each((query, name) =>
      create(
        {
          spec: {
            resource: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', foo: 1, labels: { a: 'b' } }, other: 1 },
          },
        },
        { query, name },
      ),
    ),
  ),
  of(
    'unknown fields in an update',
    create({ spec: {} }),
    ...each((query) => ({ method: 'PUT', path: `${OBJECT}/w`, query, edit: unknown })),
  ),
  of('unknown fields in a merge patch', create({ spec: {} }), ...each((query) => mergePatch(unknown, { query }))),
  of(
    'unknown fields in a JSON patch',
    create({ spec: {} }),
    ...each((query) =>
      jsonPatch(
        [
          { op: 'add', path: '/spec/foo', value: 1 },
          { op: 'add', path: '/bar', value: { x: 1 } },
        ],
        { query },
      ),
    ),
    ...each((query) => jsonPatch([{ op: 'add', path: '/spec/foo', value: 1, extra: 1 }], { query })),
  ),
  of('unknown fields in an apply', ...each((query) => apply('a', unknown, { query }))),
  of(
    'fields given twice in a create',
    ...each((query) =>
      raw('POST', DUPLICATES.replace('"dup"', `"d${query.fieldValidation?.toLowerCase() ?? ''}"`), query),
    ),
  ),
  of(
    'fields given twice in YAML',
    ...each((query) =>
      raw(
        'POST',
        YAML_DUPLICATES.replace('dup', `d${query.fieldValidation?.toLowerCase() ?? ''}`),
        query,
        'application/yaml',
      ),
    ),
  ),
  of(
    'fields given twice in an update',
    create({ spec: {} }),
    ...each((query) => raw('PUT', DUPLICATES.replace('"dup"', '"w","resourceVersion":"{resourceVersion}"'), query)),
  ),
  of(
    'fields given twice in a merge patch',
    create({ spec: {} }),
    ...each((query) =>
      raw(
        'PATCH',
        '{"spec":{"text":"a","text":"b","foo":1,"foo":2,"nested":{"a":"1","a":"2"}}}',
        query,
        'application/merge-patch+json',
      ),
    ),
  ),
  of(
    'fields given twice in a JSON patch',
    create({ spec: {} }),
    ...each((query) =>
      raw(
        'PATCH',
        '[{"op":"add","path":"/spec/text","value":"a","value":"b"},{"op":"add","path":"/spec/nested","value":{"a":"1","a":"2"}}]',
        query,
        'application/json-patch+json',
      ),
    ),
  ),
  of(
    'many unknown fields',
    create(
      { spec: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index])) },
      { query: { fieldValidation: 'Strict' } },
    ),
    create({ spec: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index])) }),
  ),
  of(
    'a body that is wrong',
    raw('POST', '{', {}),
    raw('POST', '[]', {}),
    raw('POST', 'null', {}),
    raw('POST', '', {}),
    raw('POST', `{${head}}x`, {}),
    raw('POST', `{${head},"metadata":3}`, {}),
    raw('POST', '{"kind":"Widget"}', {}),
    raw('POST', `{${head},"metadata":{"name":"w","labels":{"a":1}}}`, {}),
    raw('POST', JSON.stringify(widget({ spec: 3 })), {}),
    raw('POST', 'a: b: c', {}, 'application/yaml'),
    raw('POST', '"text"', {}),
    raw('POST', '1', {}),
    raw('POST', 'true', {}),
    raw('POST', '- a', {}, 'application/yaml'),
    raw('POST', '', {}, 'application/yaml'),
    raw('POST', '{}', {}),
    raw('POST', '{"apiVersion":"{group}/v1"}', {}),
    raw('POST', '{"apiVersion":1,"kind":"Widget"}', {}),
    raw('POST', '{"apiVersion":"{group}/v1","kind":["Widget"]}', {}),
    raw('POST', '{"apiVersion":null,"kind":null}', {}),
    raw('POST', '{"apiVersion":"{group}/v1","kind":"Other","metadata":{"name":"w"}}', {}),
    raw('POST', '{"apiVersion":"{group}/v2","kind":"Widget","metadata":{"name":"w"}}', {}),
    raw('POST', '{"apiVersion":"v1","kind":"Widget","metadata":{"name":"w"}}', {}),
    raw('POST', '{"apiVersion":"a/b/c","kind":"Widget","metadata":{"name":"w"}}', {}),
    raw('POST', `{${head},"metadata":null}`, {}),
    raw('POST', `{${head},"metadata":{"name":1}}`, {}),
    raw('POST', `{${head},"metadata":{"name":"w","labels":"x"}}`, {}),
    raw('POST', `{${head},"metadata":{"name":"w","creationTimestamp":"x"}}`, {}),
    raw('POST', `{${head},"metadata":{"name":"w","ownerReferences":[{"kind":1}]}}`, {}),
    raw('POST', `{${head},"metadata":{"name":"w","finalizers":["a"]}}`, {}),
    raw('POST', `{${head},"metadata":{"name":"w2","finalizers":["a.b","x/y"]}}`, {}),
    raw('POST', `{${head},"metadata":{"name":"W_","generateName":"g"}}`, {}),
    raw('PUT', `{${head},"metadata":{"name":"w","namespace":"other"}}`, {}),
    raw('PUT', '[]', {}),
    raw('PUT', 'null', {}),
    raw('PUT', '', {}),
  ),
  of(
    'patches that leave something else',
    create({ spec: { text: 'a' } }),
    ...[
      null,
      [],
      1,
      { kind: 'Other' },
      { kind: null },
      { kind: 1 },
      { apiVersion: '{group}/v2' },
      { apiVersion: null },
      { apiVersion: 1 },
      { metadata: null },
      { metadata: [] },
      { metadata: { name: 'other' } },
      { metadata: { name: null } },
      { metadata: { namespace: 'other' } },
      { metadata: { namespace: null } },
      { metadata: { uid: 'other' } },
      { metadata: { uid: null } },
      { metadata: { resourceVersion: '1' } },
      { metadata: { resourceVersion: null } },
      { metadata: { labels: { a: 1 } } },
      { metadata: { labels: 'x' } },
      { metadata: { creationTimestamp: null, generation: 9 } },
      { metadata: { finalizers: ['a'] } },
      { spec: null },
      { spec: 'x' },
    ].map((body) => mergePatch(body, { query: { dryRun: 'All' } })),
    ...[
      {},
      [{}],
      [{ op: 'add' }],
      [{ op: 'nonsense', path: '/spec' }],
      [{ op: 'remove', path: '/kind' }],
      [{ op: 'remove', path: '/metadata' }],
      [{ op: 'remove', path: '/metadata/name' }],
      [{ op: 'replace', path: '', value: {} }],
      [{ op: 'replace', path: '', value: [] }],
      [{ op: 'add', path: '/spec/text/x', value: 1 }],
      [{ op: 'add', path: 'spec', value: 1 }],
      [{ op: 'test', path: '/spec/text', value: 'b' }],
      [{ op: 'test', path: '/spec/none', value: null }],
      [{ op: 'copy', from: '/spec/none', path: '/spec/maybe' }],
      [{ op: 'move', from: '/spec/none', path: '/spec/maybe' }],
      [{ op: 'replace', path: '/spec/none', value: 1 }],
      [{ op: 'replace', path: '/spec/text', value: { a: 1 } }],
    ].map((body) => jsonPatch(body, { query: { dryRun: 'All' } })),
    raw('PATCH', '{', {}, 'application/merge-patch+json'),
    raw('PATCH', '', {}, 'application/merge-patch+json'),
    raw('PATCH', '{', {}, 'application/json-patch+json'),
    raw('PATCH', '', {}, 'application/json-patch+json'),
    raw('PATCH', '{}', {}, 'application/strategic-merge-patch+json'),
    raw('PATCH', '{}', {}, 'application/json'),
  ),
];
