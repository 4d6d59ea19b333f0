/** What Kubernetes answers to applies and to writes between them, recorded from its own server. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CallResponse, serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { patch, put, get, post } = calls;
const GROUP = 'contract.example.com';
const pathOf = (name: string, version = 'v1') => `/apis/${GROUP}/${version}/namespaces/default/widgets/${name}`;

const string = { type: 'string' };
const item = { type: 'object', required: ['name'], properties: { name: string, value: { type: 'integer' } } };
const v1 = {
  text: string,
  replicas: { type: 'integer' },
  resource: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  port: { 'x-kubernetes-int-or-string': true },
  anything: { 'x-kubernetes-preserve-unknown-fields': true },
  nullable: {
    type: 'object',
    default: { any: null, x: 1 },
    properties: { any: { 'x-kubernetes-preserve-unknown-fields': true }, x: { type: 'integer' } },
  },
  preset: { 'x-kubernetes-preserve-unknown-fields': true, default: 'x' },
  nested: { type: 'object', properties: { a: string, list: { type: 'array', items: { type: 'integer' } } } },
  whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: string } },
  objects: { type: 'array', items: { type: 'object', properties: { a: string } } },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
  items: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: item },
  open: {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { inner: { type: 'object', properties: { a: string } } },
  },
};
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const versionOf = (properties: object) => ({
  subresources: { status: {}, scale },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { phase: string } } },
    },
  },
});

beforeAll(() => define(calls, { group: GROUP, versions: [versionOf(v1), versionOf({ ...v1, added: string })] }));

const apply = (name: string, fields: object, fieldManager = 'a', { version = 'v1', sub = '', force = 'false' } = {}) =>
  patch(
    pathOf(name, version) + sub,
    'apply',
    { apiVersion: `${GROUP}/${version}`, kind: 'Widget', metadata: { name }, ...fields },
    { query: { fieldManager, force } },
  );

const ownersOf = ({ body }: CallResponse): Record<string, unknown> =>
  Object.fromEntries(
    ((body.metadata.managedFields ?? []) as { manager: string; fieldsV1: Record<string, unknown> }[]).map(
      ({ manager, fieldsV1 }) => [manager, fieldsV1],
    ),
  );

const untyped = (name: string, why: string) =>
  `failed to create typed patch object (/${name}; ${GROUP}/v1, Kind=Widget): ${why}`;

describe('a configuration that does not fit is refused', () => {
  it.each<[string, object, string]>([
    [
      'unknown field in an atomic list',
      { objects: [{ foo: 1 }] },
      '.spec.objects[0].foo: field not declared in schema',
    ],
    ['item of an atomic list', { objects: ['x'] }, '.spec.objects[0]: expected map, got &{x}'],
    [
      'field of an atomic map',
      { whole: { a: 1 } },
      '.spec.whole.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'null in a set',
      { set: ['a', null] },
      ".spec.set: element 1: associative list without keys has an element that's an explicit null",
    ],
    [
      'key that is an object',
      { items: [{ name: {} }] },
      '.spec.items[name=].name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}',
    ],
    [
      'key that is a list',
      { items: [{ name: [{ b: 'x' }] }] },
      '.spec.items[name=[b="x"]].name: expected string, got &value.valueUnstructured{Value:[]interface {}{map[string]interface {}{"b":"x"}}}',
    ],
    [
      'list without keys, of which the others are not looked at',
      { items: [{ value: 1 }, { name: 1 }] },
      `.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
    ],
    [
      'several things',
      { objects: [1], text: [] },
      'errors:\n  .spec.objects[0]: expected map, got &{1}\n  .spec.text: expected string, got &value.valueUnstructured{Value:[]interface {}{}}',
    ],
  ])('%s', async (_, spec, why) => {
    expect(await apply('untyped', { spec })).toMatchObject({ status: 500, body: { message: untyped('untyped', why) } });
  });

  it.each<[string, object, string, string]>([
    ['list where a number or text belongs', { port: [] }, 'spec.port', 'integer,string: "array"'],
    ['object where a number or text belongs', { port: { a: 1 } }, 'spec.port', 'integer,string: "object"'],
    ['null for a key', { items: [{ name: null }] }, 'spec.items[0].name', 'string: "null"'],
    ['null for a text', { text: null }, 'spec.text', 'string: "null"'],
  ])('by validation: %s', async (_, spec, field, type) => {
    const answer = await apply('invalid', { spec });
    expect(answer).toMatchObject({ status: 422, body: { details: { causes: [{ field }] } } });
    expect((answer.body as { message?: string }).message).toContain(`${field} in body must be of type ${type}`);
  });

  it('for an owner without a uid, once', async () => {
    const metadata = { name: 'owned', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] };
    const answer = await apply('owned', { metadata });
    const message = `Widget.${GROUP} "owned" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty`;
    expect(answer).toMatchObject({ status: 422, body: { message } });
  });

  it('after the object was found, and not before', async () => {
    const answer = await apply('missing', { nope: 1 }, 'a', { sub: '/status' });
    expect(answer).toMatchObject({ status: 404, body: { message: `widgets.${GROUP} "missing" not found` } });
  });

  it('where its body says nothing', async () => {
    const answer = await patch(pathOf('empty'), 'apply', null, { query: { fieldManager: 'a' } });
    expect(answer).toMatchObject({ status: 400, body: { message: 'invalid object type: /, Kind=' } });
  });

  it('by its namespace before its name', async () => {
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { namespace: 'kube-system' } };
    const answer = await patch(pathOf('elsewhere'), 'apply', body, { query: { fieldManager: 'a' } });
    const message = 'the namespace of the provided object does not match the namespace sent on the request';
    expect(answer).toMatchObject({ status: 400, body: { message } });
  });
});

describe('nulls', () => {
  it('that an apply sends are owned, and not stored where the schema does not allow them', async () => {
    const answer = await apply('nulls', { spec: { anything: null, preset: null } });
    expect(answer.body.spec).toEqual({ preset: 'x', nullable: { x: 1 } });
    expect(ownersOf(answer)).toEqual({ a: { 'f:spec': { 'f:anything': {}, 'f:preset': {} } } });
  });

  it('of a default are not stored', async () => {
    await apply('defaulted', { spec: { text: 'x' } });
    const answer = await patch(pathOf('defaulted'), 'json', [{ op: 'remove', path: '/spec/nullable' }]);
    expect(answer.body.spec).toEqual({ text: 'x', preset: 'x', nullable: { x: 1 } });
  });

  it('that a removal leaves are refused', async () => {
    await apply('emptied', { spec: { nested: { list: [3] } } });
    const answer = await apply('emptied', { spec: { nested: {} } });
    expect(answer.status).toBe(422);
    const cause = { field: 'spec.nested', reason: 'FieldValueTypeInvalid' };
    expect(answer.body).toMatchObject({ details: { causes: [cause] } });
  });

  it('of an update are dropped where the schema allows any type, and nobody owns them', async () => {
    await apply('dropped', { spec: { text: 'x' } });
    const merged = await patch(
      pathOf('dropped'),
      'merge',
      { spec: { objects: [{ a: null }], anything: [null] } },
      { query: { fieldManager: 'b' } },
    );
    expect(merged.body.spec).toMatchObject({ objects: [{}], anything: [null] });
  });
});

describe('values that change their type', () => {
  it('are lost by who owned them as what they were', async () => {
    await apply('list', { spec: { anything: [1, { a: 2 }] } });
    const answer = await apply('list', { spec: { anything: { x: {} } } }, 'b', { force: 'true' });
    expect(ownersOf(answer)).toEqual({ b: { 'f:spec': { 'f:anything': { 'f:x': {} } } } });
  });

  it('are lost part by part where they were maps', async () => {
    const before = await apply('map', { spec: { anything: { k: 'x', l: '' }, text: 'y' } });
    const { metadata } = before.body;
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata, spec: { anything: [{}], text: 'y' } };
    const answer = await put(pathOf('map'), body, { query: { fieldManager: 'b' } });
    expect(ownersOf(answer)).toMatchObject({
      a: { 'f:spec': { 'f:text': {} } },
      b: { 'f:spec': { 'f:anything': {} } },
    });
  });

  it('below what keeps unknown fields are kept too', async () => {
    const answer = await apply('open', { spec: { open: { inner: { a: 'x', b: 1 } } } });
    expect(answer.status).toBe(201);
  });
});

describe('an object that is being deleted', () => {
  it('is answered as the last write left it', async () => {
    const before = await apply('going', { metadata: { name: 'going', finalizers: ['example.com/f'] } });
    expect(before.status).toBe(201);
    await calls.delete(pathOf('going'));
    const { resourceVersion } = (await get(pathOf('going'))).body.metadata;
    const answer = await apply('going', { spec: { text: 'x' } });
    expect(answer).toMatchObject({ status: 200, body: { metadata: { resourceVersion }, spec: { text: 'x' } } });
    expect(answer.body.metadata.finalizers).toBeUndefined();
    expect((await get(pathOf('going'))).status).toBe(404);
  });
});

describe('what a write says of itself', () => {
  const merge = (name: string, body: object, query = {}) => patch(pathOf(name), 'merge', body, { query });
  const entry = { operation: 'Apply', apiVersion: `${GROUP}/v1`, fieldsType: 'FieldsV1' };

  it('may name no manager, and then has none', async () => {
    await apply('anonymous', { spec: { text: 'x' } });
    const fieldsV1 = { 'f:spec': { 'f:text': {} } };
    const answer = await merge('anonymous', { metadata: { managedFields: [{ ...entry, fieldsV1 }] } });
    expect(answer.body.metadata.managedFields).toEqual([{ ...entry, fieldsV1 }]);
  });

  it('may change what names are generated from, which belongs to it like a label', async () => {
    await apply('generated', { spec: { text: 'x' } });
    const answer = await apply('generated', { metadata: { name: 'generated', generateName: 'x-' } }, 'b');
    expect(answer.body.metadata.generateName).toBe('x-');
    expect(ownersOf(answer).b).toEqual({ 'f:metadata': { 'f:generateName': {} } });
  });

  it('is not heard where its fields cannot be read', async () => {
    const { body } = await apply('unreadable', { spec: { text: 'x' } });
    const answer = await merge('unreadable', { metadata: { managedFields: [{ ...entry, fieldsV1: 'text' }] } });
    expect(answer).toMatchObject({ status: 200, body: { metadata: { managedFields: body.metadata.managedFields } } });
  });

  it.each<[string, object, object, string]>([
    [
      'no grace period',
      { metadata: { deletionGracePeriodSeconds: 3 } },
      {},
      'metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable',
    ],
    ['no other dry run', {}, { dryRun: 'Some' }, 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
    [
      'no negative replicas',
      { spec: { replicas: -1 } },
      {},
      '.spec.replicas: Invalid value: -1: should be a non-negative integer',
    ],
  ])('sets %s', async (_, body, query, why) => {
    await apply('checked', { spec: { text: 'x' } });
    const answer = await merge('checked', body, query);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(why);
  });

  it('is warned of where it is refused for having no version', async () => {
    await apply('unversioned', { spec: { text: 'x' } });
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'unversioned' }, other: 1 };
    const answer = await put(pathOf('unversioned'), body);
    expect(answer).toMatchObject({ status: 422, headers: { warning: '299 - "unknown field \\"other\\""' } });
  });

  it('is the same through the scale', async () => {
    await apply('scaled', { spec: { replicas: 1 } });
    const answer = await patch(`${pathOf('scaled')}/scale`, 'merge', { spec: { replicas: -3 } });
    const message = `Widget.${GROUP} "scaled" is invalid: .spec.replicas: Invalid value: -3: should be a non-negative integer`;
    expect(answer).toMatchObject({ status: 422, body: { message } });
  });

  it('leaves no empty time in an embedded object', async () => {
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n', creationTimestamp: null } };
    const answer = await apply('embedded', { spec: { resource } });
    expect(answer.body.spec).toMatchObject({ resource: { ...resource, metadata: { name: 'n' } } });
    expect(answer.body.spec).not.toHaveProperty('resource.metadata.creationTimestamp');
  });
});

describe('two versions', () => {
  it('show what the stored one has room for, whatever was owned', async () => {
    const answer = await apply('added', { spec: { text: 'x', added: 'y' } }, 'a', { version: 'v2' });
    expect(answer.body.spec).toMatchObject({ text: 'x', preset: 'x' });
    expect(answer.body.spec).not.toHaveProperty('added');
    expect(ownersOf(answer)).toEqual({ a: { 'f:spec': { 'f:added': {}, 'f:text': {} } } });
    expect((await get(pathOf('added', 'v2'))).body.spec).not.toHaveProperty('added');
  });
});

describe('before the first apply', () => {
  it('of a status, whoever was there owns nothing else', async () => {
    const name = 'unowned';
    await post(pathOf('').slice(0, -1), {
      apiVersion: `${GROUP}/v1`,
      kind: 'Widget',
      metadata: { name },
      spec: { text: 'x' },
    });
    await patch(pathOf(name), 'merge', { metadata: { managedFields: [{}] } });
    const answer = await apply(name, { spec: { text: 'x' } }, 'a', { sub: '/status' });
    expect(answer).toMatchObject({ status: 200 });
    expect(ownersOf(answer)).toEqual({});
  });
});
