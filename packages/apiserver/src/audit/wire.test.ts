import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Calls, callsOver } from '../testing/calls.ts';
import { callsByCertificate } from '../testing/certificateCalls.ts';
import { found } from '../testing/controllers.ts';
import { type RawCalls, rawCalls } from '../testing/rawCalls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

interface Event {
  readonly [field: string]: unknown;
  readonly auditID: string;
  readonly stage: string;
  readonly annotations?: Record<string, string>;
}

/** Controllers and probes are left out, so that the log has what the tests do. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'None', userGroups: ['system:serviceaccounts'] },
    { level: 'None', users: ['system:apiserver', 'system:kube-scheduler'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }], omitStages: ['ResponseStarted'] },
    { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }], verbs: ['create', 'patch'] },
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Metadata' },
  ],
};

let home: string;
let server: TestServer;
let raw: RawCalls;
let admin: Calls;
const callsAs = callsByCertificate(() => server);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-audit-'));
  const policyFile = join(home, 'policy.yaml');
  await writeFile(policyFile, stringify(POLICY));
  server = await startTestServer(home, { audit: { policyFile } });
  raw = rawCalls(server);
  const transport = await server.overHttp();
  admin = callsOver(async () => transport);
});
afterAll(async () => {
  raw.close();
  await server.close();
});

/** The events of a request, once there are that many. */
const eventsOf = (auditId: string, count = 1): Promise<Event[]> =>
  found(async () => {
    const lines = (await readFile(join(home, 'audit.log'), 'utf8')).split('\n').filter((line) => line.endsWith('}'));
    const events = lines.map((line) => JSON.parse(line) as Event).filter(({ auditID }) => auditID === auditId);
    return events.length >= count ? events : undefined;
  });

/** The events that mention a text, once there is one. */
const eventsWith = (text: string): Promise<Event[]> =>
  found(async () => {
    const lines = (await readFile(join(home, 'audit.log'), 'utf8')).split('\n');
    const events = lines.filter((line) => line.endsWith('}') && line.includes(text)).map((line) => JSON.parse(line));
    return events.length > 0 ? events : undefined;
  });

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };

describe('the audit log', () => {
  it('has who did what to which object, and whether they were allowed', async () => {
    const secret = { metadata: { name: 'password' }, stringData: { password: 'hunter2' } };
    const { status } = await raw.send('POST', '/api/v1/namespaces/default/secrets?fieldManager=me', {
      body: JSON.stringify(secret),
      headers: { ...json, 'audit-id': 'one', 'user-agent': 'test/1.0', 'x-forwarded-for': '192.0.2.1, nonsense' },
    });
    expect(status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(await eventsOf('one')).toEqual([
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: 'one',
        stage: 'ResponseComplete',
        requestURI: '/api/v1/namespaces/default/secrets?fieldManager=me',
        verb: 'create',
        user: expect.objectContaining({
          username: 'kubernetes-admin',
          groups: ['system:masters', 'system:authenticated'],
        }),
        sourceIPs: ['192.0.2.1', '127.0.0.1'],
        userAgent: 'test/1.0',
        objectRef: { resource: 'secrets', namespace: 'default', name: 'password', apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 201 },
        requestReceivedTimestamp: time,
        stageTimestamp: time,
        annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
      },
    ]);
    expect(await readFile(join(home, 'audit.log'), 'utf8')).not.toContain('hunter2');
  });

  it('has bodies where the policy wants them, without managers', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' }, data: { a: 'b' } };
    await raw.send('POST', CONFIG_MAPS, { body: JSON.stringify(object), headers: { ...json, 'audit-id': 'two' } });
    const [event] = await eventsOf('two');
    expect(event).toMatchObject({
      level: 'RequestResponse',
      requestObject: object,
      responseObject: { metadata: { name: 'map', uid: expect.any(String) }, data: { a: 'b' } },
    });
    expect(JSON.stringify(event)).not.toContain('managedFields');
    await raw.send('PATCH', `${CONFIG_MAPS}/map`, {
      body: '{"data":{"a":"c"}}',
      headers: { 'content-type': 'application/merge-patch+json', 'audit-id': 'three' },
    });
    expect((await eventsOf('three'))[0]).toMatchObject({
      requestObject: { data: { a: 'c' } },
      objectRef: { name: 'map' },
      responseObject: { data: { a: 'c' } },
    });
  });

  it('has refusals with their reasons', async () => {
    const jane = await callsAs('jane');
    await jane.get('/api/v1/nodes/n1', { query: { pretty: 'jane' } });
    expect((await eventsWith('pretty=jane'))[0]).toMatchObject({
      user: { username: 'jane' },
      responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403, message: expect.stringContaining('jane') },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
    const missing = await raw.send('GET', `${CONFIG_MAPS}/none`, { headers: { 'audit-id': 'four' } });
    expect(missing.headers['audit-id']).toBe('four');
    expect((await eventsOf('four'))[0]).toMatchObject({
      responseStatus: { reason: 'NotFound', code: 404, details: { name: 'none', kind: 'configmaps' } },
    });
  });

  it('has those who were not let in', async () => {
    const anonymous = await server.overHttp({ token: 'wrong' });
    await callsOver(async () => anonymous).get('/api/v1/pods', { query: { labelSelector: 'nobody' } });
    const [event] = await eventsWith('labelSelector=nobody');
    expect(event).toMatchObject({
      user: {},
      responseStatus: { code: 401, message: 'Authentication failed, attempted: bearer' },
    });
    expect(JSON.stringify(event)).not.toContain('wrong');
  });

  it('has who is behind an impersonated user', async () => {
    await raw.send('GET', CONFIG_MAPS, {
      headers: { 'audit-id': 'five', 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
    });
    expect((await eventsOf('five'))[0]).toMatchObject({
      user: { username: 'kubernetes-admin' },
      impersonatedUser: { username: 'bob', groups: ['system:masters', 'system:authenticated'] },
      responseStatus: { code: 200 },
    });
    await raw.send('GET', CONFIG_MAPS, { headers: { 'audit-id': 'six', 'impersonate-group': 'a' } });
    expect((await eventsOf('six'))[0]).toMatchObject({
      user: { username: 'kubernetes-admin' },
      responseStatus: { code: 400 },
    });
  });

  it('has the beginning and the end of a watch', async () => {
    const leaving = new AbortController();
    const transport = await server.overHttp();
    const query = { labelSelector: 'of=watch', watch: true };
    await transport.watch({ method: 'GET', path: CONFIG_MAPS, query, signal: leaving.signal });
    const stages = async () => (await eventsWith('labelSelector=of%3Dwatch')).map(({ stage, verb }) => [stage, verb]);
    expect(await stages()).toEqual([['ResponseStarted', 'watch']]);
    leaving.abort();
    await found(async () => (await stages()).length === 2);
    expect((await stages())[1]).toEqual(['ResponseComplete', 'watch']);
  });

  it.each(['Ü-中', 'a b', 'x'.repeat(100)])('gives the id %j back only as far as a header takes it', async (id) => {
    const { status, headers } = await raw.send('GET', '/version', { headers: { 'audit-id': id } });
    expect([status, headers['audit-id']]).toEqual([200, expect.stringMatching(/^[\x21-\x7e]{1,64}$/)]);
  });

  it('leaves out what the policy leaves out', async () => {
    expect((await raw.send('GET', '/healthz', { headers: { 'audit-id': 'eight' } })).status).toBe(200);
    await raw.send('GET', '/version', { headers: { 'audit-id': 'nine' } });
    expect((await eventsOf('nine'))[0]).toMatchObject({ requestURI: '/version', verb: 'get' });
    expect(await readFile(join(home, 'audit.log'), 'utf8')).not.toMatch(/"eight"|system:serviceaccount/);
  });

  it('has what policies find', async () => {
    const group = '/apis/admissionregistration.k8s.io/v1';
    await admin.post(`${group}/validatingadmissionpolicies`, {
      metadata: { name: 'no-secrets' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
        validations: [{ expression: 'true' }, { expression: '!has(object.data.password)', message: 'keep it secret' }],
        auditAnnotations: [{ key: 'keys', valueExpression: "'has ' + string(size(object.data))" }],
      },
    });
    await admin.post(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name: 'watch-secrets' },
      spec: { policyName: 'no-secrets', validationActions: ['Audit'] },
    });
    const body = JSON.stringify({ metadata: { generateName: 'map-' }, data: { password: 'x' } });
    const event = await found(async () => {
      const { headers } = await raw.send('POST', CONFIG_MAPS, { body, headers: json });
      const [latest] = await eventsOf(String(headers['audit-id']));
      return latest?.annotations?.['no-secrets/keys'] ? latest : undefined;
    });
    expect(event.annotations).toEqual({
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason': '',
      'no-secrets/keys': 'has 1',
      'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([
        {
          message: 'keep it secret',
          policy: 'no-secrets',
          binding: 'watch-secrets',
          expressionIndex: 1,
          validationActions: ['Audit'],
        },
      ]),
    });
  });

  it('has webhooks that failed and were passed over', async () => {
    await admin.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: { name: 'gone' },
      webhooks: [
        {
          name: 'gone.example.com',
          clientConfig: { service: { namespace: 'default', name: 'nowhere' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['serviceaccounts'] }],
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const body = JSON.stringify({ metadata: { generateName: 'a-' } });
    const event = await found(async () => {
      const { headers } = await raw.send('POST', '/api/v1/namespaces/default/serviceaccounts', { body, headers: json });
      const [latest] = await eventsOf(String(headers['audit-id']));
      return Object.keys(latest?.annotations ?? {}).some((key) => key.startsWith('failed-open')) ? latest : undefined;
    });
    expect(event.annotations).toMatchObject({
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'gone.example.com',
    });
  });
});
