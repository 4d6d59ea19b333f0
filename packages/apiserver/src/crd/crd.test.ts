import type { UnknownObject } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';
import { define, definitionCondition, widgetDefinition } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, post, put, patch, delete: remove } = calls;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const pathOf = (group: string, version = 'v1') => `/apis/${group}/${version}/namespaces/default/widgets`;
const schema = (properties: object, more: object = {}) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties, ...more } } },
});
const spec = ({ body }: { body: UnknownObject }): unknown => body.spec;

async function gone(path: string): Promise<void> {
  while ((await get(path)).status !== 404) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Changes a definition's first version. */
const redefine = (name: string, version: object) =>
  patch(`${DEFINITIONS}/${name}`, 'json', [
    ...Object.entries(version).map(([field, value]) => ({ op: 'add', path: `/spec/versions/0/${field}`, value })),
  ]);

describe('a definition', () => {
  it('is served once it is established, and no more when it is gone', async () => {
    const path = pathOf('life.example.com');
    expect((await get(path)).status).toBe(404);
    await define(calls, { group: 'life.example.com' });
    expect((await get(path)).body).toMatchObject({ kind: 'WidgetList', apiVersion: 'life.example.com/v1', items: [] });
    await remove(`${DEFINITIONS}/widgets.life.example.com`);
    await gone(`${DEFINITIONS}/widgets.life.example.com`);
    expect((await get(path)).status).toBe(404);
  });

  it('whose names are taken waits until they are free', async () => {
    await define(calls, { group: 'names.example.com' });
    const rival = widgetDefinition({ group: 'names.example.com', plural: 'gadgets', kind: 'Widget' });
    await post(DEFINITIONS, rival);
    const refused = await definitionCondition(calls, 'gadgets.names.example.com', 'NamesAccepted', 'False');
    expect(refused).toMatchObject({ reason: 'ListKindConflict', message: '"WidgetList" is already in use' });
    expect((await get('/apis/names.example.com/v1/namespaces/default/gadgets')).status).toBe(404);
    await remove(`${DEFINITIONS}/widgets.names.example.com`);
    await definitionCondition(calls, 'gadgets.names.example.com', 'Established');
    expect((await get('/apis/names.example.com/v1/namespaces/default/gadgets')).status).toBe(200);
  });

  it('that is deleted takes its objects with it, as their finalizers allow', async () => {
    const path = pathOf('emptied.example.com');
    await define(calls, { group: 'emptied.example.com' });
    await Promise.all(Array.from({ length: 70 }, (_, index) => post(path, { metadata: { name: `w${index}` } })));
    await post(path, { metadata: { name: 'kept', finalizers: ['example.com/keep'] } });
    const pending = { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending' };
    expect(await remove(`${DEFINITIONS}/widgets.emptied.example.com`)).toMatchObject({
      status: 200,
      body: {
        metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
        status: { conditions: expect.arrayContaining([expect.objectContaining(pending)]) },
      },
    });
    expect(await post(path, { metadata: { name: 'late' } })).toMatchObject({
      status: 405,
      body: { message: 'create not allowed while custom resource definition is terminating' },
    });
    while ((await get(path)).body.items.length > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await patch(`${path}/kept`, 'merge', { metadata: { finalizers: null } });
    await gone(`${DEFINITIONS}/widgets.emptied.example.com`);
    await define(calls, { group: 'emptied.example.com' });
    expect((await get(path)).body.items).toEqual([]);
  });

  it('that somebody else holds back says that its objects are gone', async () => {
    const name = 'widgets.held.example.com';
    const { metadata, status } = await define(calls, { group: 'held.example.com' });
    expect(metadata).not.toHaveProperty('finalizers');
    expect(status).toEqual({ conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
    await patch(`${DEFINITIONS}/${name}`, 'merge', { metadata: { finalizers: ['example.com/keep'] } });
    await patch(`${DEFINITIONS}/${name}/status`, 'merge', { status: { storedVersions: ['v9'] } });
    expect((await remove(`${DEFINITIONS}/${name}`)).body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const done = { reason: 'InstanceDeletionCompleted', message: 'removed all instances' };
    expect(await definitionCondition(calls, name, 'Terminating', 'False')).toMatchObject(done);
    expect(await remove(`${DEFINITIONS}/${name}`)).toMatchObject({
      status: 200,
      body: { metadata: { deletionGracePeriodSeconds: 0, finalizers: ['example.com/keep'] } },
    });
    const last = await patch(`${DEFINITIONS}/${name}/status`, 'merge', { metadata: { finalizers: null } });
    expect([last.status, last.body.metadata.finalizers]).toEqual([200, undefined]);
    await gone(`${DEFINITIONS}/${name}`);
  });

  it('that serves no version any more takes its objects with it, too', async () => {
    const path = pathOf('hidden.example.com');
    await define(calls, { group: 'hidden.example.com' });
    await post(path, { metadata: { name: 'hidden' } });
    await redefine('widgets.hidden.example.com', { served: false });
    expect((await get(path)).status).toBe(404);
    await remove(`${DEFINITIONS}/widgets.hidden.example.com`);
    await gone(`${DEFINITIONS}/widgets.hidden.example.com`);
    await define(calls, { group: 'hidden.example.com' });
    expect((await get(path)).body.items).toEqual([]);
  });
});

describe('the schema', () => {
  it('defaults, prunes and checks', async () => {
    const path = pathOf('schema.example.com');
    const properties = {
      size: { type: 'integer', default: 3, minimum: 1 },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    };
    await define(calls, { group: 'schema.example.com', versions: [{ schema: schema(properties) }] });
    const sent = { metadata: { name: 'a' }, spec: { unknown: 1, free: { anything: 1 } } };
    const made = await post(path, sent);
    expect(made.headers.warning).toBe('299 - "unknown field \\"spec.unknown\\""');
    expect(spec(made)).toEqual({ size: 3, free: { anything: 1 } });
    expect((await post(path, sent, { query: { fieldValidation: 'Strict' } })).status).toBe(400);
    expect(await post(path, { metadata: { name: 'b' }, spec: { size: 0 } })).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining('spec.size: Invalid value: 0'),
        details: { group: 'schema.example.com', kind: 'Widget', causes: [{ field: 'spec.size' }] },
      },
    });
    expect((await post(path, { metadata: { name: 'b' }, spec: { size: 'big' } })).status).toBe(422);
  });

  it('locks nothing that was stored before it became stricter', async () => {
    const path = pathOf('stricter.example.com');
    const limited = (maximum: number) => schema({ size: { type: 'integer', maximum }, note: { type: 'string' } });
    await define(calls, { group: 'stricter.example.com', versions: [{ schema: limited(100) }] });
    await post(path, { metadata: { name: 'old' }, spec: { size: 50 } });
    await redefine('widgets.stricter.example.com', { schema: limited(10) });
    const isStrict = () => post(path, { metadata: { name: 'new' }, spec: { size: 50 } }, { query: { dryRun: 'All' } });
    while ((await isStrict()).status !== 422) await new Promise((resolve) => setTimeout(resolve, 5));
    const changed = await patch(`${path}/old`, 'merge', { metadata: { labels: { a: 'b' } }, spec: { note: 'kept' } });
    expect([changed.status, spec(changed)]).toEqual([200, { size: 50, note: 'kept' }]);
    expect((await patch(`${path}/old`, 'merge', { spec: { size: 51 } })).status).toBe(422);
    expect((await patch(`${path}/old`, 'merge', { spec: { size: 5 } })).status).toBe(200);
  });

  it('keeps numbers within their format, by every way in', async () => {
    const path = pathOf('numbers.example.com');
    const int32 = { type: 'integer', format: 'int32' };
    const counted = { type: 'object', properties: { n: { ...int32, maximum: 10 } } };
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    await define(calls, {
      group: 'numbers.example.com',
      versions: [
        {
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: counted, status: counted } } },
          subresources: { status: {}, scale },
        },
      ],
    });
    const made = (await post(path, { metadata: { name: 'a' }, spec: { n: 1 } })).body;
    const big = 3_000_000_000;
    const refusal = (field: string, root = '<nil>', name = field) => ({
      status: 422,
      body: {
        message: `Widget.numbers.example.com "a" is invalid: [${root}: Invalid value: "": Checked value must be of type integer with format int32 in ${name}, ${field}: Invalid value: 3000000000: ${name} in body should be less than or equal to 10]`,
        details: { causes: [{ field: root }, { field }] },
      },
    });
    expect(await post(path, { metadata: { name: 'a' }, spec: { n: big } })).toMatchObject(refusal('spec.n'));
    expect(await put(`${path}/a`, { ...made, spec: { n: big } })).toMatchObject(refusal('spec.n'));
    expect(await patch(`${path}/a`, 'merge', { spec: { n: big } })).toMatchObject(refusal('spec.n'));
    expect(await patch(`${path}/a/status`, 'merge', { status: { n: big } })).toMatchObject(
      refusal('status.n', 'status', 'n'),
    );
    const text = 'json: cannot unmarshal number 3000000000 into Go struct field ScaleSpec.spec.replicas of type int32';
    const scaled = (status: number) => ({ status, body: { message: expect.stringContaining(text) } });
    expect(await put(`${path}/a/scale`, { metadata: { name: 'a' }, spec: { replicas: big } })).toMatchObject(
      scaled(400),
    );
    expect(await patch(`${path}/a/scale`, 'merge', { spec: { replicas: big } })).toMatchObject(scaled(422));
  });

  it('applies at once when it changes, to what is stored as well', async () => {
    const path = pathOf('changes.example.com');
    const name = 'widgets.changes.example.com';
    await define(calls, { group: 'changes.example.com', versions: [{ schema: schema({ old: { type: 'string' } }) }] });
    const before = await post(path, { metadata: { name: 'a' }, spec: { old: 'x' } });
    await redefine(name, { schema: schema({ fresh: { type: 'string', default: 'new' } }) });
    expect(spec(await get(`${path}/a`))).toEqual({ fresh: 'new' });
    expect((await get(path)).body.items.map(({ spec: each }) => each)).toEqual([{ fresh: 'new' }]);
    expect((await get(`${path}/a`)).body.metadata).toEqual(before.body.metadata);
    const stored = (await patch(`${path}/a`, 'merge', {})).body;
    expect(stored.metadata.resourceVersion).not.toBe(before.body.metadata.resourceVersion);
    expect((await patch(`${path}/a`, 'merge', {})).body).toEqual(stored);
    expect(spec(await post(path, { metadata: { name: 'b' }, spec: { old: 'x' } }))).toEqual({ fresh: 'new' });
    await redefine(name, { schema: schema({ fresh: { type: 'string', enum: ['other'] } }) });
    expect((await post(path, { metadata: { name: 'c' }, spec: { fresh: 'new' } })).status).toBe(422);
  });

  it('that preserves unknown fields keeps them', async () => {
    const path = pathOf('keeps.example.com');
    await define(calls, { group: 'keeps.example.com' });
    expect((await post(path, { metadata: { name: 'a' }, any: { thing: [1] } })).body.any).toEqual({ thing: [1] });
  });
});

describe('versions', () => {
  it('show one object each in its own, and only those that are served', async () => {
    await define(calls, {
      group: 'many.example.com',
      versions: [
        {},
        {
          schema: {
            openAPIV3Schema: {
              type: 'object',
              'x-kubernetes-preserve-unknown-fields': true,
              properties: { colour: { type: 'string', default: 'red' } },
            },
          },
        },
        { served: false },
      ],
    });
    await post(pathOf('many.example.com', 'v2'), { metadata: { name: 'a' }, size: 1 });
    const [v1, v2] = [await get(`${pathOf('many.example.com')}/a`), await get(`${pathOf('many.example.com', 'v2')}/a`)];
    expect(v1.body).toMatchObject({ apiVersion: 'many.example.com/v1', size: 1, colour: 'red' });
    expect(v2.body).toMatchObject({ apiVersion: 'many.example.com/v2', size: 1, colour: 'red' });
    expect((await get(pathOf('many.example.com', 'v3'))).status).toBe(404);
    await post(pathOf('many.example.com'), { metadata: { name: 'b' } });
    // What is stored has the defaults of the stored version only.
    expect((await get(`${pathOf('many.example.com', 'v2')}/b`)).body.colour).toBeUndefined();
    const changed = await put(`${pathOf('many.example.com')}/a`, { ...v1.body, size: 2 });
    expect(changed).toMatchObject({ status: 200, body: { apiVersion: 'many.example.com/v1', size: 2 } });
    expect(await put(`${pathOf('many.example.com')}/a`, v2.body)).toMatchObject({ status: 400 });
  });

  it('lose what they do not know with any write, even one that changes nothing', async () => {
    const group = 'narrow.example.com';
    const known = schema({ a: { type: 'string' } });
    const status = { subresources: { status: {} } };
    await define(calls, {
      group,
      versions: [{ schema: known }, { schema: { openAPIV3Schema: { type: 'object' } }, ...status }],
    });
    const { metadata } = (await post(pathOf(group), { metadata: { name: 'a' }, spec: { a: 'x' } })).body;
    const written = await patch(`${pathOf(group, 'v2')}/a/status`, 'merge', {});
    expect(written.body.metadata.resourceVersion).not.toBe(metadata.resourceVersion);
    expect(written.body.metadata.managedFields).toEqual(metadata.managedFields);
    expect((await get(`${pathOf(group)}/a`)).body).not.toHaveProperty('spec');
    expect((await patch(`${pathOf(group, 'v2')}/a/status`, 'merge', {})).body).toEqual(written.body);
  });

  it('can take over storage', async () => {
    const name = 'widgets.moves.example.com';
    await define(calls, { group: 'moves.example.com', versions: [{}, {}] });
    await post(pathOf('moves.example.com'), { metadata: { name: 'a' } });
    await patch(`${DEFINITIONS}/${name}`, 'json', [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ]);
    for (;;) {
      const { status } = (await get(`${DEFINITIONS}/${name}`)).body as { status?: { storedVersions?: string[] } };
      if (status?.storedVersions?.length === 2) break;
    }
    expect((await get(`${pathOf('moves.example.com', 'v2')}/a`)).status).toBe(200);
  });

  it('that are deprecated say so', async () => {
    await define(calls, {
      group: 'dated.example.com',
      versions: [{}, { deprecated: true }, { deprecated: true, deprecationWarning: 'use "v1"' }],
    });
    const warning = async (version: string) => (await get(pathOf('dated.example.com', version))).headers.warning;
    expect(await warning('v1')).toBeUndefined();
    expect(await warning('v2')).toBe('299 - "dated.example.com/v2 Widget is deprecated"');
    expect(await warning('v3')).toBe('299 - "use \\"v1\\""');
  });
});

describe('what a definition adds', () => {
  it('are subresources for status and scale', async () => {
    const path = pathOf('scaled.example.com');
    const scale = {
      specReplicasPath: '.spec.count',
      statusReplicasPath: '.status.count',
      labelSelectorPath: '.status.selector',
    };
    await define(calls, { group: 'scaled.example.com', versions: [{ subresources: { status: {}, scale } }] });
    await post(path, { metadata: { name: 'a' }, spec: { count: 1 } });
    await patch(`${path}/a/status`, 'merge', { status: { count: 1, selector: 'a=b' } });
    expect((await get(`${path}/a/scale`)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { replicas: 1, selector: 'a=b' },
    });
    expect((await patch(`${path}/a/scale`, 'merge', { spec: { replicas: 4 } })).body.spec).toEqual({ replicas: 4 });
    expect(spec(await get(`${path}/a`))).toEqual({ count: 4 });
  });

  it('are fields to select by and columns to show', async () => {
    const path = pathOf('shown.example.com');
    await define(calls, {
      group: 'shown.example.com',
      versions: [
        {
          schema: schema({ colour: { type: 'string' }, size: { type: 'integer' } }),
          selectableFields: [{ jsonPath: '.spec.colour' }],
          additionalPrinterColumns: [
            { name: 'Colour', type: 'string', jsonPath: '.spec.colour' },
            { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
          ],
        },
      ],
    });
    for (const [name, colour] of Object.entries({ a: 'red', b: 'blue', c: 'red' }))
      await post(path, { metadata: { name }, spec: { colour, size: 2 } });
    const red = await get(path, { query: { fieldSelector: 'spec.colour=red' } });
    expect(red.body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect((await get(path, { query: { fieldSelector: 'spec.size=2' } })).status).toBe(400);
    const { body } = await get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(body).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Colour' }, { name: 'Size', priority: 1 }],
      rows: [{ cells: ['a', 'red', 2] }, { cells: ['b', 'blue', 2] }, { cells: ['c', 'red', 2] }],
    });
  });
});
