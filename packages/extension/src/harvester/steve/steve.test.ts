import { ConfigMap, Node, PersistentVolumeClaim, Secret } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { ApiCall, Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyIn } from '../../testing/bodyIn.ts';
import { PAUSED, vmsOf } from '../../testing/harvester.ts';
import { type Installation, install } from '../../testing/installation.ts';
import { allow, bind, testUser } from '../../testing/roles.ts';

let installation: Installation;
let administrator: Transport;
beforeAll(async () => {
  installation = await install();
  administrator = await installation.server.overHttp();
});
afterAll(() => installation?.close());

const VMS = '/kubevirt.io.virtualmachines';

/** What is looked into: an object or a collection. */
interface SteveBody {
  readonly actions?: object;
  readonly links: object;
  readonly metadata: object;
  readonly continue: string;
  readonly data: readonly { id: string; metadata: { name: string } }[];
}

interface Call extends Omit<ApiCall, 'path' | 'method'> {
  readonly method?: ApiCall['method'];
  readonly as?: string;
}

/** Asks over the port as the administrator, or in process as a user. */
async function ask(path: string, { as, method = 'GET', ...rest }: Call = {}) {
  const transport = as === undefined ? administrator : installation.server.inProcess(testUser(as));
  return transport.call({ method, path: `/v1/harvester${path}`, ...rest });
}

const bodyOf = async (path: string, call?: Call): Promise<SteveBody> => {
  const { body } = await ask(path, call);
  if (!isObject(body)) throw new TypeError(`${path} answered ${JSON.stringify(body)}`);
  return body as unknown as SteveBody;
};

describe('an object', () => {
  it('is what Kubernetes has, with an id, a type, links, actions and its state', async () => {
    await vmsOf(installation).createVm('web');
    const { status, headers, body } = await ask(`${VMS}/default/web`);
    const host = `https://127.0.0.1:${installation.server.server.port}`;
    const self = `${host}/v1/harvester/kubevirt.io.virtualmachines/default/web`;
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-api-schemas': `${host}/v1/harvester/schemas` });
    expect(body).toMatchObject({
      id: 'default/web',
      type: 'kubevirt.io.virtualmachine',
      links: {
        self,
        update: self,
        remove: self,
        patch: self,
        view: `${host}/apis/kubevirt.io/v1/namespaces/default/virtualmachines/web`,
      },
      actions: { start: `${self}?action=start`, addVolume: `${self}?action=addVolume` },
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: {
        name: 'web',
        namespace: 'default',
        fields: ['web', expect.any(String), null, null],
        relationships: [],
        state: { name: 'active', error: false, transitioning: false, message: '' },
      },
      spec: { runStrategy: 'Halted' },
    });
  });

  it.each(['kubevirt.io.virtualmachine', 'KubeVirt.io.VirtualMachines', 'virtualmachines'])(
    'is found as %s, too',
    async (type) => {
      expect(await bodyOf(`/${type}/default/web`)).toMatchObject({ type: 'kubevirt.io.virtualmachine' });
    },
  );

  it('in no namespace has its name for an id', async () => {
    await installation.server.client.of(Node).create({ metadata: { name: 'n1' } });
    expect(await bodyOf('/nodes/n1')).toMatchObject({ id: 'n1', type: 'node' });
  });

  it('keeps fields of its own that the API has names for', async () => {
    await installation.server.client.of(Secret).create({
      metadata: { name: 'key', namespace: 'default' },
      type: 'Opaque',
    });
    expect(await bodyOf('/secrets/default/key')).toMatchObject({ type: 'secret', _type: 'Opaque' });
  });

  it('leads to where the client reached the server', async () => {
    const { server } = installation;
    const handler = server.server.api.services.findPath('/v1/harvester');
    const response = await handler?.({
      method: 'GET',
      path: `/v1/harvester${VMS}/default/web`,
      query: new URLSearchParams(),
      headers: { host: 'inner', 'x-forwarded-host': 'outer.example, proxy', 'x-forwarded-proto': 'http' },
      user: { username: 'root', groups: ['system:masters'] },
      body: async () => undefined,
      signal: new AbortController().signal,
    });
    if (!response) throw new Error('nobody answers');
    expect(bodyIn(response)).toMatchObject({ links: { self: `http://outer.example/v1/harvester${VMS}/default/web` } });
  });
});

describe('the actions of a VM', () => {
  const actionsOf = async (name: string, as?: string) =>
    Object.keys((await bodyOf(`${VMS}/default/${name}`, { as })).actions ?? {});
  /** What of the sheet's table this package offers by itself, without images, snapshots and CD-ROMs. */
  const own = ['start', 'stop', 'restart', 'softreboot', 'pause', 'unpause', 'forceStop', 'addVolume', 'removeVolume'];
  const ownOf = async (name: string) => (await actionsOf(name)).filter((action) => own.includes(action));

  it('that is off include start', async () => {
    await vmsOf(installation).createVm('off');
    expect(await ownOf('off')).toEqual(['start', 'addVolume', 'removeVolume']);
  });

  it('that runs include stop, restart and pause', async () => {
    const vms = vmsOf(installation);
    await vms.createVm('runs', 'RerunOnFailure');
    await vms.createVmi('runs');
    expect(await ownOf('runs')).toEqual(['stop', 'restart', 'softreboot', 'pause', 'addVolume', 'removeVolume']);
  });

  it('that is paused include unpause', async () => {
    const vms = vmsOf(installation);
    await vms.createVm('held', 'RerunOnFailure');
    await vms.createVmi('held', PAUSED);
    expect(await ownOf('held')).toEqual(['stop', 'restart', 'unpause', 'addVolume', 'removeVolume']);
  });

  it('that is stopping include forceStop', async () => {
    const vms = vmsOf(installation);
    await vms.createVm('stopping');
    await vms.createVmi('stopping');
    await vms.patchVmStatus('stopping', { printableStatus: 'Stopping' });
    expect(await ownOf('stopping')).toEqual(['softreboot', 'pause', 'forceStop', 'addVolume', 'removeVolume']);
  });

  it('that is starting include stop and restart', async () => {
    const vms = vmsOf(installation);
    await vms.createVm('starting', 'RerunOnFailure');
    await vms.createVmi('starting', { phase: 'Scheduling' });
    expect(await ownOf('starting')).toEqual(['stop', 'restart', 'addVolume', 'removeVolume']);
  });

  it('are those that the user may call', async () => {
    const { client } = installation.server;
    await allow(client, 'stopper', [
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'list'] },
      { apiGroups: ['subresources.harvesterhci.io'], resources: ['virtualmachines/stop'], verbs: ['create'] },
    ]);
    await bind(client, 'reader', 'kubevirt.io:view');
    expect(await actionsOf('runs', 'stopper')).toEqual(['stop']);
    expect(await bodyOf(`${VMS}/default/runs`, { as: 'reader' })).not.toHaveProperty('actions');
    const { links } = await bodyOf(`${VMS}/default/runs`, { as: 'reader' });
    expect(Object.keys(links)).toEqual(['self', 'view']);
  });
});

describe('a collection', () => {
  const names = async (query: Record<string, string>) => {
    const { data } = await bodyOf('/configmaps/default', { query });
    return data.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('c-'));
  };
  beforeAll(async () => {
    const configMaps = installation.server.client.of(ConfigMap);
    for (const [name, colour] of [
      ['c-1', 'red'],
      ['c-2', 'green'],
      ['c-3', 'red'],
    ] as const)
      await configMaps.create({
        metadata: { name, namespace: 'default', labels: { 'example.org/colour': colour } },
        data: { text: `of ${name}` },
      });
  });

  it('has its objects, how many there are, and where to make one', async () => {
    const body = await bodyOf('/configmaps/default', { query: { labelSelector: 'example.org/colour' } });
    const url = `https://127.0.0.1:${installation.server.server.port}/v1/harvester/configmaps`;
    expect(body).toMatchObject({
      type: 'collection',
      links: { self: `${url}/default` },
      createTypes: { configmap: url },
      actions: {},
      resourceType: 'configmap',
      revision: expect.stringMatching(/^\d+$/),
      count: 3,
    });
    expect(body.data).toHaveLength(3);
  });

  it('of nothing is empty', async () => {
    const body = await bodyOf('/pods');
    expect(body.data).toEqual([]);
    expect(body).not.toHaveProperty('count');
  });

  it.each([
    [{ labelSelector: 'example.org/colour=red' }, ['c-1', 'c-3']],
    [{ filter: 'metadata.labels[example.org/colour]=gre', sort: 'metadata.name' }, ['c-2']],
    [{ filter: 'metadata.name=c-1,metadata.name=c-3', sort: '-metadata.name' }, ['c-3', 'c-1']],
    [{ labelSelector: 'example.org/colour', sort: 'metadata.name', pagesize: '2', page: '2' }, ['c-3']],
    [{ labelSelector: 'example.org/colour', pagesize: '2', page: '9' }, []],
  ])('with %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('comes in pieces', async () => {
    const query = { labelSelector: 'example.org/colour', limit: 2 };
    const first = await bodyOf('/configmaps/default', { query });
    expect(first).toMatchObject({ pagination: { limit: 2, partial: true }, continue: expect.any(String) });
    expect(first.data).toHaveLength(2);
    const second = await bodyOf('/configmaps/default', { query: { ...query, continue: first.continue } });
    expect(second.data).toHaveLength(1);
    expect(second).not.toHaveProperty('pagination');
  });

  it('is refused to whoever may not list', async () => {
    expect(await ask('/configmaps/default', { as: 'nobody' })).toMatchObject({
      status: 403,
      body: { type: 'error', code: 'Forbidden', status: 403, message: expect.stringContaining('cannot list') },
    });
  });
});

describe('a client', () => {
  const vm = {
    type: 'kubevirt.io.virtualmachine',
    metadata: { name: 'written', namespace: 'default' },
    spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
  };

  it('makes, changes and removes objects', async () => {
    expect(await ask(VMS, { method: 'POST', body: vm })).toMatchObject({
      status: 201,
      body: { id: 'default/written', type: 'kubevirt.io.virtualmachine', links: { self: expect.any(String) } },
    });
    const read = await bodyOf(`${VMS}/default/written`);
    const changed = { ...read, metadata: { ...read.metadata, labels: { tier: 'front' } } };
    expect(await ask(`${VMS}/default/written`, { method: 'PUT', body: changed })).toMatchObject({
      status: 200,
      body: { metadata: { labels: { tier: 'front' } } },
    });
    const patch = { metadata: { labels: { tier: null, zone: 'a' } } };
    expect(await ask(`${VMS}/default/written`, { method: 'PATCH', body: patch })).toMatchObject({
      status: 200,
      body: { metadata: { labels: { zone: 'a' } } },
    });
    expect((await ask(`${VMS}/default/written`, { method: 'DELETE' })).status).toBeLessThan(300);
    const vms = installation.server.client.of(VirtualMachine);
    const { items } = await vms.list({ namespace: 'default', fieldSelector: 'metadata.name=written' });
    expect(items.filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([]);
  });

  it.each([
    ['no namespace', 'POST', VMS, { ...vm, metadata: { name: 'x' } }, 422, 'metadata.namespace is missing'],
    ['no version', 'PUT', `${VMS}/default/web`, vm, 422, 'metadata.resourceVersion is missing'],
    ['no object', 'POST', VMS, [1], 400, 'the body is not an object'],
    [
      'no such object',
      'PUT',
      `${VMS}/default/gone`,
      { ...vm, metadata: { name: 'gone', resourceVersion: '1' } },
      404,
      'not found',
    ],
  ] as const)('is refused with an error: %s', async (_, method, path, body, status, message) => {
    expect(await ask(path, { method, body })).toMatchObject({
      status,
      body: { type: 'error', links: {}, status, message: expect.stringContaining(message) },
    });
  });

  it('removes disks with their VM, if that is asked for', async () => {
    const { client } = installation.server;
    const claims = client.of(PersistentVolumeClaim);
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const names = ['disk-kept', 'disk-gone'];
    for (const name of names) await claims.create({ metadata: { name, namespace: 'default' }, spec });
    await vmsOf(installation).createVm('with-disks', 'Halted', {
      template: {
        spec: {
          domain: {
            devices: { disks: names.map((name) => ({ name, disk: { bus: 'virtio' } })) },
            memory: { guest: '64Mi' },
          },
          volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        },
      },
    });
    const query = { removedDisks: 'disk-gone' };
    const { status } = await ask(`${VMS}/default/with-disks`, { method: 'DELETE', query });
    expect(status).toBeLessThan(300);
    const { items } = await claims.list({ namespace: 'default' });
    const left = items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
    expect(left.filter((name) => name?.startsWith('disk-'))).toEqual(['disk-kept']);
  });

  it('a disk that another VM has is not deleted with a VM, which stays then', async () => {
    const claims = installation.server.client.of(PersistentVolumeClaim);
    const vms = installation.server.client.of(VirtualMachine);
    await claims.create({
      metadata: { name: 'common', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
    for (const name of ['first', 'second'])
      await vms.create({
        metadata: { name, namespace: 'default' },
        spec: {
          runStrategy: 'Halted',
          template: {
            spec: {
              domain: { memory: { guest: '64Mi' }, devices: { disks: [{ name: 'd', disk: {} }] } },
              volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'common' } }],
            },
          },
        },
      });
    const query = { removedDisks: 'd' };
    const { status, body } = await ask(`${VMS}/default/first`, { method: 'DELETE', query });
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('the VM \\"second\\" also uses it')]);
    expect((await claims.get('common', { namespace: 'default' })).metadata.deletionTimestamp).toBeUndefined();
    expect((await vms.get('first', { namespace: 'default' })).metadata.deletionTimestamp).toBeUndefined();
  });

  it('writes with its own rights only', async () => {
    expect(await ask(VMS, { method: 'POST', body: vm, as: 'reader' })).toMatchObject({
      status: 403,
      body: { type: 'error', code: 'Forbidden' },
    });
  });
});

describe('a request for what is not there', () => {
  it.each([
    ['a type', '/fleas', 404, undefined],
    ['a name with nothing in it', '/nodes//x', 404, undefined],
    ['a climb', '/nodes/%2e%2e', 404, undefined],
    ['an object', `${VMS}/default/gone`, 404, { type: 'error', code: 'NotFound', status: 404, links: {} }],
    [
      'a link',
      `${VMS}/default/web/fly`,
      404,
      { code: 'NotFound', message: 'kubevirt.io.virtualmachine has no link fly' },
    ],
    ['a link by query', `${VMS}/default/web?link=fly`, 404, { code: 'NotFound' }],
  ])('%s', async (_, path, status, body) => {
    const [target = '', query] = path.split('?');
    const response = await ask(target, { query: query ? { link: query.split('=')[1] } : {} });
    expect(response.status).toBe(status);
    if (body) expect(response.body).toMatchObject(body);
    else expect(response.body).toBe('');
  });

  it.each([
    ['an action', `${VMS}/default/web`, 'fly', 403, 'PermissionDenied', 'no such action fly'],
    ['a link as an action', `/upgradelogs/default/x`, 'download', 403, 'PermissionDenied', 'no such action download'],
    [
      'an action of all',
      `${VMS}/default`,
      'stop',
      422,
      'InvalidAction',
      'Invalid action: stop applies to a single object',
    ],
  ])('%s', async (_, path, action, status, code, message) => {
    expect(await ask(path, { method: 'POST', query: { action } })).toMatchObject({
      status,
      body: { type: 'error', code, message, status },
    });
  });

  it('an action by GET is the object', async () => {
    expect(await ask(`${VMS}/default/web`, { query: { action: 'start' } })).toMatchObject({
      status: 200,
      body: { id: 'default/web', spec: { runStrategy: 'Halted' } },
    });
  });
});

describe('the schemas', () => {
  it('tell the actions of each type, and what they take', async () => {
    const { data } = await bodyOf('/schemas');
    const schemas = new Map(data.map((schema) => [schema.id, schema]));
    expect(schemas.get('kubevirt.io.virtualmachine')).toMatchObject({
      type: 'schema',
      pluralName: 'kubevirt.io.virtualmachines',
      resourceMethods: ['GET', 'PUT', 'PATCH', 'DELETE'],
      collectionMethods: ['GET', 'POST'],
      resourceActions: { stop: {}, addVolume: { input: 'addVolumeInput' } },
      attributes: { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine', namespaced: true },
    });
    expect(schemas.get('addVolumeInput')).toMatchObject({
      resourceFields: { diskName: { type: 'string', required: true }, shareable: { required: false } },
    });
  });

  it('are for those whom the server knows', async () => {
    const stranger = await installation.server.overHttp({ anonymous: true });
    for (const path of ['/v1/harvester', '/v1/harvester/schemas'])
      expect(await stranger.call({ method: 'GET', path })).toMatchObject({ status: 401, body: { type: 'error' } });
    const vms = `/v1/harvester${VMS}`;
    expect(await stranger.call({ method: 'GET', path: vms })).toMatchObject({ status: 403 });
  });

  it('are found one by one, and from the root', async () => {
    expect(await bodyOf('/schemas/node')).toMatchObject({ id: 'node', attributes: { namespaced: false } });
    expect(await ask('/schemas/flea')).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    expect(await bodyOf('')).toMatchObject({ type: 'apiRoot', links: { schemas: expect.any(String) } });
  });
});

describe('a browser', () => {
  const browser = { 'user-agent': 'Mozilla/5.0 (X11)' };
  /** As it arrives at the extension: clients of tests send no headers of their own. */
  const send = async (method: string, headers: Record<string, string>, query = '') => {
    const response = await installation.server.server.api.services.findPath('/v1/harvester')?.({
      method,
      path: '/v1/harvester/configmaps/default/nothing',
      query: new URLSearchParams(query),
      headers: { host: 'here', ...headers },
      user: { username: 'root', groups: ['system:masters'] },
      body: async () => undefined,
      signal: new AbortController().signal,
    });
    if (!response) throw new Error('nobody answers');
    const { code } = bodyIn(response) as { code?: string };
    return { status: response.status, code, headers: response.headers };
  };

  it('gets a cookie, and the request passes', async () => {
    const { code, headers } = await send('DELETE', browser);
    expect(code).toBe('NotFound');
    expect(headers).toMatchObject({
      'set-cookie': expect.stringMatching(/^CSRF=[0-9a-f]{32}; Path=\/; Secure$/),
      expires: expect.stringContaining('1982'),
    });
  });

  it.each([
    ['repeats it in a header', 'DELETE', { 'x-api-csrf': 'abc' }, '', 'NotFound'],
    ['repeats it in the query', 'DELETE', {}, 'CSRF=abc', 'NotFound'],
    ['only reads', 'GET', {}, '', 'NotFound'],
    ['does not repeat it', 'DELETE', {}, '', 'InvalidCSRFToken'],
    ['repeats another', 'DELETE', { 'x-api-csrf': 'abd' }, '', 'InvalidCSRFToken'],
    ['means another method', 'POST', {}, '_method=DELETE', 'InvalidCSRFToken'],
    ['follows a link, which cannot mean another', 'GET', {}, '_method=DELETE', 'NotFound'],
  ])('that has one and %s', async (_, method, headers, query, code) => {
    const answer = await send(method, { ...browser, cookie: 'a=b; CSRF=abc', ...headers }, query);
    expect(answer.code).toBe(code);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it('is nobody else', async () => {
    expect(await send('DELETE', { 'user-agent': 'curl/8', cookie: 'CSRF=abc' })).toMatchObject({ code: 'NotFound' });
  });
});

describe('key pairs and versions of templates', () => {
  it('are not offered to be edited; the collection of key pairs can make one', async () => {
    const { client } = installation.server;
    const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
    await client.of(KeyPair).create({ metadata: { name: 'mine', namespace: 'default' }, spec: { publicKey } });
    const pair = await bodyOf('/harvesterhci.io.keypairs/default/mine');
    expect(pair.links).not.toHaveProperty('update');
    expect(pair.links).toHaveProperty('remove');
    expect(pair).not.toHaveProperty('actions');
    const pairs = await bodyOf('/harvesterhci.io.keypairs');
    expect(pairs.actions).toEqual({ keygen: expect.stringMatching(/harvesterhci\.io\.keypairs\?action=keygen$/) });
    await allow(client, 'key-reader', [{ apiGroups: ['harvesterhci.io'], resources: ['keypairs'], verbs: ['list'] }]);
    expect((await bodyOf('/harvesterhci.io.keypairs/default', { as: 'key-reader' })).actions).toEqual({});
    const { status, body } = await ask('/harvesterhci.io.keypairs', {
      method: 'POST',
      query: { action: 'keygen' },
      body: { name: 'x' },
    });
    expect(`${status} ${body}`).toMatch(/^422 InvalidBodyContent 422: .*namespace: Required value/);
  });
});
