import type { UnknownObject } from '@vireo/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CallResponse, serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, post, patch, delete: remove, server } = calls;

const store = () => server().server.api.core.store;
const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

/** A namespace of its own with so many maps: `m00`, `m01`, … */
async function maps(namespace: string, count: number): Promise<string> {
  const path = pathOf(namespace);
  await post('/api/v1/namespaces', { metadata: { name: namespace } });
  // Every namespace gets one map from a controller; it is there before ours are counted.
  while ((await get(`${path}/kube-root-ca.crt`)).status !== 200);
  const names = Array.from({ length: count }, (_, index) => `m${String(index).padStart(2, '0')}`);
  await Promise.all(
    names.map((name, index) => post(path, { metadata: { name, labels: { parity: index % 2 ? 'odd' : 'even' } } })),
  );
  return path;
}

const OURS = { labelSelector: 'parity' };
const names = ({ body }: CallResponse): string[] => body.items.map(({ metadata }) => metadata.name as string);
const list = (path: string, query: Record<string, string | number | undefined> = {}): Promise<CallResponse> =>
  get(path, { query });

describe('pages', () => {
  it('show one moment although objects come, change and go in between', async () => {
    const path = await maps('paged', 10);
    const first = await list(path, { limit: 4 });
    expect(first.body.metadata).toMatchObject({ continue: expect.any(String), remainingItemCount: 7 });
    await remove(`${path}/m05`);
    await post(path, { metadata: { name: 'm99' } });
    await patch(`${path}/m06`, 'merge', { data: { changed: 'yes' } });
    const seen = [...first.body.items];
    let next = first.body.metadata as { continue?: string; resourceVersion?: string };
    while (next.continue) {
      const page = await list(path, { limit: 4, continue: next.continue });
      expect(page.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
      seen.push(...page.body.items);
      next = page.body.metadata;
    }
    expect(seen.map(({ metadata }) => metadata.name)).toEqual([
      'kube-root-ca.crt',
      ...Array.from({ length: 10 }, (_, index) => `m0${index}`),
    ]);
    expect(seen.find(({ metadata }) => metadata.name === 'm06')?.data).toBeUndefined();
    expect(server().server.api.core.snapshots.size).toBe(0);
  });

  it('go on when the server has forgotten what it kept for them', async () => {
    const path = await maps('forgotten', 6);
    const first = await list(path, { limit: 3, ...OURS });
    await patch(`${path}/m05`, 'merge', { metadata: { labels: { parity: 'none' } } });
    const { revision } = store();
    server().server.api.core.snapshots.forget(`${first.body.metadata.resourceVersion} core/configmaps/forgotten/`);
    const token = (first.body.metadata as { continue?: string }).continue;
    const second = await list(path, { continue: token, ...OURS });
    expect(names(second)).toEqual(['m03', 'm04', 'm05']);
    expect(second.body.items[2]?.metadata.labels).toEqual({ parity: 'odd' });
    expect(store().revision).toBe(revision);
  });

  it('with a selector say nothing of how many are left', async () => {
    const path = await maps('selected', 6);
    const first = await list(path, { limit: 2, labelSelector: 'parity=odd' });
    expect(names(first)).toEqual(['m01', 'm03']);
    expect(first.body.metadata).not.toHaveProperty('remainingItemCount');
    const token = (first.body.metadata as { continue?: string }).continue;
    expect(names(await list(path, { limit: 2, labelSelector: 'parity=odd', continue: token }))).toEqual(['m05']);
  });

  it('of a moment that is gone are 410, with a token for those who take the rest as it is', async () => {
    const path = await maps('expired', 4);
    const first = await list(path, { limit: 2 });
    await remove(`${path}/m03`);
    server().server.api.core.snapshots.forget(`${first.body.metadata.resourceVersion} core/configmaps/expired/`);
    await store().compact(store().revision);
    const token = (first.body.metadata as { continue?: string }).continue;
    const refused = await list(path, { limit: 2, continue: token });
    expect(refused).toMatchObject({
      status: 410,
      body: { reason: 'Expired', metadata: { continue: expect.any(String) } },
    });
    expect(refused.body.message).toContain('The provided continue parameter is too old');
    const rest = await list(path, { limit: 5, continue: (refused.body.metadata as { continue?: string }).continue });
    expect(names(rest)).toEqual(['m01', 'm02']);
  });

  it.each([
    [{ continue: 'nonsense' }, 400],
    [{ continue: Buffer.from('{"v":1,"rv":1}').toString('base64url') }, 400],
    [{ limit: 'many' }, 400],
  ])('%j is refused', async (query, status) => {
    expect((await list(pathOf('default'), query)).status).toBe(status);
  });

  it('take no version beside their token', async () => {
    const path = await maps('both', 2);
    const token = ((await list(path, { limit: 1 })).body.metadata as { continue?: string }).continue;
    expect(await list(path, { continue: token, resourceVersion: '5' })).toMatchObject({
      status: 400,
      body: { message: 'specifying resource version is not allowed when using continue' },
    });
  });
});

describe('the version of a list', () => {
  let path: string;
  let first: CallResponse;
  beforeAll(async () => {
    path = await maps('versions', 3);
    first = await list(path);
    await remove(`${path}/m01`);
    await post(path, { metadata: { name: 'm09', labels: { parity: 'odd' } } });
    await post(path, { metadata: { name: 'm01', labels: { parity: 'again' } } });
  });
  const old = (): string => first.body.metadata.resourceVersion as string;

  it.each([
    ['nothing', () => ({})],
    ['0', () => ({ resourceVersion: '0' })],
    ['an older one', () => ({ resourceVersion: old() })],
    ['not older than', () => ({ resourceVersion: old(), resourceVersionMatch: 'NotOlderThan' })],
  ])('when %s is asked for is the newest', async (_, query) => {
    expect(names(await list(path, { ...OURS, ...query() }))).toEqual(['m00', 'm01', 'm02', 'm09']);
  });

  it('is exactly that one where Exact is asked for', async () => {
    const exact = await list(path, { resourceVersion: old(), resourceVersionMatch: 'Exact' });
    expect(exact.body).toEqual(first.body);
  });

  it('that is not there yet is waited for, then 504 with its cause', async () => {
    expect(await list(path, { resourceVersion: String(store().revision + 1_000_000) })).toMatchObject({
      status: 504,
      body: {
        reason: 'Timeout',
        message: expect.stringMatching(/^Timeout: Too large resource version: \d+, current: \d+$/),
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
      },
    });
  });

  it('that is on its way is waited for', async () => {
    const { revision } = store();
    const waiting = list(path, { resourceVersion: String(revision + 1) });
    await patch(`${path}/m00`, 'merge', { data: { now: 'there' } });
    expect((await waiting).status).toBe(200);
  });

  it.each([
    [{ resourceVersionMatch: 'Exact' }, 'forbidden unless resourceVersion is provided'],
    [{ resourceVersionMatch: 'Exact', resourceVersion: '0' }, 'is forbidden for resourceVersion "0"'],
    [{ resourceVersionMatch: 'Newest', resourceVersion: '1' }, 'Unsupported value: "Newest"'],
    [{ resourceVersionMatch: 'NotOlderThan', resourceVersion: '1', continue: 'x' }, 'forbidden when continue'],
    [{ sendInitialEvents: 'true' }, 'sendInitialEvents is forbidden for list'],
  ])('%j is refused', async (query, message) => {
    expect(await list(path, query)).toMatchObject({ status: 422, body: { message: expect.stringContaining(message) } });
  });

  it('whose history is gone is 410', async () => {
    await store().compact(store().revision);
    expect(await list(path, { resourceVersion: old(), resourceVersionMatch: 'Exact' })).toMatchObject({
      status: 410,
      body: { reason: 'Expired' },
    });
  });
});

describe('selectors', () => {
  beforeAll(() => maps('chosen', 4));

  it.each([
    [{ labelSelector: 'parity=odd' }, ['m01', 'm03']],
    [{ labelSelector: 'parity,parity!=odd' }, ['m00', 'm02']],
    [{ labelSelector: 'parity in (odd, even),parity notin (even)' }, ['m01', 'm03']],
    [{ labelSelector: '!parity' }, ['kube-root-ca.crt']],
    [{ fieldSelector: 'metadata.name=m02' }, ['m02']],
    [{ fieldSelector: 'metadata.name=m02', labelSelector: 'parity=odd' }, []],
    [{ fieldSelector: 'metadata.name!=m02', ...OURS }, ['m00', 'm01', 'm03']],
    [{ fieldSelector: 'metadata.namespace=default' }, []],
  ])('%j', async (query, expected) => {
    expect(names(await list(pathOf('chosen'), query))).toEqual(expected);
  });

  it('find one name in every namespace', async () => {
    const { body } = await list('/api/v1/configmaps', { fieldSelector: 'metadata.name=kube-root-ca.crt' });
    expect(body.items.map(({ metadata }) => metadata.namespace)).toEqual(expect.arrayContaining(['default', 'chosen']));
  });

  it.each(['labelSelector=a b', 'fieldSelector=data.x=1', 'fieldSelector=metadata.name'])(
    '%s is refused',
    async (text) => {
      const [name = '', ...value] = text.split('=');
      expect((await list(pathOf('chosen'), { [name]: value.join('=') })).status).toBe(400);
    },
  );
});

describe('items of a list', () => {
  const keys = (items: object[]) => items.map((item) => ['kind', 'apiVersion'].filter((key) => key in item));

  it('of a built-in kind leave out what the list says once, whatever order they were sent in', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    await post(path, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'item-a' } });
    await post(path, { metadata: { name: 'item-b' }, kind: 'Secret', apiVersion: 'v1' });
    await post(path, { stringData: { a: 'é' }, metadata: { name: 'item-c' }, kind: 'Secret' });
    const listed = (await list(path)).body;
    expect(listed).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
    expect(listed.items.length).toBeGreaterThan(1);
    expect(keys(listed.items).flat()).toEqual([]);
    expect(listed.items.find(({ metadata }) => metadata.name === 'item-a')).toEqual({
      ...(await get(`${path}/item-a`)).body,
      kind: undefined,
      apiVersion: undefined,
    });
    expect((await get(`${path}/item-a`)).body).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
  });

  it('of a built-in kind in another version leave it out, too', async () => {
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const spec = { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'x' } };
    await post(path('v2'), { metadata: { name: 'item' }, spec });
    for (const version of ['v1', 'v2']) expect(keys((await list(path(version))).body.items)).toEqual([[]]);
  });

  it('that an older server has stored with the kind elsewhere leave it out, too', async () => {
    const { api } = server().server;
    const key = 'core/configmaps/old/old';
    await post('/api/v1/namespaces', { metadata: { name: 'old' } });
    await post(pathOf('old'), { metadata: { name: 'old' }, data: { a: '1' } });
    const stored = api.core.store.get(key);
    const { kind, apiVersion, ...rest } = stored?.object ?? {};
    Object.defineProperty(stored, 'bytes', { value: Buffer.from(JSON.stringify({ apiVersion, ...rest, kind })) });
    const { items } = (await list(pathOf('old'), { fieldSelector: 'metadata.name=old' })).body;
    expect(items).toEqual([rest]);
  });

  it('of custom resources say what they are', async () => {
    await define(calls, { group: 'items.example.com' });
    const path = '/apis/items.example.com/v1/namespaces/default/widgets';
    await post(path, { metadata: { name: 'one' } });
    expect(keys((await list(path)).body.items)).toEqual([['kind', 'apiVersion']]);
  });
});

describe('the form of a list', () => {
  const one = { ...OURS, limit: 1 };
  beforeAll(() => maps('forms', 2));
  const as = (what: string) => `application/json;as=${what};v=v1;g=meta.k8s.io`;
  const show = (accept: string, query = {}) => get(pathOf('forms'), { accept, query: { ...one, ...query } });
  type Table = {
    kind: string;
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[]; object?: UnknownObject }[];
  };

  it('is a table when asked for, with metadata unless asked otherwise', async () => {
    const table = async (includeObject?: string) =>
      (await show(as('Table'), { includeObject })).body as unknown as Table;
    const plain = await table();
    expect(plain.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(plain.rows[0]?.cells.slice(0, 2)).toEqual(['m00', 0]);
    expect(plain.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'm00' } });
    expect((await table('Object')).rows[0]?.object?.kind).toBe('ConfigMap');
    expect((await table('None')).rows[0]).not.toHaveProperty('object');
    expect(plain).toMatchObject({ metadata: { continue: expect.any(String), resourceVersion: expect.any(String) } });
  });

  it('is metadata alone when asked for', async () => {
    const { body } = await show(as('PartialObjectMetadataList'));
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(Object.keys(body.items[0] ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('is YAML when asked for', async () => {
    const { headers, body } = await show('application/yaml');
    expect(headers['content-type']).toBe('application/yaml');
    expect(parse(body as unknown as string)).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'm00' } }],
    });
  });

  it('is what the client names first among what there is', async () => {
    const { body } = await show(`application/cbor,${as('Table')},application/json`);
    expect(body.kind).toBe('Table');
  });

  it('that nobody can make is 406', async () => {
    expect((await show('image/png')).status).toBe(406);
  });
});
