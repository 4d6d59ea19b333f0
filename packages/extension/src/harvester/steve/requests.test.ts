import { ConfigMap, Namespace, Node } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { BACKUP_TARGET_SETTING, CONFIGURED, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { type ApiCall, objectResponse, type Transport } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyIn } from '../../testing/bodyIn.ts';
import { vmsOf } from '../../testing/harvester.ts';
import { type Installation, install } from '../../testing/installation.ts';
import { allow, testUser } from '../../testing/roles.ts';
import { formatted } from './format.ts';

/*
 * One row for each request that Harvester's Steve API knows: routes, verbs, parameters, headers and errors. What is not
 * served is a row, too. Contents are looked into where the feature is tested: steve.test.ts, subscribe.test.ts.
 */

let installation: Installation;
let administrator: Transport;
beforeAll(async () => {
  installation = await install();
  administrator = await installation.server.overHttp();
  const { client } = installation.server;
  const vms = vmsOf(installation);
  await vms.createVm('web');
  await vms.createVm('db');
  await client
    .of(ConfigMap)
    .create({ metadata: { name: 'a', namespace: 'default', labels: { app: 'a' } }, data: { k: 'v' } });
  await client.of(ConfigMap).create({ metadata: { name: 'b', namespace: 'kubevirt', labels: { app: 'b' } } });
  await client.of(Node).create({ metadata: { name: 'n1', labels: { 'kubernetes.io/arch': 'amd64' } } });
  const allocatable = { cpu: '4', 'example.org/gpu': '3', 'devices.kubevirt.io/kvm': '1k' };
  await client.of(Node).patchStatus('n1', { status: { capacity: allocatable, allocatable } }, { type: 'merge' });
  await client.of(Namespace).create({ metadata: { name: 'harvester-system' } });
  const at = { namespace: 'default' };
  await client.of(VirtualMachineImage).create({
    metadata: { name: 'image', ...at },
    spec: { displayName: 'image', sourceType: 'upload' },
  });
  const conditions = [{ type: 'Imported', status: 'Unknown', lastTransitionTime: 'then' }];
  await client.of(VirtualMachineImage).patchStatus('image', { status: { conditions } }, { ...at, type: 'merge' });
  await allow(client, 'reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]);
});
afterAll(() => installation?.close());

interface Request extends Partial<Pick<ApiCall, 'method' | 'body' | 'accept'>> {
  /** Sent by whatever is between the client and the extension. */
  readonly headers?: Record<string, string>;
  /** Below the server, with the query. */
  readonly path: string;
  readonly as?: string;
}
interface Answer {
  readonly status: number;
  /** What is in the body; a text: the whole of it, or what it matches. */
  readonly body?: unknown;
  readonly headers?: Record<string, unknown>;
}
type Row = readonly [what: string, request: Request, answer: Answer];

const H = '/v1/harvester';
const WEB = `${H}/kubevirt.io.virtualmachines/default/web`;
const MAPS = `${H}/configmaps`;
const ids = (...expected: string[]) => ({ data: expected.map((id) => expect.objectContaining({ id })) });
const error = (status: number, code: string, message: unknown): Answer => ({
  status,
  body: { type: 'error', code, status, message },
});
const map = (name?: string) => ({ metadata: { ...(name && { name }), namespace: 'default' } });

/** Kinds that Harvester has and Vireo has not: any request for them gets the reason. */
const absent = (
  [
    ['harvesterhci.io.addons', 'GET', /there are no add-ons/],
    ['harvesterhci.io.supportbundle', 'POST', /create an UpgradeLog/],
    ['harvesterhci.io.upgrades/harvester-system/u', 'GET', /upgraded by its package/],
    ['HarvesterHCI.io.SecurityGroups', 'GET', /does not have this kind/],
    ['network.harvesterhci.io.vlanconfigs', 'POST', /NetworkAttachmentDefinition/],
    ['devices.harvesterhci.io.pcidevices/d', 'DELETE', /devices of their host/],
    ['management.cattle.io.users', 'GET', /there is no Rancher/],
  ] as const
).map(([path, method, message]): Row => {
  const [type] = path.split('/');
  const words = new RegExp(`^Vireo does not serve ${type}: .*${message.source}.* \\(docs/harvester\\.md#refused\\)$`);
  return [`${path} is not served`, { path: `${H}/${path}`, method }, error(404, 'NotFound', words)];
});

const ROUTES: readonly Row[] = [
  ['the root', { path: H }, { status: 200, body: { type: 'apiRoot' } }],
  ['the root of Rancher', { path: '/v1' }, { status: 200, body: { type: 'apiRoot' } }],
  ['the schemas', { path: `${H}/schemas` }, { status: 200, body: { type: 'collection', resourceType: 'schema' } }],
  ['a schema', { path: `${H}/schemas/node` }, { status: 200, body: { id: 'node', pluralName: 'nodes' } }],
  ['a collection', { path: MAPS }, { status: 200, body: { type: 'collection', resourceType: 'configmap' } }],
  [
    'a collection, below /v1',
    { path: '/v1/configmaps/default' },
    { status: 200, body: { links: { self: expect.stringMatching(/^https:\/\/[^/]+\/v1\/configmaps\/default$/) } } },
  ],
  ['a collection, by its singular', { path: `${H}/ConfigMap` }, { status: 200, body: { resourceType: 'configmap' } }],
  [
    'a namespace of a collection',
    { path: `${MAPS}/kubevirt?labelSelector=app` },
    { status: 200, body: ids('kubevirt/b') },
  ],
  ['an object', { path: WEB }, { status: 200, body: { id: 'default/web', type: 'kubevirt.io.virtualmachine' } }],
  ['an object, below /v1', { path: WEB.replace('/harvester', '') }, { status: 200, body: { id: 'default/web' } }],
  ['an object of the cluster', { path: `${H}/nodes/n1` }, { status: 200, body: { id: 'n1', type: 'node' } }],
  ['an object, with a slash at the end', { path: `${H}/nodes/n1/` }, { status: 200, body: { id: 'n1' } }],
  ['an action', { path: `${WEB}?action=start`, method: 'POST' }, { status: 204 }],
  [
    'an action by another verb is that verb',
    { path: `${WEB}?action=start` },
    { status: 200, body: { id: 'default/web' } },
  ],
  [
    'an action of a collection',
    { path: '/v1/harvesterhci.io.keypairs?action=keygen', method: 'POST', body: { name: 'k1', namespace: 'default' } },
    { status: 200, body: /BEGIN/ },
  ],
  [
    'the same where Harvester advertises it',
    { path: `${H}/harvesterhci.io.keypairs?action=keygen`, method: 'POST', body: { name: 'k2', namespace: 'default' } },
    { status: 200, body: /BEGIN/ },
  ],
  [
    'a link of an object of the cluster',
    { path: `${H}/nodes/n1?link=fly` },
    error(404, 'NotFound', 'node has no link fly'),
  ],
  [
    'a link of an object of a namespace',
    { path: `${WEB}/fly` },
    error(404, 'NotFound', 'kubevirt.io.virtualmachine has no link fly'),
  ],
  [
    'the cluster',
    { path: `${H}/cluster/local` },
    { status: 200, body: { id: 'local', links: { machineTypes: expect.any(String) } } },
  ],
  [
    'devices that are free',
    { path: `${H}/cluster/local?link=deviceCapacity` },
    { status: 200, body: { 'example.org/gpu': '3' } },
  ],
  [
    'devices that are free, to whom may not list nodes',
    { path: `${H}/cluster/local?link=deviceCapacity`, as: 'reader' },
    error(403, 'Forbidden', expect.stringContaining('nodes is forbidden')),
  ],
  ['types of machines', { path: `${H}/clusters/local?link=machineTypes` }, { status: 200, body: ['q35'] }],
  ['another cluster', { path: `${H}/cluster/other` }, { status: 404, body: '' }],
  [
    'namespaces of support bundles',
    { path: `${H}/namespaces?link=supportbundle` },
    { status: 200, body: ids('harvester-system', 'kube-system', 'kubevirt') },
  ],
  ['ui-info', { path: `${H}/ui-info` }, { status: 200, body: { 'ui-source': 'bundled' } }],
  [
    'readyz',
    { path: `${H}/readyz` },
    { status: 200, body: { ready: false, msg: expect.any(String), timestamp: expect.any(String) } },
  ],
  [
    'the health of a backup target that is not set',
    { path: `${H}/backuptarget/healthz` },
    { status: 422, body: 'InvalidBodyContent 422: no backup target is set' },
  ],
  [
    'kubeconfig is not served',
    { path: `${H}/kubeconfig`, method: 'POST' },
    error(404, 'NotFound', /^Vireo does not serve kubeconfig: /),
  ],
  [
    'plugin-assets is not served',
    { path: `${H}/plugin-assets/x.js` },
    error(404, 'NotFound', /^Vireo does not serve plugin-assets: /),
  ],
  [
    'supportbundles is not served',
    { path: `${H}/supportbundles/x/download` },
    error(404, 'NotFound', /create an UpgradeLog, .* \(docs\/harvester\.md#refused\)$/),
  ],
  ...absent,
  ['subscribe without a WebSocket', { path: `${H}/subscribe` }, { status: 404 }],
  ['a type that there is not', { path: `${H}/fleas` }, { status: 404, body: '' }],
];

const VERBS: readonly Row[] = [
  ['create', { path: MAPS, method: 'POST', body: map('c1') }, { status: 201, body: { id: 'default/c1' } }],
  [
    'create, in the namespace of the path',
    { path: `${MAPS}/default`, method: 'POST', body: { metadata: { name: 'c2' } } },
    { status: 201, body: { id: 'default/c2' } },
  ],
  [
    'create without a name',
    { path: MAPS, method: 'POST', body: map() },
    { status: 201, body: { id: expect.stringMatching(/^default\/c-/) } },
  ],
  [
    'create without a namespace',
    { path: MAPS, method: 'POST', body: { metadata: { name: 'x' } } },
    error(422, 'Invalid', 'metadata.namespace is missing'),
  ],
  [
    'create what is there',
    { path: MAPS, method: 'POST', body: map('a') },
    error(409, 'AlreadyExists', /already exists/),
  ],
  [
    'create without the right',
    { path: MAPS, method: 'POST', body: map('x'), as: 'reader' },
    error(403, 'Forbidden', /cannot create/),
  ],
  [
    'replace without a version',
    { path: `${MAPS}/default/a`, method: 'PUT', body: map('a') },
    error(422, 'Invalid', /metadata.resourceVersion is missing/),
  ],
  [
    'patch',
    { path: `${MAPS}/default/a`, method: 'PATCH', body: { data: { p: '1' } } },
    { status: 200, body: { data: { k: 'v', p: '1' } } },
  ],
  ['delete', { path: `${MAPS}/default/c1`, method: 'DELETE' }, { status: 204 }],
  ['delete by _method', { path: `${MAPS}/default/c2?_method=delete`, method: 'POST' }, { status: 204 }],
  [
    'delete what is not there',
    { path: `${MAPS}/default/c1`, method: 'DELETE' },
    error(404, 'NotFound', /"c1" not found/),
  ],
  [
    'replace a collection',
    { path: MAPS, method: 'PUT', body: {} },
    error(403, 'PermissionDenied', 'Method PUT not supported'),
  ],
  [
    'delete a collection',
    { path: MAPS, method: 'DELETE' },
    error(403, 'PermissionDenied', 'Method DELETE not supported'),
  ],
  [
    'a verb that HTTP has and this API has not',
    { path: MAPS, method: 'OPTIONS' as ApiCall['method'] },
    error(405, 'MethodNotAllowed', /OPTIONS/),
  ],
  [
    'an action that there is not',
    { path: `${WEB}?action=fly`, method: 'POST' },
    error(403, 'PermissionDenied', 'no such action fly'),
  ],
  [
    'an action of objects on all',
    { path: `${H}/virtualmachines?action=start`, method: 'POST' },
    error(422, 'InvalidAction', /^Invalid action: start/),
  ],
  [
    'an action of what is not there',
    { path: `${H}/virtualmachines/default/gone?action=start`, method: 'POST' },
    error(404, 'NotFound', /"gone" not found/),
  ],
];

const PARAMETERS: readonly Row[] = [
  [
    'limit',
    { path: `${MAPS}?limit=1` },
    { status: 200, body: { continue: expect.any(String), pagination: { limit: 1, partial: true } } },
  ],
  [
    'limit, and where the rest is',
    { path: `${MAPS}?labelSelector=app&limit=1` },
    {
      status: 200,
      body: {
        data: [expect.objectContaining({ id: 'default/a' })],
        pagination: {
          first: expect.stringMatching(/configmaps\?labelSelector=app&limit=1$/),
          next: expect.stringMatching(/configmaps\?labelSelector=app&limit=1&continue=[^&]+$/),
        },
      },
    },
  ],
  ['limit -1, which is none', { path: `${MAPS}?labelSelector=app&limit=-1` }, { status: 200, body: { count: 2 } }],
  [
    'pagesize and page',
    { path: `${H}/virtualmachines?sort=metadata.name&pagesize=1&page=2` },
    { status: 200, body: { pages: 2, ...ids('default/web') } },
  ],
  ['page without pagesize', { path: `${H}/virtualmachines?page=1` }, { status: 200, body: { pages: 1, count: 2 } }],
  [
    'a page past the end',
    { path: `${H}/virtualmachines?page=9&pagesize=1` },
    { status: 200, body: { pages: 2, data: [] } },
  ],
  [
    'sort',
    { path: `${H}/virtualmachines?sort=-metadata.name` },
    { status: 200, body: ids('default/web', 'default/db') },
  ],
  ['filter', { path: `${H}/virtualmachines?filter=metadata.name=we` }, { status: 200, body: ids('default/web') }],
  [
    'filter by what is not',
    { path: `${H}/virtualmachines?filter=metadata.name!=we` },
    { status: 200, body: ids('default/db') },
  ],
  [
    'filter by a column',
    { path: `${H}/virtualmachines?filter=metadata.fields[0]='web'` },
    { status: 200, body: ids('default/web') },
  ],
  [
    'filter by the state',
    { path: `${H}/harvesterhci.io.virtualmachineimages?filter=metadata.state.name=importing` },
    { status: 200, body: ids('default/image') },
  ],
  [
    'filter by the id',
    { path: `${H}/virtualmachines?filter=id='default/db'` },
    { status: 200, body: ids('default/db') },
  ],
  [
    'sort by a label',
    { path: `${MAPS}?labelSelector=app&sort=-metadata.labels[app]` },
    { status: 200, body: ids('kubevirt/b', 'default/a') },
  ],
  ['labelSelector', { path: `${MAPS}?labelSelector=app%3Da` }, { status: 200, body: ids('default/a') }],
  ['fieldSelector', { path: `${MAPS}?fieldSelector=metadata.name%3Db` }, { status: 200, body: ids('kubevirt/b') }],
  [
    'projectsornamespaces',
    { path: `${MAPS}?projectsornamespaces=kubevirt&labelSelector=app` },
    { status: 200, body: ids('kubevirt/b') },
  ],
  [
    'all but some of projectsornamespaces',
    { path: `${MAPS}?projectsornamespaces!=kubevirt&labelSelector=app` },
    { status: 200, body: ids('default/a') },
  ],
  ['revision', { path: `${MAPS}/kubevirt?revision=1&labelSelector=app` }, { status: 200, body: ids('kubevirt/b') }],
  ['a revision that is none', { path: `${MAPS}?revision=soon` }, error(400, 'BadRequest', expect.any(String))],
  [
    'include',
    { path: `${MAPS}/default/a?include=metadata.name&_format=yaml` },
    { status: 200, body: /^id: default\/a\ntype: configmap\nlinks:\n( {2}.*\n)+metadata:\n {2}name: a\n$/ },
  ],
  [
    'exclude',
    { path: `${MAPS}/default/a?exclude=data,metadata.labels,metadata.managedFields&_format=yaml` },
    { status: 200, body: /^id: default\/a\n(?!.*^(data| {2}labels):).*^ {2}name: a$/ms },
  ],
  ['excludeValues', { path: `${MAPS}/default/a?excludeValues=data` }, { status: 200, body: { data: { k: '' } } }],
  [
    'checkPermissions',
    { path: `${MAPS}/default/a?checkPermissions=configmap,secret&_format=yaml`, as: 'reader' },
    { status: 200, body: /^resourcePermissions:\n {2}configmap:\n {4}get: \S+\n {4}list: \S+\n {2}secret: \{\}$/m },
  ],
  ['_format=json', { path: `${MAPS}/default/a?_format=json` }, { status: 200, body: { id: 'default/a' } }],
  [
    '_format=yaml',
    { path: `${MAPS}/default/a?_format=yaml` },
    { status: 200, body: /^id: default\/a\n/m, headers: { 'content-type': 'application/yaml' } },
  ],
  [
    '_format=jsonl',
    { path: `${MAPS}/default/a?_format=jsonl` },
    { status: 200, body: { id: 'default/a' }, headers: { 'content-type': 'application/jsonl' } },
  ],
  ['_format=html is JSON', { path: `${MAPS}/default/a?_format=html` }, { status: 200, body: { id: 'default/a' } }],
  ['an error in YAML', { path: `${MAPS}/default/gone?_format=yaml` }, { status: 404, body: /^code: NotFound$/m }],
];

const HEADERS: readonly Row[] = [
  [
    'Accept: application/yaml',
    { path: `${MAPS}/default/a`, accept: 'application/yaml' },
    { status: 200, body: /^id: default\/a\n/m },
  ],
  [
    'X-API-Host',
    { path: `${H}/nodes/n1`, headers: { 'x-api-host': 'h.example' } },
    { status: 200, body: { links: { self: 'https://h.example/v1/harvester/nodes/n1' } } },
  ],
  [
    'X-Forwarded-Host and -Proto',
    { path: `${H}/nodes/n1`, headers: { 'x-forwarded-host': 'f.example, x', 'x-forwarded-proto': 'http' } },
    { status: 200, body: { links: { self: 'http://f.example/v1/harvester/nodes/n1' } } },
  ],
  [
    'X-API-URL-Prefix',
    { path: `${H}/nodes/n1`, headers: { 'x-api-url-prefix': 'https://p.example/k8s/' } },
    { status: 200, body: { links: { self: 'https://p.example/k8s/v1/harvester/nodes/n1' } } },
  ],
  [
    'X-API-URL-Prefix, as a path',
    { path: `${H}/nodes/n1`, headers: { 'x-api-host': 'h', 'x-api-url-prefix': '/k8s' } },
    { status: 200, body: { links: { self: 'https://h/k8s/v1/harvester/nodes/n1' } } },
  ],
  [
    'those of every answer',
    { path: `${H}/nodes/n1`, headers: { 'x-api-host': 'h' } },
    {
      status: 200,
      headers: { 'x-api-schemas': 'https://h/v1/harvester/schemas', expires: expect.stringContaining('1982') },
    },
  ],
  [
    'a browser without the token',
    { path: MAPS, method: 'POST', body: map('x'), headers: { 'user-agent': 'Mozilla', cookie: 'CSRF=1' } },
    error(422, 'InvalidCSRFToken', expect.any(String)),
  ],
];

const OBJECTS: readonly Row[] = [
  [
    'a field that the API has a name for',
    { path: `${H}/secrets`, method: 'POST', body: { ...map('s'), _type: 'Opaque' } },
    { status: 201, body: { type: 'secret', _type: 'Opaque' } },
  ],
  [
    'conditions',
    { path: `${H}/harvesterhci.io.virtualmachineimages/default/image` },
    {
      status: 200,
      body: {
        metadata: { state: { name: 'importing', transitioning: true } },
        status: { conditions: [{ type: 'Imported', error: false, transitioning: true, lastUpdateTime: 'then' }] },
      },
    },
  ],
  [
    'an object of nobody who may see it',
    { path: `${H}/secrets/default/s`, as: 'reader' },
    error(403, 'Forbidden', /cannot get/),
  ],
];

const send = ({ path, as, method = 'GET', headers, ...rest }: Request) => {
  const [target = '', query] = path.split('?');
  if (headers) return sendWith(headers, { method, path: target, ...rest });
  const transport = as === undefined ? administrator : installation.server.inProcess(testUser(as));
  const parameters = query && { query: Object.fromEntries(new URLSearchParams(query)) };
  return transport.call({ method, path: target, ...parameters, ...rest });
};

/** As it arrives at the extension: clients of tests send no headers of their own. */
async function sendWith(
  headers: Record<string, string>,
  { method, path, body }: Pick<ApiCall, 'method' | 'path' | 'body'>,
) {
  const response = await installation.server.server.api.services.findPath(path)?.({
    method,
    path,
    query: new URLSearchParams(),
    headers,
    user: { username: 'root', groups: ['system:masters'] },
    body: async () => (body === undefined ? undefined : { value: body, contentType: 'application/json' }),
    signal: new AbortController().signal,
  });
  if (!response) throw new Error(`nobody answers ${path}`);
  return { status: response.status, headers: response.headers, body: bodyIn(response) };
}

/** Texts are matched; of an object, what is expected has to be in it, and nothing where that is undefined. */
function expectBody(body: unknown, expected: unknown): void {
  if (expected instanceof RegExp) expect(textOf(body)).toMatch(expected);
  else if (typeof expected === 'string') expect(textOf(body)).toBe(expected);
  else if (Array.isArray(expected)) expect(body).toEqual(expected);
  else if (isObject(expected)) {
    const { message, ...rest } = expected;
    expect(body).toMatchObject(rest);
    if (message instanceof RegExp) expect((body as { message: string }).message).toMatch(message);
    else if (message !== undefined) expect(body).toMatchObject({ message });
  }
}
const textOf = (body: unknown): string => (Buffer.isBuffer(body) ? body.toString() : String(body ?? ''));

it.each<[status: number, body: string, condition: object]>([
  [200, '', { status: 'True', reason: 'Configured' }],
  [
    422,
    'InvalidBodyContent 422: no route to host',
    { status: 'False', reason: 'Unusable', message: 'no route to host' },
  ],
  [500, 'value is no JSON', { status: 'False', reason: 'Invalid', message: 'value is no JSON' }],
])('the health of a backup target that is set is %i %s', async (status, body, condition) => {
  const settings = installation.server.client.of(Setting);
  const value = '{"type":"directory","endpoint":"file:///mnt/backup"}';
  await settings.create({ metadata: { name: BACKUP_TARGET_SETTING }, value, default: '' });
  const conditions = [{ type: CONFIGURED, ...condition }];
  await settings.patchStatus(BACKUP_TARGET_SETTING, { status: { conditions } }, { type: 'merge' });
  const answer = await send({ path: `${H}/backuptarget/healthz` });
  await settings.delete(BACKUP_TARGET_SETTING);
  expect([answer.status, textOf(answer.body)]).toEqual([status, body]);
});

it('JSON by lines has a line for each object of a collection', () => {
  const response = objectResponse({ type: 'collection', data: [{ id: 'a' }, { id: 'b' }] });
  const shown = formatted(response, { query: new URLSearchParams('_format=jsonl'), headers: {} });
  expect(shown.type === 'bytes' && shown.bytes.toString()).toBe('{"id":"a"}\n{"id":"b"}\n');
});

it.each([...ROUTES, ...VERBS, ...PARAMETERS, ...HEADERS, ...OBJECTS])('%s', async (_, request, answer) => {
  const { status, body, headers } = await send(request);
  expect(status).toBe(answer.status);
  if (answer.body !== undefined) expectBody(body, answer.body);
  if (answer.headers) expect(headers).toMatchObject(answer.headers);
});
