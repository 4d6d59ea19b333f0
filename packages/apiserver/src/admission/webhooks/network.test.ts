import { randomUUID } from 'node:crypto';
import type { UnknownObject } from '@vireo/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serverOfFile } from '../../testing/calls.ts';
import {
  type AdmissionReviewBody,
  patchedBy,
  reviewed,
  startWebhookServer,
  type TestWebhookServer,
  type WebhookCall,
} from '../../testing/webhookServer.ts';

const calls = serverOfFile();
const { get, post, put, patch, delete: remove } = calls;

type Call = WebhookCall<AdmissionReviewBody>;

let hooks: TestWebhookServer;
/** What the webhooks of one test do, by path. */
let handlers: Record<string, (call: Call) => unknown>;
let asked: Call[];

beforeAll(async () => {
  hooks = await startWebhookServer<AdmissionReviewBody>(
    (call) => {
      asked.push(call);
      return (handlers[call.path] ?? (({ body }) => reviewed(body)))(call);
    },
    ['localhost', 'hooks.default.svc'],
  );
  await post('/api/v1/namespaces/default/services', {
    metadata: { name: 'hooks' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
});
afterAll(() => hooks.close());
beforeEach(() => {
  handlers = {};
  asked = [];
});

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';

/** A webhook for the ConfigMaps of one test; `path` is what the test's server is asked at. */
const webhook = (path: string, more: object = {}) => ({
  name: `${path.slice(1)}.example.com`,
  clientConfig: { url: `${hooks.url}${path}`, caBundle: hooks.caBundle },
  rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  objectSelector: { matchLabels: { hooked: 'yes' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

/** Does something while webhooks are configured. */
async function withWebhooks<T>(type: 'mutating' | 'validating', webhooks: object[], action: () => Promise<T>) {
  const path = `${CONFIGURATIONS}/${type}webhookconfigurations`;
  const { status, body } = await post(path, { metadata: { generateName: 'test-' }, webhooks });
  expect(status, body.message).toBe(201);
  try {
    return await action();
  } finally {
    await remove(`${path}/${body.metadata.name}`);
  }
}

const map = (data: object = {}, more: object = {}) => ({
  metadata: { name: `map-${randomUUID()}`, labels: { hooked: 'yes' }, ...more },
  data,
});

describe('webhooks are called over TLS', () => {
  it('with a review, by URL, and their patches are applied one after another', async () => {
    handlers['/first'] = ({ body }) =>
      reviewed(body, { ...patchedBy({ op: 'add', path: '/data/log', value: 'first' }), warnings: ['was changed'] });
    handlers['/second'] = ({ body }) => {
      const { log } = (body.request.object as { data: { log: string } }).data;
      return reviewed(body, patchedBy({ op: 'add', path: '/data/log', value: `${log} second` }));
    };
    const created = await withWebhooks('mutating', [webhook('/first'), webhook('/second')], () =>
      post(MAPS, map({ a: 'b' }), { query: { fieldManager: 'test' } }),
    );
    expect(created).toMatchObject({ status: 201, body: { data: { a: 'b', log: 'first second' } } });
    expect(created.headers.warning).toBe('299 - "was changed"');
    expect(asked[0]?.query.get('timeout')).toBe('10s');
    expect(asked[0]?.headers).toMatchObject({ host: `127.0.0.1:${hooks.port}`, 'content-type': 'application/json' });
    const { name } = created.body.metadata;
    expect(asked[0]?.body).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid: expect.any(String),
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name,
        namespace: 'default',
        operation: 'CREATE',
        userInfo: {
          username: 'kubernetes-admin',
          groups: ['system:masters', 'system:authenticated'],
          extra: expect.any(Object),
        },
        object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } }),
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'test' },
      },
    });
  });

  it('by Service, whose name is asked for and verified, and connections are kept', async () => {
    const service = { namespace: 'default', name: 'hooks', port: hooks.port, path: '/checks/all' };
    const { caBundle } = hooks;
    const before = hooks.connections();
    await withWebhooks('validating', [webhook('/any', { clientConfig: { service, caBundle } })], async () => {
      for (let i = 0; i < 3; i++) expect((await post(MAPS, map())).status).toBe(201);
    });
    expect(asked.map(({ path }) => path)).toEqual(['/checks/all', '/checks/all', '/checks/all']);
    expect(asked[0]).toMatchObject({ serverName: 'hooks.default.svc' });
    expect(asked[0]?.headers.host).toBe(`hooks.default.svc:${hooks.port}`);
    expect(hooks.connections() - before).toBe(1);
  });

  it('of updates, deletions and dry runs, with both objects', async () => {
    const made = (await post(MAPS, map({ a: '1' }))).body;
    const path = `${MAPS}/${made.metadata.name}`;
    await withWebhooks('validating', [webhook('/any')], async () => {
      await put(path, { ...made, data: { a: '2' } }, { query: { dryRun: 'All', fieldValidation: 'Strict' } });
      await patch(path, 'merge', { data: { a: '3' } });
      await remove(path, { gracePeriodSeconds: 5 });
    });
    const shown = asked.map(({ body: { request } }) => [
      request.operation,
      (request.object as UnknownObject | null)?.data ?? null,
      (request.oldObject as UnknownObject | null)?.data ?? null,
      request.dryRun,
      request.options,
    ]);
    const options = (kind: string, more: object = {}) => ({ kind, apiVersion: 'meta.k8s.io/v1', ...more });
    expect(shown).toEqual([
      [
        'UPDATE',
        { a: '2' },
        { a: '1' },
        true,
        options('UpdateOptions', { dryRun: ['All'], fieldValidation: 'Strict' }),
      ],
      ['UPDATE', { a: '3' }, { a: '1' }, false, options('UpdateOptions')],
      ['DELETE', null, { a: '3' }, false, options('DeleteOptions', { gracePeriodSeconds: 5 })],
    ]);
  });

  it('in the older version of reviews if they ask for it', async () => {
    handlers['/old'] = ({ body }) => ({
      response: { allowed: true, patch: patchedBy({ op: 'add', path: '/data', value: { by: body.apiVersion } }).patch },
    });
    const hook = webhook('/old', { admissionReviewVersions: ['v9', 'v1beta1', 'v1'] });
    const { body } = await withWebhooks('mutating', [hook], () => post(MAPS, map()));
    expect(body.data).toEqual({ by: 'admission.k8s.io/v1beta1' });
  });
});

/** Configures a webhook for each case of a table at once; the label `case` of an object says which one is meant. */
function configureCases(type: 'mutating' | 'validating', cases: () => readonly object[]): void {
  const path = `${CONFIGURATIONS}/${type}webhookconfigurations`;
  const name = `cases-${randomUUID()}`;
  beforeAll(async () => {
    const webhooks = cases().flatMap((more, index) =>
      ['Fail', 'Ignore'].map((failurePolicy) => ({
        ...webhook('/hook', more),
        name: `hook.${failurePolicy.toLowerCase()}-${index}.example.com`,
        objectSelector: { matchLabels: { case: `${failurePolicy}-${index}` } },
        failurePolicy,
      })),
    );
    expect((await post(path, { metadata: { name }, webhooks })).status).toBe(201);
  });
  afterAll(() => remove(`${path}/${name}`));
}

/** What a client is told that creates an object of a case. */
async function outcomeOf(index: number, failurePolicy: 'Fail' | 'Ignore' = 'Fail') {
  const { status, body } = await post(MAPS, map({}, { labels: { case: `${failurePolicy}-${index}` } }));
  if (status === 201) return 'created';
  const message = body.message
    ?.replace(`hook.${failurePolicy.toLowerCase()}-${index}.example.com`, 'hook')
    .replace(hooks.url, 'URL')
    .replace(/uid="[\w-]+"/, 'uid="UID"');
  return [status, body.reason, message];
}

const failed = (why: string) => [
  500,
  'InternalError',
  `Internal error occurred: failed calling webhook "hook": ${why}`,
];
const invalid = (why: string) => failed(`received invalid webhook response: ${why}`);
const denied = 'admission webhook "hook" denied the request';
const operations = patchedBy({ op: 'add', path: '/data', value: {} });
const text = (json: string) => ({ patchType: 'JSONPatch', patch: Buffer.from(json).toString('base64') });

type Answer = [title: string, response: object, outcome: unknown];

const OF_VALIDATING: Answer[] = [
  ['denies', { allowed: false }, [400, undefined, `${denied} without explanation`]],
  [
    'denies with a code that is none',
    { allowed: false, status: { code: 200 } },
    [400, undefined, `${denied} without explanation`],
  ],
  [
    'denies with a code beyond all',
    { allowed: false, status: { code: 1000 } },
    [400, undefined, `${denied} without explanation`],
  ],
  [
    'denies with half a code, and a time to wait that is none',
    { allowed: false, status: { code: 404.5, details: { retryAfterSeconds: '1\r\n' } } },
    [400, undefined, `${denied} without explanation`],
  ],
  ['is for another request', { uid: 'x' }, invalid('expected response.uid="UID", got "x"')],
  ['changes what it may only look at', operations, invalid('validating webhook may not return response.patch')],
  [
    'names a patch that is not there',
    { patchType: 'JSONPatch' },
    invalid('validating webhook may not return response.patchType'),
  ],
];
const OF_MUTATING: Answer[] = [
  [
    'denies with a reason',
    { allowed: false, status: { reason: 'Forbidden', code: 403, message: 'not you' } },
    [403, 'Forbidden', `${denied}: not you`],
  ],
  [
    'has a patch of no type',
    { patch: operations.patch },
    invalid('webhook returned response.patch but not response.patchType'),
  ],
  [
    'has a type without a patch',
    { patchType: 'JSONPatch' },
    invalid('webhook returned response.patchType but not response.patch'),
  ],
  ['has a patch of an unknown type', { ...operations, patchType: 'Merge' }, failed('unsupported patch type "Merge"')],
  [
    'has a patch that is none',
    text('{"a":1}'),
    failed(
      'received undecodable patch in webhook response: json: cannot unmarshal into Go value of type jsonpatch.Patch',
    ),
  ],
  ['has an empty patch', text('[]'), 'created'],
  [
    'has a patch that does not fit',
    patchedBy({ op: 'remove', path: '/nowhere' }),
    [
      500,
      'InternalError',
      `Internal error occurred: error in remove for path: '/nowhere': Unable to remove nonexistent key: nowhere: missing value`,
    ],
  ],
];

describe.each([
  ['validating', OF_VALIDATING],
  ['mutating', OF_MUTATING],
] as const)('an answer of a %s webhook', (type, cases) => {
  configureCases(type, () => cases.map(() => ({})));

  it.each(cases.map(([title, response, outcome], index) => [title, index, response, outcome] as const))(
    '%s',
    async (_, index, response, outcome) => {
      handlers['/hook'] = ({ body }) => reviewed(body, response);
      expect(await outcomeOf(index)).toEqual(outcome);
      const isCallingFailure = String(outcome).includes('failed calling');
      if (isCallingFailure) expect(await outcomeOf(index, 'Ignore')).toBe('created');
    },
  );
});

it('a patch of what is deleted is an error of the server', async () => {
  const { name } = (await post(MAPS, map())).body.metadata;
  handlers['/hook'] = ({ body }) => reviewed(body, operations);
  expect(await withWebhooks('mutating', [webhook('/hook')], () => remove(`${MAPS}/${name}`))).toMatchObject({
    status: 500,
    body: {
      message:
        'Internal error occurred: admission webhook "hook.example.com" attempted to modify the object, which is not supported for this operation',
    },
  });
  expect((await get(`${MAPS}/${name}`)).status).toBe(200);
});

describe('a webhook that cannot be asked', () => {
  const at = (path: string) => ({ url: `${hooks.url}${path}`, caBundle: hooks.caBundle });
  const cases: [title: string, config: () => object, why: string][] = [
    [
      'is not there',
      () => ({ url: 'https://127.0.0.1:1/x' }),
      'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'is nobody we trust',
      () => ({ url: `${hooks.url}/x` }),
      'Post "URL/x?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
    [
      'has no Service',
      () => ({ service: { namespace: 'default', name: 'none' } }),
      'Post "https://none.default.svc:443/?timeout=10s": service "none" not found',
    ],
    [
      'answers with an error',
      () => at('/error'),
      'an error on the server ("it broke") has prevented the request from succeeding',
    ],
    [
      'answers with a redirection',
      () => at('/moved'),
      'the server responded with the status code 302 but did not return more information',
    ],
    [
      'answers with no JSON',
      () => at('/html'),
      "couldn't get version/kind; json parse error: invalid character '<' looking for beginning of value",
    ],
    ['dies', () => at('/die'), 'Post "URL/die?timeout=10s": EOF'],
    [
      'sends without end',
      () => at('/endless'),
      'Post "URL/endless?timeout=10s": response body is larger than 8388608 bytes',
    ],
  ];
  configureCases('validating', () => cases.map(([, config]) => ({ clientConfig: config() })));

  it.each(cases.map(([title, , why], index) => [title, index, why] as const))('%s', async (_, index, why) => {
    handlers['/error'] = ({ response }) =>
      void response.writeHead(500, { 'content-type': 'text/plain' }).end('it broke\n');
    handlers['/moved'] = ({ response }) => void response.writeHead(302, { location: '/any' }).end();
    handlers['/html'] = ({ response }) => void response.end('<html>');
    handlers['/die'] = ({ response }) => void response.socket?.destroy();
    handlers['/endless'] = ({ response }) => {
      const chunk = Buffer.alloc(1 << 20, ' ');
      const more = (): void => void (response.destroyed || response.write(chunk, more));
      more();
    };
    expect(await outcomeOf(index)).toEqual(failed(`failed to call webhook: ${why}`));
    expect(await outcomeOf(index, 'Ignore')).toBe('created');
  });

  it('has no authority that can be read', async () => {
    const hook = webhook('/hook', { clientConfig: { url: hooks.url, caBundle: 'bm9uZQ==' } });
    expect((await withWebhooks('validating', [hook], () => post(MAPS, map()))).body.message).toBe(
      'Internal error occurred: failed calling webhook "hook.example.com": could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
    );
  });

  it('is slow: others are served meanwhile, and the client is told after its time', async () => {
    const waiting = Promise.withResolvers<void>();
    handlers['/slow'] = () => void waiting.resolve();
    const hook = webhook('/slow', { timeoutSeconds: 1 });
    await withWebhooks('validating', [hook], async () => {
      const slow = post(MAPS, map());
      await waiting.promise;
      expect((await post(MAPS, { metadata: { generateName: 'other-' } })).status).toBe(201);
      expect(await slow).toMatchObject({
        status: 500,
        body: {
          message: `Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "${hooks.url}/slow?timeout=1s": context deadline exceeded`,
        },
      });
    });
  });

  it('is slower than the client waits', async () => {
    handlers['/slow'] = () => undefined;
    const hook = webhook('/slow', { failurePolicy: 'Ignore' });
    expect(
      await withWebhooks('mutating', [hook], () => post(MAPS, map(), { query: { timeout: '300ms' } })),
    ).toMatchObject({
      status: 504,
      body: {
        reason: 'Timeout',
        message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
      },
    });
    expect(asked[0]?.query.get('timeout')).toBe('1s');
  });
});

it.each(['soon', '5', '-1s'])('a client cannot ask for an answer within %j', async (timeout) => {
  expect(await post(MAPS, map(), { query: { timeout } })).toMatchObject({
    status: 400,
    body: {
      message: `invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(timeout)}`,
    },
  });
});

describe('webhooks are asked', () => {
  it('all at once if they validate, and the first refusal in their order counts', async () => {
    const both = Promise.withResolvers<void>();
    const meet = ({ body, path }: Call) => {
      if (asked.length === 2) both.resolve();
      return both.promise.then(() => reviewed(body, { allowed: false, status: { message: path } }));
    };
    handlers['/a'] = meet;
    handlers['/b'] = meet;
    const { body } = await withWebhooks('validating', [webhook('/a'), webhook('/b')], () => post(MAPS, map()));
    expect(body.message).toBe('admission webhook "a.example.com" denied the request: /a');
  });

  it('again if another changes the object after them', async () => {
    const note = ({ body, path }: Call) => {
      const { data = {} } = body.request.object as { data?: Record<string, string> };
      if (path === '/b' && data.b) return reviewed(body);
      return reviewed(body, patchedBy({ op: 'add', path: `/data`, value: { ...data, [path.slice(1)]: 'yes' } }));
    };
    handlers['/a'] = note;
    handlers['/b'] = note;
    const again = { reinvocationPolicy: 'IfNeeded' };
    await withWebhooks('mutating', [webhook('/a', again), webhook('/b')], () => post(MAPS, map()));
    expect(asked.map(({ path }) => path)).toEqual(['/a', '/b', '/a']);
  });

  it('in another version or group of the same objects, and their patch is converted back', async () => {
    const rules = [{ operations: ['CREATE'], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['*'] }];
    handlers['/hpa'] = ({ body }) =>
      reviewed(body, patchedBy({ op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 70 }));
    const scaler = {
      metadata: { name: 'web', labels: { hooked: 'yes' } },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' } },
    };
    const { body } = await withWebhooks('mutating', [webhook('/hpa', { rules })], () =>
      post('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', scaler),
    );
    expect(asked[0]?.body.request).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1' },
    });
    expect(body.spec).toMatchObject({
      metrics: [{ resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
    });
  });

  it('about evictions, bindings and token requests, with what was sent', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const spec = { schedulerName: 'none', containers: [{ name: 'a', image: 'a' }] };
    await post(pods, { metadata: { name: 'web' }, spec });
    const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['*/*'], scope: '*' }];
    handlers['/actions'] = ({ body }) => reviewed(body, { allowed: body.request.subResource === 'binding' });
    const hook = webhook('/actions', { rules, objectSelector: {}, namespaceSelector: {} });
    const denied = 'admission webhook "actions.example.com" denied the request without explanation';
    await withWebhooks('validating', [hook], async () => {
      const bound = { metadata: { name: 'web' }, target: { kind: 'Node', name: 'n1' } };
      expect((await post(`${pods}/web/binding`, bound)).status).toBe(201);
      expect((await post(`${pods}/web/eviction`, { metadata: { name: 'web' } })).body.message).toBe(denied);
      const token = '/api/v1/namespaces/default/serviceaccounts/default/token';
      expect((await post(token, { spec: { audiences: ['vault'] } })).body.message).toBe(denied);
    });
    expect(asked.map(({ body: { request } }) => request)).toMatchObject([
      { operation: 'CREATE', subResource: 'binding', kind: { kind: 'Binding' }, object: { target: { name: 'n1' } } },
      {
        operation: 'CREATE',
        name: 'web',
        kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web', namespace: 'default' } },
      },
      { kind: { kind: 'TokenRequest' }, object: { spec: { audiences: ['vault'] } } },
    ]);
    expect((await get(`${pods}/web`)).body.spec).toMatchObject({ nodeName: 'n1' });
  });

  it('and counted', async () => {
    await withWebhooks('validating', [webhook('/counted')], () => post(MAPS, map()));
    const { body } = await get('/metrics');
    expect(body).toContain(
      'apiserver_admission_webhook_request_total{name="counted.example.com",type="validating",operation="CREATE",code="200",rejected="false"} 1',
    );
  });
});
