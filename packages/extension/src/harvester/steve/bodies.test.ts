import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ConfigMap } from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmsOf } from '../../testing/harvester.ts';
import { type Installation, install } from '../../testing/installation.ts';

/* What is sent to objects, as any HTTP client sends it: formats, sizes, versions, and what DELETE and HEAD answer. */

const MAPS = '/v1/harvester/configmaps';
const WEB = '/v1/harvester/kubevirt.io.virtualmachines/default/web';
const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const at = { namespace: 'default' };

let installation: Installation;
beforeAll(async () => {
  installation = await install();
  await vmsOf(installation).createVm('web');
});
afterAll(() => installation?.close());

interface Sent {
  readonly type?: string;
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

/** With the certificate of the administrator. */
async function send(method: string, path: string, { type = JSON_TYPE, body }: Sent = {}) {
  const { home, server } = installation.server;
  const read = (name: string): Buffer => readFileSync(join(home, 'pki', name));
  const credentials = { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
  const bytes = typeof body === 'object' ? JSON.stringify(body) : body;
  const headers = bytes === undefined ? {} : { 'content-type': type };
  const sent = request({ host: '127.0.0.1', port: server.port, method, path, headers, ...credentials });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown; length: number }>();
  sent.once('error', reject);
  sent.once('response', async (response) => {
    const received = await text(response);
    const isJson = response.headers['content-type']?.includes('json') && received !== '';
    const status = response.statusCode ?? 0;
    resolve({ status, body: isJson ? JSON.parse(received) : received, length: received.length });
  });
  sent.end(bytes);
  return promise;
}

const map = (name: string, more: object = {}) => ({ metadata: { name, ...at }, ...more });
const maps = () => installation.server.client.of(ConfigMap);
const errorOf = (status: number, code: string, message: RegExp) => ({
  status,
  body: { type: 'error', links: {}, status, code, message: expect.stringMatching(message) },
});

describe('an object that is sent', () => {
  it.each([
    ['as JSON', 'j', JSON_TYPE, JSON.stringify(map('j'))],
    ['as JSON of no declared kind', 't', 'text/plain', JSON.stringify(map('t'))],
    ['as YAML', 'y', 'application/yaml', 'metadata:\n  name: y\n  namespace: default\n'],
  ])('%s is taken', async (_, name, type, body) => {
    expect(await send('POST', MAPS, { type, body })).toMatchObject({ status: 201, body: { id: `default/${name}` } });
  });

  it.each([
    ['application/x-www-form-urlencoded', 'name=f'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nf\r\n--b--\r\n'],
  ])('as %s is refused, and told what is taken', async (type, body) => {
    const refusal = errorOf(415, 'UnsupportedMediaType', /application\/json, application\/yaml/);
    expect(await send('POST', MAPS, { type, body })).toMatchObject(refusal);
    expect(await send('PUT', `${MAPS}/default/x`, { type, body })).toMatchObject(refusal);
  });

  it('is at most 2 MiB', async () => {
    const empty = JSON.stringify(map('large', { data: { text: '' } })).length;
    const ofSize = (bytes: number) => map('large', { data: { text: 'x'.repeat(bytes - empty) } });
    const limit = 2 * 1024 * 1024;
    const refusal = errorOf(413, 'RequestEntityTooLarge', /limit is 2097152/);
    expect(await send('POST', MAPS, { body: ofSize(limit + 1) })).toMatchObject(refusal);
    expect(await send('PATCH', WEB, { body: ofSize(limit + 1) })).toMatchObject(refusal);
    // ConfigMaps have a limit of their own, in another answer.
    expect((await send('POST', MAPS, { body: ofSize(limit) })).status).not.toBe(413);
  });
});

describe('PUT', () => {
  it('with the version that is there is taken, and once only', async () => {
    const { metadata } = await maps().create(map('renewed'));
    const body = { ...map('renewed', { data: { k: '1' } }), metadata };
    const path = `${MAPS}/default/renewed`;
    expect(await send('PUT', path, { body })).toMatchObject({ status: 200, body: { data: { k: '1' } } });
    expect(await send('PUT', path, { body })).toMatchObject(errorOf(409, 'Conflict', /has been modified/));
  });
});

describe('DELETE', () => {
  it('of what a finalizer holds answers with the object, and without one with nothing', async () => {
    await maps().create({ metadata: { name: 'held', ...at, finalizers: ['example.org/hold'] } });
    const path = `${MAPS}/default/held`;
    expect(await send('DELETE', path)).toMatchObject({
      status: 200,
      body: {
        id: 'default/held',
        metadata: { deletionTimestamp: expect.any(String), state: { name: 'removing', transitioning: true } },
      },
    });
    await maps().patch('held', { metadata: { finalizers: null } }, { ...at, type: 'merge' });
    expect((await send('GET', path)).status).toBe(404);
    await maps().create(map('free'));
    expect(await send('DELETE', `${MAPS}/default/free`)).toMatchObject({ status: 204, body: '' });
  });
});

describe('PATCH', () => {
  it.each([
    ['strategic', JSON_TYPE, ['example.org/a', 'example.org/b']],
    ['strategic, where that is said,', STRATEGIC, ['example.org/a', 'example.org/b']],
    ['a merge patch, where that is said,', MERGE, ['example.org/b']],
  ])('of a kind of Kubernetes is %s', async (_, type, finalizers) => {
    await maps().create({ metadata: { name: 'listed', ...at, finalizers: ['example.org/a'] } });
    const path = `${MAPS}/default/listed`;
    const answer = await send('PATCH', path, { type, body: { metadata: { finalizers: ['example.org/b'] } } });
    await maps().patch('listed', { metadata: { finalizers: null } }, { ...at, type: 'merge' });
    await maps().delete('listed', at);
    const shown = (answer.body as { metadata: { finalizers: string[] } }).metadata.finalizers;
    expect(shown.toSorted()).toEqual(finalizers);
  });

  it.each([
    ['a merge patch', JSON_TYPE, { metadata: { labels: { a: 'json' } } }, 'json'],
    ['a merge patch that says so', MERGE, { metadata: { labels: { a: 'merge' } } }, 'merge'],
    [
      'a JSON patch',
      'application/json-patch+json; charset=utf-8',
      [{ op: 'replace', path: '/metadata/labels/a', value: 'patch' }],
      'patch',
    ],
    ['YAML', 'application/yaml', 'metadata: {labels: {a: yaml}}', 'yaml'],
  ])('of a VM is taken as %s', async (_, type, body, expected) => {
    expect(await send('PATCH', WEB, { type, body })).toMatchObject({
      status: 200,
      body: { metadata: { labels: { a: expected } } },
    });
  });

  it.each([
    ['a strategic patch of a VM', WEB, STRATEGIC],
    ['server-side apply', `${MAPS}/default/renewed`, 'application/apply-patch+yaml'],
    ['text', `${MAPS}/default/renewed`, 'text/plain'],
    ['a form', `${MAPS}/default/renewed`, 'application/x-www-form-urlencoded'],
  ])('as %s is refused', async (_, path, type) => {
    expect(await send('PATCH', path, { type, body: { metadata: { labels: { a: 'b' } } } })).toMatchObject(
      errorOf(415, 'UnsupportedMediaType', /accepted media types include: /),
    );
  });
});

it('HEAD is refused, as in Rancher', async () => {
  expect(await send('HEAD', WEB)).toMatchObject({ status: 405, length: 0 });
});
