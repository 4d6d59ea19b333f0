import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inProcessNode } from '../streams/nodeConnections.ts';
import { type Installation, install } from '../testing/installation.ts';

const NODE = 'n1';
let installed: Installation;
let ca: string;
/** What reached the node. */
const received: { path: string; bytes: Buffer }[] = [];

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = request.url ?? '';
  if (path.includes('/refusing/')) {
    request.resume();
    response.writeHead(400).end('the image does not fit');
    return;
  }
  received.push({ path, bytes: await buffer(request) });
  response.end();
};

beforeAll(async () => {
  const node = inProcessNode({ handle: (request, response) => void handle(request, response), upgrade: () => {} });
  installed = await install({ nodes: (name) => (name === NODE ? node : undefined) });
  ca = await readFile(join(installed.server.home, 'pki/ca.crt'), 'utf8');
  for (const name of ['disk', 'refusing']) {
    await installed.server.client.of(PersistentVolume).create({
      metadata: { name: `volume-${name}` },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        local: { path: '/x' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE] }] },
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
});
afterAll(() => installed?.close());

const tokenFor = async (pvcName: string): Promise<string> => {
  const answer = (await installed.server.client.call({
    method: 'POST',
    path: '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests',
    body: { metadata: { generateName: 'token-for-virtctl-' }, spec: { pvcName } },
  })) as { metadata: { name: string }; status: { token: string } };
  expect(answer.metadata.name).toMatch(/^token-for-virtctl-\w{5}$/);
  return answer.status.token;
};

const send = async (
  method: string,
  path: string,
  body: Buffer | string = '',
  headers: Record<string, string> = {},
): Promise<{ status: number; said: string }> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = https.request({ host: '127.0.0.1', port: installed.server.server.port, path, method, ca, headers });
  request.once('response', resolve).once('error', reject).end(body);
  const response = await promise;
  return { status: response.statusCode ?? 0, said: await text(response) };
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('an upload', () => {
  it('goes to the node that has the volume, as it comes', async () => {
    const token = await tokenFor('disk');
    const data = Buffer.alloc(5_000_000, 'data');
    expect((await send('HEAD', '/v1beta1/upload-async', '', bearer(token))).status).toBe(200);
    expect(await send('POST', '/v1beta1/upload-async', data, bearer(token))).toEqual({ status: 200, said: '' });
    const [upload] = received.splice(0);
    expect(upload?.path).toBe('/v1/namespaces/default/persistentvolumeclaims/disk/upload?async=true');
    expect(upload?.bytes.equals(data)).toBe(true);
  });

  it('may be a form', async () => {
    const form = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nthe disk\r\n--b--\r\n';
    const headers = { ...bearer(await tokenFor('disk')), 'content-type': 'multipart/form-data; boundary=b' };
    expect((await send('POST', '/v1beta1/upload-form', form, headers)).status).toBe(200);
    const [upload] = received.splice(0);
    expect(upload?.path).toContain('async=false');
    expect(upload?.bytes.toString()).toBe('the disk');
  });

  it('that the node refuses is refused in its words', async () => {
    const token = await tokenFor('refusing');
    expect(await send('POST', '/v1beta1/upload', 'x', bearer(token))).toEqual({
      status: 400,
      said: 'the image does not fit',
    });
  });

  it.each([
    [400, 'no token', {}],
    [400, 'no token', { authorization: 'Basic abc' }],
    [401, 'invalid or has expired', bearer('a.b.c')],
  ])('is answered %i: %s', async (status, words, headers) => {
    const answer = await send('POST', '/v1beta1/upload', 'x', headers as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(answer.said).toContain(words);
    expect(received).toEqual([]);
  });

  it('to a claim that is not there, or has no volume, is put off', async () => {
    const answer = await send('POST', '/v1beta1/upload', 'x', bearer(await tokenFor('missing')));
    expect(answer).toEqual({ status: 503, said: 'claim default/missing does not exist' });
    expect((await send('GET', '/v1beta1/upload')).status).toBe(404);
  });

  it('needs the name of a claim for its token', async () => {
    const path = '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests';
    const asked = installed.server.client.call({ method: 'POST', path, body: { spec: {} } });
    await expect(asked).rejects.toThrow(/spec.pvcName is required/);
  });
});
