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
  ),
];
