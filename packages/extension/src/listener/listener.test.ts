import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { PLAIN_PROTOCOL } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { cachedAccessReviews, downloadResponse } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { bySubjectAccessReview } from '../authorize.ts';
import { unixSocket } from '../streams/nodeConnections.ts';
import { vmsOf } from '../testing/harvester.ts';
import { type Installation, install } from '../testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '../testing/nodeStandIn.ts';
import { allow } from '../testing/roles.ts';
import { type Listener, type ListenerOptions, listen } from './listener.ts';

let node: NodeStandIn;
let installation: Installation;
let listener: Listener;
const problems: unknown[] = [];
const read = (name: string): string => readFileSync(join(installation.server.home, 'pki', name), 'utf8');

const trust = (...frontProxyNames: string[]) => ({
  frontProxyCa: read('front-proxy-ca.crt'),
  frontProxyNames: frontProxyNames.length > 0 ? frontProxyNames : ['front-proxy-client'],
});

const listenWith = (parts: Partial<ListenerOptions> = {}): Promise<Listener> => {
  const { extension, client } = installation;
  return listen({
    port: 0,
    host: '127.0.0.1',
    cert: read('apiserver.crt'),
    key: read('apiserver.key'),
    trust: trust(),
    ...extension.authorizedBy(bySubjectAccessReview(cachedAccessReviews(client))),
    openPaths: extension.openPaths,
    onError: (error) => problems.push(error),
    ...parts,
  });
};

beforeAll(async () => {
  node = await startNodeStandIn();
  installation = await install({ nodes: () => unixSocket(node.socketPath) });
  const vms = vmsOf(installation);
  await vms.createVm('web', 'Always');
  await vms.createVmi('web');
  await allow(installation.server.client, 'jane', [
    { apiGroups: ['subresources.harvesterhci.io'], resources: ['virtualmachines/stop'], verbs: ['create'] },
    { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachineinstances/console'], verbs: ['get'] },
  ]);
  listener = await listenWith();
});
afterAll(async () => {
  await listener?.close();
  await installation?.close();
  await node?.close();
  expect(problems).toEqual([]);
});

interface Request {
  readonly method?: string;
  /** Which certificate of the server's is shown; none: `''`. */
  readonly certificate?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: unknown;
  readonly at?: Listener;
}

function send(path: string, request: Request = {}): Promise<{ status: number; body: unknown }> {
  const { method = 'GET', certificate = 'front-proxy-client', headers = {}, body, at = listener } = request;
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>();
  const sent = https.request(
    {
      host: '127.0.0.1',
      port: at.port,
      path,
      method,
      headers,
      ca: read('ca.crt'),
      ...(certificate && { cert: read(`${certificate}.crt`), key: read(`${certificate}.key`) }),
    },
    (response) => {
      const isJson = response.headers['content-type']?.startsWith('application/json');
      const body: Promise<unknown> = isJson ? json(response) : text(response);
      body.then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject);
    },
  );
  sent.once('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

const GROUP = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/web';
const JANE = { 'x-remote-user': 'jane', 'x-remote-group': ['dev', 'system:authenticated'] };

describe('a request of the front proxy', () => {
  it('whose body is too long is refused, and the next one is served', async () => {
    const response = await send('/virtualmachines-mutate', {
      method: 'POST',
      headers: JANE,
      body: 'x'.repeat(5_000_000),
    });
    expect(response).toMatchObject({ status: 413, body: { reason: 'RequestEntityTooLarge' } });
    // The next one comes over the same connection.
    expect((await send(`${GROUP}/start`, { method: 'POST', headers: JANE })).status).toBe(403);
  });

  it('does what its user may', async () => {
    expect(await send(`${GROUP}/stop`, { method: 'POST', headers: JANE })).toEqual({ status: 204, body: '' });
    const vm = await installation.server.client.of(VirtualMachine).get('web', { namespace: 'default' });
    expect(vm.spec.runStrategy).toBe('Halted');
  });

  it('is refused what its user may not, in the words of an API server', async () => {
    expect(await send(`${GROUP}/start`, { method: 'POST', headers: JANE })).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message:
          'virtualmachines.subresources.harvesterhci.io "web" is forbidden: User "jane" cannot create resource "virtualmachines/start" in API group "subresources.harvesterhci.io" in the namespace "default"',
      },
    });
  });

  it('is believed what it says of groups', async () => {
    const headers = { 'x-remote-user': 'root', 'x-remote-group': ['one', 'system:masters'] };
    expect(await send(`${GROUP}/start`, { method: 'POST', headers })).toMatchObject({ status: 409 });
  });

  it('names a user', async () => {
    expect(await send(`${GROUP}/stop`, { method: 'POST' })).toMatchObject({
      status: 401,
      body: { message: 'the request does not name a user; X-Remote-User is missing' },
    });
  });

  it('asks what there is', async () => {
    const { body } = await send('/apis/subresources.harvesterhci.io/v1beta1', { headers: JANE });
    expect(body).toMatchObject({ kind: 'APIResourceList' });
  });

  it("reaches Harvester's Steve API as its user", async () => {
    const path = '/v1/harvester/kubevirt.io.virtualmachines/default/web';
    expect(await send(path, { headers: JANE })).toMatchObject({ status: 403, body: { type: 'error' } });
    expect(await send(`${path}?action=stop`, { method: 'POST', headers: JANE })).toMatchObject({ status: 204 });
  });

  it('may not be longer than a body is', async () => {
    const body = { text: 'x'.repeat(4 << 20) };
    const path = `${GROUP}/addVolume`;
    const headers = { 'x-remote-user': 'root', 'x-remote-group': ['system:masters'] };
    expect(await send(path, { method: 'POST', headers, body })).toMatchObject({ status: 413 });
  });
});

describe('anybody else', () => {
  it.each([
    ['without a certificate', '', 'the client presents no certificate'],
    ['with the certificate of a user', 'admin', 'not signed by the front-proxy CA'],
  ])('%s is refused', async (_, certificate, message) => {
    const response = await send(`${GROUP}/stop`, { method: 'POST', certificate, headers: JANE });
    expect(response).toMatchObject({ status: 401, body: { reason: 'Unauthorized' } });
    expect((response.body as { message: string }).message).toContain(message);
  });

  it('with a certificate of another name is refused', async () => {
    const strict = await listenWith({ trust: trust('another-proxy') });
    try {
      expect(await send(`${GROUP}/stop`, { method: 'POST', headers: JANE, at: strict })).toMatchObject({
        status: 401,
        body: {
          message: 'the client\'s certificate is for "front-proxy-client", which is not allowed to act for other users',
        },
      });
    } finally {
      await strict.close();
    }
  });

  it('may call webhooks, and ask whether it is well', async () => {
    expect(await send('/healthz', { certificate: '' })).toMatchObject({ status: 200 });
    const [path = ''] = installation.extension.openPaths.filter((each) => each !== '/healthz');
    expect(await send(path, { method: 'POST', certificate: '', body: {} })).toMatchObject({
      status: 400,
      body: { message: 'the body is not an AdmissionReview with a request' },
    });
  });
});

it('takes only so many calls of webhooks at once, and says when to come again', async () => {
  const full = await listenWith({ maxOpenRequests: 0 });
  try {
    const [path = ''] = installation.extension.openPaths.filter((each) => each !== '/healthz');
    expect(await send(path, { method: 'POST', certificate: '', body: {}, at: full })).toMatchObject({
      status: 429,
      body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } },
    });
    expect((await send('/healthz', { certificate: '', at: full })).status).toBe(200);
    expect((await send(`${GROUP}/start`, { method: 'POST', headers: JANE, at: full })).status).toBe(403);
  } finally {
    await full.close();
  }
});

it('listens on all addresses of the host unless it is told otherwise, of both families', async () => {
  const everywhere = await listenWith({ host: undefined });
  try {
    for (const host of ['127.0.0.1', '::1']) {
      const socket = connect({ host, port: everywhere.port });
      await once(socket, 'connect');
      socket.destroy();
    }
  } finally {
    await everywhere.close();
  }
});

describe('a stream', () => {
  const open = (certificate: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = new WebSocket(
      `wss://127.0.0.1:${listener.port}/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/console`,
      PLAIN_PROTOCOL,
      {
        ca: read('ca.crt'),
        ...(certificate && { cert: read(`${certificate}.crt`), key: read(`${certificate}.key`) }),
        headers: { 'x-remote-user': 'jane' },
      },
    );
    socket.once('message', (data: Buffer) => {
      resolve(data.toString());
      socket.close();
    });
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    return promise;
  };

  it('is carried for the front proxy, and for nobody else', async () => {
    expect(await open('front-proxy-client')).toBe('login: ');
    expect(await open('admin')).toBe('401');
    expect(await open('')).toBe('401');
  });
});

describe('a response that is made while it is sent', () => {
  const streaming = (data: Readable): Promise<Listener> =>
    listenWith({ handle: async () => downloadResponse(data, { filename: 'a "b".txt' }) });

  it('arrives whole', async () => {
    const at = await streaming(Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(1 << 16, 'a'))));
    try {
      const { status, body } = await send('/x', { headers: JANE, at });
      expect({ status, length: (body as string).length }).toEqual({ status: 200, length: 1 << 22 });
    } finally {
      await at.close();
    }
  });

  it('is broken off where it cannot be completed', async () => {
    const at = await streaming(
      Readable.from(
        (async function* () {
          yield Buffer.from('begun');
          throw new Error('the disk is gone');
        })(),
      ),
    );
    try {
      await expect(send('/x', { headers: JANE, at })).rejects.toThrow();
    } finally {
      await at.close();
    }
  });
});

it('ends with a connection that is only being opened', async () => {
  const at = await listenWith();
  const socket = connect(at.port, '127.0.0.1');
  await once(socket, 'connect');
  // A request on another connection: by then the first is accepted as well.
  await send('/healthz', { at });
  await at.close();
  await once(socket, 'close');
  expect(socket.destroyed).toBe(true);
});
