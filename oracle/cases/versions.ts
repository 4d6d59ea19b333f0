import type { Case, Step } from '../case.ts';
import { apply, CRD_PATH, crdOf, create, get, mergePatch, type Schema } from './steps.ts';

const schema = (list: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { text: { type: 'string' }, list, ...more } } },
});
const string = { type: 'string' };
const item = { type: 'object', required: ['name'], properties: { name: string, value: string } };
const atomic = { type: 'array', items: item };
const keyed = { ...atomic, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const V1 = schema(keyed);
const V2 = schema(keyed, { added: string });
const two: Step = crdOf([
  { name: 'v1', schema: V1 },
  { name: 'v2', schema: V2 },
]);
const v2 = { version: 'v2' };

const of = (name: string, ...steps: Step[]): Case => ({ name: `versions: ${name}`, area: 'apply', steps });
const replaceSchema = (value: Schema): Step => ({
  method: 'PATCH',
  path: CRD_PATH,
  contentType: 'application/json-patch+json',
  body: [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value }],
});
const ofList = (list: Schema): Schema => schema(list);
const nested = (extra: Schema): Schema =>
  schema(atomic, { nested: { type: 'object', properties: { a: string, b: string }, ...extra } });

/** Applies through several versions, and after the schema has changed. */
export const VERSIONS: readonly Case[] = [
  {
    ...of(
      'writes that change nothing, through a version that knows less',
      crdOf([
        { name: 'v1', schema: V2 },
        { name: 'v2', schema: V1, subresources: { status: {} } },
      ]),
      create({ spec: { text: 'x', added: 'y' } }, { manager: 'm' }),
      mergePatch({ status: {} }, { ...v2, manager: 'n', subresource: 'status' }),
      mergePatch({}, { ...v2, manager: 'n' }),
      get(),
    ),
    area: 'objects',
  },
  {
    ...of(
      'writes that change nothing, after the schema has changed',
      crdOf([{ name: 'v1', schema: schema(atomic, { gone: string }) }]),
      create({ spec: { text: 'x', gone: 'y' } }, { manager: 'm' }),
      replaceSchema(schema(atomic, { preset: { ...string, default: 'z' } })),
      mergePatch({}, { manager: 'n' }),
      mergePatch({}, { manager: 'n' }),
    ),
    area: 'objects',
  },
  of(
    'one manager through two versions',
    two,
    apply('a', { spec: { text: 'x', list: [{ name: 'one', value: '1' }] } }),
    apply('a', { spec: { text: 'x' } }, v2),
    get(),
    apply('a', { spec: { text: 'x', added: 'y' } }, v2),
    apply('a', { spec: { text: 'x' } }),
    get(v2),
  ),
  of(
    'conflicts between versions',
    two,
    apply('a', { spec: { text: 'x' } }),
    apply('b', { spec: { text: 'y' } }, v2),
    mergePatch({ spec: { text: 'z' } }, { ...v2, manager: 'updater' }),
    apply('a', { spec: { text: 'x' } }),
    create({ spec: { text: 'x' } }, { ...v2, manager: 'creator', name: 'other' }),
    apply('a', { spec: { text: 'y' } }, { name: 'other' }),
  ),
  of(
    'one updater through two versions',
    two,
    create({ spec: { text: 'x' } }, { manager: 'm' }),
    mergePatch({ spec: { list: [{ name: 'one' }] } }, { ...v2, manager: 'm' }),
    mergePatch({ spec: { text: 'y' } }, { ...v2, manager: 'm' }),
    get(),
  ),
  of(
    'a list that becomes keyed',
    crdOf([{ name: 'v1', schema: ofList(atomic) }]),
    apply('a', { spec: { list: [{ name: 'one', value: '1' }] } }),
    create({ spec: { list: [{ name: 'one' }] } }, { manager: 'creator', name: 'u' }),
    replaceSchema(ofList(keyed)),
    get(),
    apply('a', { spec: { list: [{ name: 'one', value: '2' }] } }),
    apply('b', { spec: { list: [{ name: 'two' }] } }),
    mergePatch({ spec: { text: 'x' } }, { manager: 'p', name: 'u' }),
  ),
  of(
    'a list that becomes atomic',
    crdOf([{ name: 'v1', schema: ofList(keyed) }]),
    apply('a', { spec: { list: [{ name: 'one', value: '1' }] } }),
    apply('b', { spec: { list: [{ name: 'two', value: '1' }] } }),
    replaceSchema(ofList(atomic)),
    get(),
    apply('a', { spec: { list: [{ name: 'one', value: '2' }] } }),
    apply('b', { spec: { text: 'x' } }),
  ),
  of(
    'an object that becomes atomic and granular again',
    crdOf([{ name: 'v1', schema: nested({}) }]),
    apply('a', { spec: { nested: { a: '1' } } }),
    apply('b', { spec: { nested: { b: '1' } } }),
    replaceSchema(nested({ 'x-kubernetes-map-type': 'atomic' })),
    apply('a', { spec: { nested: { a: '1' } } }),
    apply('a', { spec: { nested: { a: '2' } } }, { force: true }),
    replaceSchema(nested({})),
    apply('b', { spec: { nested: { b: '2' } } }),
    apply('a', { spec: { nested: { b: '3' } } }),
  ),
  of(
    'a field that is removed from the schema',
    crdOf([{ name: 'v1', schema: schema(atomic, { gone: string }) }]),
    apply('a', { spec: { gone: 'x', text: 'y' } }),
    replaceSchema(schema(atomic)),
    get(),
    apply('a', { spec: { text: 'y' } }),
    apply('b', { spec: { text: 'z' } }, { force: true }),
  ),
  of(
    'a version that is no longer served',
    crdOf([
      { name: 'v1', schema: V1 },
      { name: 'v2', schema: V2 },
    ]),
    apply('a', { spec: { text: 'x', added: 'y' } }, v2),
    mergePatch({ spec: { text: 'z' } }, { ...v2, manager: 'updater' }),
    {
      method: 'PATCH',
      path: CRD_PATH,
      contentType: 'application/json-patch+json',
      body: [{ op: 'remove', path: '/spec/versions/1' }],
    },
    get(),
    apply('b', { spec: { text: 'w' } }),
    mergePatch({ spec: { text: 'q' } }, { manager: 'second' }),
    get(),
  ),
];
