import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ConfigMap } from '@vireo/api';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Installation, install } from '../../testing/installation.ts';
import { allow } from '../../testing/roles.ts';

let installation: Installation;
const sockets: WebSocket[] = [];
beforeAll(async () => {
  installation = await install();
  await allow(installation.server.client, 'reader', [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
  ]);
});
afterAll(async () => {
  for (const socket of sockets) socket.terminate();
  await installation?.close();
});

interface Message {
  readonly name: string;
  readonly revision?: string;
  readonly data?: { readonly id?: string; readonly error?: string; readonly links?: object };
}

/** A connection of a user, and what came by it; or the code of the refusal. */
async function connect(as?: string, headers: Record<string, string> = {}) {
  const { server } = installation;
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  const socket = new WebSocket(`wss://127.0.0.1:${server.server.port}/v1/harvester/subscribe`, {
    ca: read('ca.crt'),
    cert: read('admin.crt'),
    key: read('admin.key'),
    headers: { ...headers, ...(as && { 'impersonate-user': as }) },
  });
  sockets.push(socket);
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as Message));
  socket.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.once('open', () => resolve(101));
  socket.once('unexpected-response', (_, response: IncomingMessage) => resolve(response.statusCode ?? 0));
  const code = await promise;
  return {
    code,
    messages,
    ask: (message: object) => socket.send(JSON.stringify(message)),
    heard: (name: string, id?: string) =>
      eventually(() => messages.some((each) => each.name === name && (id === undefined || each.data?.id === id))),
  };
}

const maps = () => installation.server.client.of(ConfigMap);
const at = { namespace: 'default' };

describe('a subscription', () => {
  it('tells of what is made, changed and removed, as the Steve API shows it', async () => {
    const { ask, heard, messages } = await connect();
    ask({ resourceType: 'configmap', namespace: 'default' });
    await heard('resource.start');
    await maps().create({ metadata: { name: 'one', ...at } });
    await heard('resource.create', 'default/one');
    await maps().patch('one', { data: { a: 'b' } }, { ...at, type: 'merge' });
    await heard('resource.change', 'default/one');
    await maps().delete('one', at);
    await heard('resource.remove', 'default/one');
    const created = messages.find(({ name }) => name === 'resource.create');
    expect(created).toMatchObject({
      resourceType: 'configmap',
      revision: expect.stringMatching(/^\d+$/),
      data: { type: 'configmap', links: { self: expect.stringContaining('/v1/harvester/configmaps/default/one') } },
    });
  });

  it('is of one object, or of those with a label', async () => {
    const { ask, heard, messages } = await connect();
    ask({ resourceType: 'configmaps', id: 'default/mine' });
    ask({ resourceType: 'configmap', namespace: 'default', selector: 'tier=front' });
    await eventually(() => messages.filter(({ name }) => name === 'resource.start').length === 2);
    await maps().create({ metadata: { name: 'other', ...at } });
    await maps().create({ metadata: { name: 'labelled', ...at, labels: { tier: 'front' } } });
    await maps().create({ metadata: { name: 'mine', ...at } });
    await heard('resource.create', 'default/labelled');
    await heard('resource.create', 'default/mine');
    expect(messages.filter(({ data }) => data?.id === 'default/other')).toEqual([]);
  });

  it('can be only that something has changed', async () => {
    const { ask, heard, messages } = await connect();
    ask({ resourceType: 'configmap', namespace: 'default', mode: 'resource.changes', debounceMs: 10 });
    await heard('resource.start');
    await maps().create({ metadata: { name: 'noticed', ...at } });
    const { resourceVersion } = (await maps().get('noticed', at)).metadata;
    await eventually(() =>
      messages.some(({ name, revision }) => name === 'resource.changes' && revision === resourceVersion),
    );
    expect(messages.every(({ data }) => data === undefined)).toBe(true);
  });

  it('ends when that is asked for', async () => {
    const { ask, heard, messages } = await connect();
    ask({ resourceType: 'configmap', namespace: 'default' });
    await heard('resource.start');
    ask({ resourceType: 'configmap', namespace: 'default', stop: true });
    await heard('resource.stop');
    await maps().create({ metadata: { name: 'unheard', ...at } });
    // What comes after it by another subscription comes after it would have.
    ask({ resourceType: 'namespace' });
    await eventually(() => messages.filter(({ name }) => name === 'resource.start').length === 2);
    expect(messages.some(({ data }) => data?.id === 'default/unheard')).toBe(false);
  });

  it.each([
    ['of no such type', undefined, { resourceType: 'flea' }, 'failed to find schema flea'],
    [
      'of what one may not list',
      'reader',
      { resourceType: 'secret', namespace: 'default' },
      'cannot list resource "secrets"',
    ],
    [
      'of what one may see elsewhere only',
      'reader',
      { resourceType: 'configmap' },
      'cannot list resource "configmaps"',
    ],
    ['that is none', undefined, { what: 1 }, 'expected {"resourceType": …}'],
  ])('%s is refused', async (_, as, asked, error) => {
    const { ask, heard, messages } = await connect(as);
    ask(asked);
    await heard('resource.error');
    expect(messages[0]?.data?.error).toContain(error);
  });

  it('shows a user what he may do', async () => {
    const { ask, heard, messages } = await connect('reader');
    ask({ resourceType: 'configmap', namespace: 'default' });
    await heard('resource.start');
    await maps().create({ metadata: { name: 'seen', ...at } });
    await heard('resource.create', 'default/seen');
    const { data } = messages.find((each) => each.data?.id === 'default/seen') ?? {};
    expect(Object.keys(data?.links ?? {}).sort()).toEqual(['self', 'view']);
  });
});

describe('a connection', () => {
  it('of a page of another server is refused', async () => {
    expect((await connect(undefined, { origin: 'https://evil.example' })).code).toBe(403);
    const own = `https://127.0.0.1:${installation.server.server.port}`;
    expect((await connect(undefined, { origin: own })).code).toBe(101);
  });
});
