import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { PersistentVolume, PersistentVolumeClaim, Secret } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { Client, type NodeUpload } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USER } from '../identity.ts';
import { type Dial, inProcessNode } from '../streams/nodeConnections.ts';
import { type Installation, install } from '../testing/installation.ts';
import { SIGNING_KEY, signingKey } from './signingKey.ts';
import { UploadTokens } from './token.ts';

let installed: Installation;
let ca: string;

/** What reached a node. */
interface Received {
  readonly claim: string;
  readonly isAsync: boolean;
  readonly bytes: Buffer;
}
const received: Received[] = [];

const PATH = /^\/v1\/namespaces\/([^/]+)\/persistentvolumeclaims\/([^/]+)\/upload\?async=(true|false)$/;

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [, namespace, name = '', isAsync] = PATH.exec(request.url ?? '') ?? [];
  if (name.startsWith('refusing')) {
    request.resume();
    response.writeHead(400).end('the image does not fit');
    return;
  }
  received.push({ claim: `${namespace}/${name}`, isAsync: isAsync === 'true', bytes: await buffer(request) });
  response.end();
};

const upload = async ({ claim, isAsync, data }: NodeUpload): Promise<void> => {
  if (claim.includes('refusing')) throw Object.assign(new Error('the image does not fit'), { status: 400 });
  received.push({ claim, isAsync, bytes: await buffer(data) });
};

/** The same node, reached in both ways. */
const NODES: Readonly<Record<string, Dial>> = {
  'by-http': inProcessNode({ handle: (request, response) => void handle(request, response), upgrade: () => {} }),
  'by-call': inProcessNode({ handle: (_, response) => response.writeHead(500).end(), upgrade: () => {}, upload }),
};

beforeAll(async () => {
  installed = await install({ nodes: (name) => NODES[name] });
  ca = await readFile(join(installed.server.home, 'pki/ca.crt'), 'utf8');
  for (const node of Object.keys(NODES))
    for (const kind of ['disk', 'refusing']) await createClaim(`${kind}-${node}`, node);
});

/** A claim with a volume on a node. */
async function createClaim(name: string, node: string): Promise<void> {
  await installed.server.client.of(PersistentVolume).create({
    metadata: { name: `volume-${name}` },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      local: { path: '/x' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  });
  await installed.server.client.of(PersistentVolumeClaim).create({
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeName: `volume-${name}`,
      resources: { requests: { storage: '1Gi' } },
    },
  });
}
afterAll(() => installed?.close());

const tokenFor = async (pvcName: string): Promise<string> => {
  const response = (await installed.server.client.call({
    method: 'POST',
    path: '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests',
    body: { metadata: { generateName: 'token-for-virtctl-' }, spec: { pvcName } },
  })) as { metadata: { name: string }; status: { token: string } };
  expect(response.metadata.name).toMatch(/^token-for-virtctl-\w{5}$/);
  return response.status.token;
};

const send = async (
  method: string,
  path: string,
  body: Buffer | string = '',
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = https.request({ host: '127.0.0.1', port: installed.server.server.port, path, method, ca, headers });
  request.once('response', resolve).once('error', reject).end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, body: await text(response) };
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.each(Object.keys(NODES))('an upload %s', (node) => {
  it('goes to the node that has the volume, as it comes', async () => {
    const token = await tokenFor(`disk-${node}`);
    const data = randomBytes(5_000_000);
    expect((await send('HEAD', '/v1beta1/upload-async', '', bearer(token))).status).toBe(200);
    expect(await send('POST', '/v1beta1/upload-async', data, bearer(token))).toEqual({ status: 200, body: '' });
    const [got] = received.splice(0);
    expect(got).toMatchObject({ claim: `default/disk-${node}`, isAsync: true });
    expect(got?.bytes.equals(data)).toBe(true);
  });

  it('may be a form', async () => {
    const form = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nthe disk\r\n--b--\r\n';
    const headers = { ...bearer(await tokenFor(`disk-${node}`)), 'content-type': 'multipart/form-data; boundary=b' };
    expect((await send('POST', '/v1beta1/upload-form', form, headers)).status).toBe(200);
    expect(received.splice(0)).toEqual([
      { claim: `default/disk-${node}`, isAsync: false, bytes: Buffer.from('the disk') },
    ]);
  });

  it('that the node refuses is refused in its words, however much is sent', async () => {
    const token = await tokenFor(`refusing-${node}`);
    expect(await send('POST', '/v1beta1/upload', randomBytes(5_000_000), bearer(token))).toEqual({
      status: 400,
      body: 'the image does not fit',
    });
  });
});

describe('an upload', () => {
  it.each([
    [400, 'no token', {}],
    [400, 'no token', { authorization: 'Basic abc' }],
    [401, 'invalid or has expired', bearer('a.b.c')],
  ])('is answered %i: %s', async (status, words, headers) => {
    const response = await send('POST', '/v1beta1/upload', 'x', headers as Record<string, string>);
    expect(response.status).toBe(status);
    expect(response.body).toContain(words);
    expect(received).toEqual([]);
  });

  it('to a claim that is not there, or has no volume, is put off', async () => {
    const response = await send('POST', '/v1beta1/upload', 'x', bearer(await tokenFor('missing')));
    expect(response).toEqual({ status: 503, body: 'claim default/missing does not exist' });
    expect((await send('GET', '/v1beta1/upload')).status).toBe(404);
  });

  it('needs the name of a claim for its token', async () => {
    const path = '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests';
    const asked = installed.server.client.call({ method: 'POST', path, body: { spec: {} } });
    await expect(asked).rejects.toThrow(/spec.pvcName is required/);
  });

  it('is let in with a token of an earlier process, and not with a key of somebody else', async () => {
    const client = new Client(installed.server.inProcess(USER));
    const earlier = new UploadTokens(() => signingKey(client));
    const name = 'disk-by-call';
    const token = await earlier.issue({ namespace: 'default', name });
    expect((await send('POST', '/v1beta1/upload', 'x', bearer(token))).status).toBe(200);
    received.splice(0);
    const forged = await new UploadTokens(async () => randomBytes(32)).issue({ namespace: 'default', name });
    expect((await send('POST', '/v1beta1/upload', 'x', bearer(forged))).status).toBe(401);
    expect(received).toEqual([]);
  });

  it('has a key that both find who look for it at once', async () => {
    const client = new Client(installed.server.inProcess(USER));
    await installed.server.client.of(Secret).delete(SIGNING_KEY, { namespace: KUBEVIRT_NAMESPACE });
    const [one, other] = await Promise.all([signingKey(client), signingKey(client)]);
    expect(one.equals(other)).toBe(true);
  });
});
