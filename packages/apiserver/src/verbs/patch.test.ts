import { beforeAll, describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, post, patch } = calls;

const MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';
const WIDGETS = '/apis/patch.example.com/v1/namespaces/default/widgets';

beforeAll(() => define(calls, { group: 'patch.example.com', versions: [{ subresources: { status: {} } }] }));

const make = (name: string, data: object = {}) => post(MAPS, { metadata: { name }, data });

describe('a patch', () => {
  it('of type merge sets and removes', async () => {
    await make('merge', { a: '1', b: '2' });
    const response = await patch(`${MAPS}/merge`, 'merge', { data: { a: null, c: '3' } });
    expect(response).toMatchObject({ status: 200, body: { data: { b: '2', c: '3' } } });
    expect(response.body.data).not.toHaveProperty('a');
  });

  it('of type json goes step by step', async () => {
    await make('json', { a: '1' });
    const steps = [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'move', from: '/data/a', path: '/data/b' },
    ];
    expect((await patch(`${MAPS}/json`, 'json', steps)).body.data).toEqual({ b: '1' });
    expect(await patch(`${MAPS}/json`, 'json', steps)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  it('of type strategic merge knows the keys of lists', async () => {
    await post(SERVICES, {
      metadata: { name: 'strategic' },
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    });
    const response = await patch(`${SERVICES}/strategic`, 'strategic-merge', {
      spec: { ports: [{ port: 81, name: 'c' }] },
    });
    const { ports } = response.body.spec as { ports: { name: string; port: number }[] };
    expect(ports.map(({ name, port }) => `${name}:${port}`).sort()).toEqual(['a:80', 'c:81']);
  });

  it.each([
    [
      'strategic-merge',
      WIDGETS,
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ],
    [
      'other',
      MAPS,
      'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
    ],
  ])('of type %s on %s is 415 with what is taken', async (type, path, accepted) => {
    expect(await patch(`${path}/any`, type, {})).toMatchObject({
      status: 415,
      body: {
        reason: 'UnsupportedMediaType',
        message: expect.stringContaining(`accepted media types include: ${accepted}`),
      },
    });
  });

  it('that is no apply cannot be forced', async () => {
    const query = { force: 'true', fieldManager: 'kubectl' };
    expect(await patch(`${MAPS}/any`, 'merge', {}, { query })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('force: Forbidden: may not be specified for non-apply patch') },
    });
  });

  it('that meets others is worked out again', async () => {
    await make('busy');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => patch(`${MAPS}/busy`, 'merge', { data: { [`k${index}`]: 'x' } })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Object.keys((await get(`${MAPS}/busy`)).body.data as object)).toHaveLength(20);
  });

  it.each([
    ['merge', (resourceVersion: string) => ({ metadata: { resourceVersion }, data: { a: '1' } })],
    ['strategic-merge', (resourceVersion: string) => ({ metadata: { resourceVersion }, data: { a: '1' } })],
    ['json', (value: string) => [{ op: 'replace', path: '/metadata/resourceVersion', value }]],
  ])('of type %s may name the version that it is for', async (type, body) => {
    const name = `versioned-${type}`;
    const { resourceVersion = '' } = (await make(name)).body.metadata;
    expect((await patch(`${MAPS}/${name}`, type, body(resourceVersion))).status).toBe(200);
    await patch(`${MAPS}/${name}`, 'merge', { data: { b: '2' } });
    expect(await patch(`${MAPS}/${name}`, type, body(resourceVersion))).toMatchObject({
      status: 409,
      body: { reason: 'Conflict' },
    });
  });

  it('that names a version lets one of many win', async () => {
    const { resourceVersion } = (await make('first-come')).body.metadata;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, by) =>
        patch(`${MAPS}/first-come`, 'merge', { metadata: { resourceVersion }, data: { by: String(by) } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it('that changes nothing writes nothing', async () => {
    const { resourceVersion } = (await make('idle', { a: '1' })).body.metadata;
    const response = await patch(`${MAPS}/idle`, 'merge', { data: { a: '1' } });
    expect(response.body.metadata.resourceVersion).toBe(resourceVersion);
  });

  it.each([
    [{ metadata: { name: 'other' } }, 'the name of the object (other) does not match the name on the URL (identity)'],
    [
      { metadata: { namespace: 'other' } },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('with %j is refused', async (body, message) => {
    await make('identity');
    expect(await patch(`${MAPS}/identity`, 'merge', body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(message) },
    });
  });

  it.each([
    ['json', [{ op: 'replace', path: '', value: [1] }], 'json: cannot unmarshal array into Go value of type struct'],
    ['json', [{ op: 'replace', path: '/kind', value: 'Secret' }], 'must not change apiVersion or kind'],
    ['merge', { kind: 'Secret' }, 'must not change apiVersion or kind'],
    ['merge', { data: [1] }, 'cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string'],
    ['strategic-merge', { data: [1] }, 'patch: Invalid value: "map[data:[1]]": '],
  ])('of type %s that leaves no ConfigMap is 422: %j', async (type, body, message) => {
    await make('shape');
    expect(await patch(`${MAPS}/shape`, type, body)).toMatchObject({
      status: 422,
      body: {
        reason: 'Invalid',
        message: expect.stringContaining(message),
        details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] },
      },
    });
  });

  it('of type strategic merge leaves the kind alone', async () => {
    await make('kind');
    const response = await patch(`${MAPS}/kind`, 'strategic-merge', { kind: 'Secret', data: { a: '1' } });
    expect(response).toMatchObject({ status: 200, body: { kind: 'ConfigMap', data: { a: '1' } } });
  });

  it('of type json says no more of a step that fails than Kubernetes does', async () => {
    await make('step');
    const steps = [{ op: 'test', path: '/data/a', value: '1' }];
    expect((await patch(`${MAPS}/step`, 'json', steps)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
  });

  it('of type json may replace a member that is not there yet', async () => {
    await make('replace', { a: '1' });
    const response = await patch(`${MAPS}/replace`, 'json', [{ op: 'replace', path: '/data/b', value: '2' }]);
    expect(response).toMatchObject({ status: 200, body: { data: { a: '1', b: '2' } } });
  });

  it('with another uid is refused', async () => {
    await make('uid');
    expect(await patch(`${MAPS}/uid`, 'merge', { metadata: { uid: 'x' } })).toMatchObject({
      status: 422,
      body: { message: 'ConfigMap "uid" is invalid: metadata.uid: Invalid value: "x": field is immutable' },
    });
  });

  it('of what is not there is 404', async () => {
    expect(await patch(`${MAPS}/absent`, 'merge', {})).toMatchObject({
      status: 404,
      body: { message: 'configmaps "absent" not found' },
    });
  });

  it('can be a dry run', async () => {
    await make('dry');
    const response = await patch(`${MAPS}/dry`, 'merge', { data: { a: '1' } }, { query: { dryRun: 'All' } });
    expect(response).toMatchObject({ status: 200, body: { data: { a: '1' } } });
    expect((await get(`${MAPS}/dry`)).body.data).toBeUndefined();
  });

  it('with unknown fields is refused under Strict and warned of else', async () => {
    await make('odd');
    const strict = await patch(`${MAPS}/odd`, 'merge', { bogus: 1 }, { query: { fieldValidation: 'Strict' } });
    expect(strict).toMatchObject({
      status: 422,
      body: {
        message: expect.stringMatching(
          /^ "" is invalid: patch: Invalid value: ".*": strict decoding error: unknown field "bogus"$/,
        ),
        details: { causes: [{ field: 'patch' }] },
      },
    });
    const lenient = await patch(`${MAPS}/odd`, 'merge', { bogus: 1 });
    expect(lenient.headers.warning).toBe('299 - "unknown field \\"bogus\\""');
  });

  it('of status leaves the rest alone, and the other way round', async () => {
    await post(WIDGETS, { metadata: { name: 'apart' }, spec: { a: 1 } });
    const both = { spec: { a: 2 }, status: { b: 2 } };
    expect((await patch(`${WIDGETS}/apart/status`, 'merge', both)).body).toMatchObject({
      spec: { a: 1 },
      status: { b: 2 },
    });
    const again = { spec: { a: 3 }, status: { b: 3 } };
    expect((await patch(`${WIDGETS}/apart`, 'merge', again)).body).toMatchObject({ spec: { a: 3 }, status: { b: 2 } });
  });
});
