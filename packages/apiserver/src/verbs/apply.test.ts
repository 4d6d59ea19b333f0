import { beforeAll, describe, expect, it } from 'vitest';
import { type CallResponse, callsOver, serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, post, put, patch } = calls;

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WIDGETS = '/apis/apply.example.com/v1/namespaces/default/widgets';

type Entry = {
  manager: string;
  operation: string;
  apiVersion: string;
  time?: string;
  fieldsV1: object;
  subresource?: string;
};

const entriesOf = ({ body }: CallResponse): Entry[] => (body.metadata.managedFields ?? []) as Entry[];

/** Who owns what, without versions and times. */
const ownersOf = (response: CallResponse): Record<string, object> =>
  Object.fromEntries(
    entriesOf(response).map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, ...(subresource ? [subresource] : [])].join(' '),
      fieldsV1,
    ]),
  );

const map = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const applyMap = (name: string, data: object, fieldManager: string, query: object = {}) =>
  patch(`${MAPS}/${name}`, 'apply', map(name, data), { query: { fieldManager, ...query } });
const widget = (name: string, fields: object) => ({
  apiVersion: 'apply.example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...fields,
});
const applyWidget = (path: string, name: string, fields: object, fieldManager: string, query: object = {}) =>
  patch(`${WIDGETS}/${path}`, 'apply', widget(name, fields), { query: { fieldManager, ...query } });

beforeAll(() =>
  define(calls, {
    group: 'apply.example.com',
    versions: [
      {
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer' },
                  size: { type: 'string', default: 'small' },
                  rules: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, to: { type: 'string' } },
                    },
                  },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  }),
);

describe('an apply', () => {
  it('creates what is not there; its manager owns what it says', async () => {
    const response = await applyMap('new', { a: '1' }, 'one');
    expect(response).toMatchObject({ status: 201, body: { data: { a: '1' } } });
    expect(entriesOf(response)).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: response.body.metadata.creationTimestamp,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]);
    expect((await applyMap('new', { a: '2' }, 'one')).status).toBe(200);
  });

  it('that is repeated writes nothing', async () => {
    const first = await applyMap('again', { a: '1' }, 'one');
    const second = await applyMap('again', { a: '1' }, 'one');
    expect(second.body).toEqual(first.body);
  });

  it('is refused where others own what it changes, and forced where that is asked for', async () => {
    await applyMap('mine', { a: '1', b: '1' }, 'one');
    await patch(`${MAPS}/mine`, 'merge', { data: { b: '2' } }, { query: { fieldManager: 'editor' } });
    const refused = await applyMap('mine', { a: '3', b: '3' }, 'two');
    expect(refused).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message:
          'Apply failed with 2 conflicts: conflicts with "editor" using v1:\n- .data.b\nconflicts with "one":\n- .data.a',
        details: {
          causes: [
            { reason: 'FieldManagerConflict', message: 'conflict with "editor" using v1', field: '.data.b' },
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
          ],
        },
      },
    });
    const forced = await applyMap('mine', { a: '3', b: '3' }, 'two', { force: true });
    expect(ownersOf(forced)).toEqual({ 'two Apply': { 'f:data': { 'f:a': {}, 'f:b': {} } } });
  });

  it('removes what it no longer says, and leaves what somebody else owns', async () => {
    await applyMap('less', { a: '1', b: '1', c: '1' }, 'one');
    await applyMap('less', { b: '1' }, 'two');
    expect((await applyMap('less', { a: '1' }, 'one')).body.data).toEqual({ a: '1', b: '1' });
  });

  it('removes the last label, and keeps the name', async () => {
    const labelled = map('labelled', { a: '1' }, { labels: { app: 'x' }, annotations: { note: 'y' } });
    const query = { fieldManager: 'one' };
    await patch(`${MAPS}/labelled`, 'apply', labelled, { query });
    const response = await applyMap('labelled', { a: '1' }, 'one');
    expect(response).toMatchObject({ status: 200, body: { metadata: { name: 'labelled', namespace: 'default' } } });
    expect(response.body.metadata.labels).toBeUndefined();
    expect(response.body.metadata.uid).toBeDefined();
  });

  it('brings defaults back, which nobody owns', async () => {
    await applyWidget('defaulted', 'defaulted', { spec: { size: 'large', replicas: 1 } }, 'one');
    const response = await applyWidget('defaulted', 'defaulted', { spec: { replicas: 1 } }, 'one');
    expect(response.body.spec).toEqual({ size: 'small', replicas: 1 });
    expect(ownersOf(response)).toEqual({ 'one Apply': { 'f:spec': { 'f:replicas': {} } } });
  });

  it('merges lists by their keys, of built-in kinds too', async () => {
    const pod = (name: string, containers: object[], labels?: object) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...(labels && { labels }) },
      spec: { containers },
    });
    const made = await post(PODS, pod('listed', [{ name: 'app', image: 'a', ports: [{ containerPort: 80 }] }]), {
      query: { fieldManager: 'maker' },
    });
    expect(ownersOf(made)['maker Update']).toMatchObject({
      'f:spec': {
        'f:containers': {
          'k:{"name":"app"}': {
            '.': {},
            'f:image': {},
            'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
            'f:resources': {},
          },
        },
      },
    });
    const query = { fieldManager: 'labeller' };
    const labelled = await patch(`${PODS}/listed`, 'apply', pod('listed', [{ name: 'app' }], { a: 'b' }), { query });
    expect(labelled).toMatchObject({ status: 200, body: { metadata: { labels: { a: 'b' } } } });
    const refused = await patch(`${PODS}/listed`, 'apply', pod('listed', [{ name: 'app', image: 'b' }]), { query });
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "maker" using v1: .spec.containers[name="app"].image',
    );
  });

  it('of a status owns it under that name, and nothing of the spec', async () => {
    await applyWidget('stated', 'stated', { spec: { replicas: 1 } }, 'one');
    const response = await applyWidget(
      'stated/status',
      'stated',
      { spec: { replicas: 5 }, status: { phase: 'Up' } },
      'two',
    );
    expect(response).toMatchObject({ status: 200, body: { spec: { replicas: 1 }, status: { phase: 'Up' } } });
    expect(ownersOf(response)).toEqual({
      'one Apply': { 'f:spec': { 'f:replicas': {} } },
      'two Apply status': { 'f:status': { 'f:phase': {} } },
    });
    const other = await applyWidget('stated/status', 'stated', { status: { phase: 'Down' } }, 'three');
    expect(other.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "two" with subresource "status": .status.phase',
    );
    expect((await applyWidget('absent/status', 'absent', {}, 'two')).status).toBe(404);
  });

  it('of a scale owns the number of replicas', async () => {
    await applyWidget('scaled', 'scaled', { spec: { replicas: 1 } }, 'one');
    const scale = (replicas: number) => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'scaled' },
      spec: { replicas },
    });
    const applyScale = (replicas: number, query: object) =>
      patch(`${WIDGETS}/scaled/scale`, 'apply', scale(replicas), { query: { fieldManager: 'scaler', ...query } });
    expect((await applyScale(3, {})).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    );
    expect((await applyScale(3, { force: true })).body.spec).toEqual({ replicas: 3 });
    expect(ownersOf(await get(`${WIDGETS}/scaled`))).toEqual({
      'scaler Apply scale': { 'f:spec': { 'f:replicas': {} } },
    });
  });

  it('may be tried without writing', async () => {
    const response = await applyMap('tried', { a: '1' }, 'one', { dryRun: 'All' });
    expect(response).toMatchObject({ status: 201, body: { data: { a: '1' } } });
    expect((await get(`${MAPS}/tried`)).status).toBe(404);
  });

  it.each<[string, number, string, object | undefined, object?]>([
    [
      'a manager',
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      map('wrong', {}),
      { fieldManager: '' },
    ],
    ['its type', 400, 'invalid object type: /v1, Kind=Pod', { ...map('wrong', {}), kind: 'Pod' }],
    [
      'its version',
      400,
      'invalid object type: apps/v1, Kind=ConfigMap',
      { ...map('wrong', {}), apiVersion: 'apps/v1' },
    ],
    ['no managers', 400, 'metadata.managedFields must be nil', map('wrong', {}, { managedFields: [] })],
    [
      'fields that the schema knows',
      500,
      'failed to create typed patch object (/wrong; /v1, Kind=ConfigMap): errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:1}\n  .nope: field not declared in schema',
      { ...map('wrong', { a: 1 }), nope: 1 },
    ],
    [
      'the uid of what is there',
      409,
      'Operation cannot be fulfilled on configmaps "wrong": uid mismatch: the provided object specified uid U, and no existing object was found',
      map('wrong', {}, { uid: 'U' }),
    ],
    [
      'the name of the path',
      400,
      'the name of the object (other) does not match the name on the URL (wrong)',
      map('other', {}),
    ],
  ])('takes %s', async (_, status, message, body, query = { fieldManager: 'one' }) => {
    expect(await patch(`${MAPS}/wrong`, 'apply', body, { query: { ...query } })).toMatchObject({
      status,
      body: { message },
    });
  });

  it('names the object that it changes, if it wants to', async () => {
    await applyMap('known', { a: '1' }, 'one');
    const body = map('known', { a: '2' }, { uid: 'other' });
    const response = await patch(`${MAPS}/known`, 'apply', body, { query: { fieldManager: 'one' } });
    expect(response.body.message).toBe(
      'ConfigMap "known" is invalid: metadata.uid: Invalid value: "other": field is immutable',
    );
  });

  it('names the version that it changes, if it wants to', async () => {
    await applyMap('versioned', { a: '1' }, 'one');
    const body = map('versioned', { a: '2' }, { resourceVersion: '1' });
    const response = await patch(`${MAPS}/versioned`, 'apply', body, { query: { fieldManager: 'one' } });
    expect(response).toMatchObject({ status: 409, body: { message: expect.stringContaining('has been modified') } });
  });

  it('needs the right to create where it creates', async () => {
    const role = { apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] };
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', {
      metadata: { name: 'patcher' },
      rules: [role],
    });
    await post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'patcher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'patcher' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'patcher' }],
    });
    await applyMap('granted', { a: '1' }, 'one');
    const transport = calls.server().inProcess({ username: 'patcher', groups: ['system:authenticated'] });
    const asPatcher = callsOver(async () => transport);
    const query = { fieldManager: 'one' };
    const on = (name: string) => asPatcher.patch(`${MAPS}/${name}`, 'apply', map(name, { a: '2' }), { query });
    await expect.poll(async () => (await on('granted')).status).toBe(200);
    expect(await on('denied')).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('cannot create resource "configmaps"') },
    });
  });
});

describe('kubectl', () => {
  const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

  it('takes over what it applied from the client, as long as nobody changed it', async () => {
    const annotations = { [ANNOTATION]: JSON.stringify(map('moved', { a: '1', b: '1' })) };
    await post(MAPS, map('moved', { a: '1', b: '1' }, { annotations }), {
      query: { fieldManager: 'kubectl-client-side-apply' },
    });
    const taken = await applyMap('moved', { a: '2', b: '1' }, 'kubectl');
    expect(taken).toMatchObject({ status: 200, body: { data: { a: '2', b: '1' } } });
    expect(JSON.parse(taken.body.metadata.annotations?.[ANNOTATION] ?? '')).toMatchObject({ data: { a: '2', b: '1' } });
    await patch(`${MAPS}/moved`, 'merge', { data: { b: '5' } }, { query: { fieldManager: 'editor' } });
    expect((await applyMap('moved', { a: '2', b: '6' }, 'kubectl')).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "editor" using v1: .data.b',
    );
  });
});

describe('writes that are no apply', () => {
  it('are owned by who they say they are, or by their user agent', async () => {
    const named = await post(MAPS, map('named', { a: '1' }), { query: { fieldManager: 'me' } });
    expect(Object.keys(ownersOf(named))).toEqual(['me Update']);
    expect(Object.keys(ownersOf(await post(MAPS, map('unnamed', { a: '1' }))))).toEqual(['vireo Update']);
  });

  it('own the status and the scale under their names', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
    const made = await post(DEPLOYMENTS, { metadata: { name: 'd' }, spec }, { query: { fieldManager: 'maker' } });
    expect(Object.keys(ownersOf(made)['maker Update']?.['f:spec' as never] ?? {})).toContain('f:replicas');
    await patch(`${DEPLOYMENTS}/d/scale`, 'merge', { spec: { replicas: 2 } }, { query: { fieldManager: 'scaler' } });
    await patch(
      `${DEPLOYMENTS}/d/status`,
      'merge',
      { status: { replicas: 2 } },
      { query: { fieldManager: 'watcher' } },
    );
    const owners = ownersOf(await get(`${DEPLOYMENTS}/d`));
    expect(owners['scaler Update scale']).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(entriesOf(await get(`${DEPLOYMENTS}/d`)).find(({ manager }) => manager === 'scaler')?.time).toBeUndefined();
    expect(owners['watcher Update status']).toEqual({ 'f:status': { 'f:replicas': {} } });
    expect(Object.keys(owners['maker Update']?.['f:spec' as never] ?? {})).not.toContain('f:replicas');
  });

  it('keep the managers that they do not speak of, and take over those that they send', async () => {
    const made = await post(MAPS, map('sent', { a: '1' }), { query: { fieldManager: 'maker' } });
    const replaced = await put(`${MAPS}/sent`, map('sent', { a: '1', b: '1' }), { query: { fieldManager: 'editor' } });
    expect(ownersOf(replaced)).toEqual({
      'editor Update': { 'f:data': { 'f:b': {} } },
      'maker Update': { 'f:data': { '.': {}, 'f:a': {} } },
    });
    const moved = entriesOf(made).map((entry) => ({ ...entry, manager: 'heir', operation: 'Apply' }));
    const steps = [{ op: 'replace', path: '/metadata/managedFields', value: moved }];
    expect(ownersOf(await patch(`${MAPS}/sent`, 'json', steps))).toEqual({
      'heir Apply': { 'f:data': { '.': {}, 'f:a': {} } },
    });
  });

  it('forget all managers for an entry without anything in it, and ignore what cannot be read', async () => {
    await post(MAPS, map('reset', { a: '1' }, { managedFields: [{ manager: 'nobody' }] }));
    const wrong = { metadata: { managedFields: [{ manager: 'x', operation: 'Nonsense' }] } };
    expect(Object.keys(ownersOf(await patch(`${MAPS}/reset`, 'merge', wrong)))).toEqual(['vireo Update']);
    const reset = await patch(`${MAPS}/reset`, 'merge', { metadata: { managedFields: [{}] } });
    expect(reset.body.metadata.managedFields).toBeUndefined();
    expect((await patch(`${MAPS}/reset`, 'merge', { data: { b: '2' } })).body.metadata.managedFields).toBeUndefined();
    expect(ownersOf(await applyMap('reset', { c: '3' }, 'one'))).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
      'one Apply': { 'f:data': { 'f:c': {} } },
    });
  });

  it('that change nothing write nothing', async () => {
    const made = await post(MAPS, map('same', { a: '1' }));
    const patched = await patch(`${MAPS}/same`, 'merge', { data: { a: '1' } }, { query: { fieldManager: 'other' } });
    expect(patched.body).toEqual(made.body);
  });

  it('use the stored set again where they change values only', async () => {
    const made = await post(MAPS, map('values', { a: '1' }));
    const stored = () => calls.server().server.api.core.store.get('core/configmaps/default/values')?.object;
    const before = stored()?.metadata.managedFields?.[0]?.fieldsV1;
    await patch(`${MAPS}/values`, 'merge', { data: { a: '2' } });
    expect(stored()?.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion);
    expect(stored()?.metadata.managedFields?.[0]?.fieldsV1).toBe(before);
  });
});
