import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@vireo/api';
import { type ApiCall, type CredentialSource, type Credentials, staticCredentials, type WatchEvent } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { carryWatches } from './watches.ts';

const PATH = '/api/v1/pods?watch=1';
const event = (name: string): WatchEvent =>
  ({ type: 'ADDED', object: { metadata: { name } } }) as unknown as WatchEvent;

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** Opens watches of a cluster that answers so, and gives what the page is told until the socket or a watch ends. */
async function told(
  watch: (call: ApiCall) => Promise<AsyncIterable<WatchEvent>>,
  messages: readonly unknown[],
  credentials?: CredentialSource,
): Promise<unknown[]> {
  server.once('connection', (socket) => carryWatches(socket, { watch }, credentials));
  const page = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(page, 'open');
  const heard: unknown[] = [];
  const ended = Promise.withResolvers<void>();
  page.on('message', (data) => {
    const message = JSON.parse(String(data)) as { end?: unknown };
    heard.push(message);
    if (message.end) ended.resolve();
  });
  page.on('close', () => ended.resolve());
  for (const message of messages) page.send(typeof message === 'string' ? message : JSON.stringify(message));
  await ended.promise;
  page.terminate();
  return heard;
}

async function* events(...names: string[]): AsyncGenerator<WatchEvent> {
  for (const name of names) yield event(name);
}

it('a watch is told to be open once the cluster has accepted it, then its events, then its end', async () => {
  expect(await told(async () => events('a', 'b'), [{ id: 7, path: PATH }])).toEqual([
    { id: 7, isOpen: true },
    { id: 7, event: event('a') },
    { id: 7, event: event('b') },
    { id: 7, end: {} },
  ]);
});

it('a watch that the cluster refuses is never open', async () => {
  const refuse = () => Promise.reject(new ApiError('Expired', 'too old', undefined, 410));
  expect(await told(refuse, [{ id: 1, path: PATH }])).toEqual([{ id: 1, end: { code: 410, message: 'too old' } }]);
});

it.each(['/metrics?watch=1', '/api/v1/pods', '/api/v1/namespaces/a/services/b/proxy/?watch=1'])(
  '%s cannot be watched',
  async (path) => {
    const heard = await told(async () => events('a'), [{ id: 1, path }]);
    expect(heard).toMatchObject([{ id: 1, end: { code: 403 } }]);
  },
);

it.each(['no JSON', '{}', '{"id":"1"}', '{"id":1,"path":2}'])('%s ends the connection', async (message) => {
  expect(await told(async () => events(), [message])).toEqual([]);
});

it('a login that has ended is renewed once, if there is another', async () => {
  const tokens = ['ended', 'fresh'];
  const credentials: CredentialSource = {
    get: async (): Promise<Credentials> => ({ token: tokens[0] ?? '' }),
    reject: () => void tokens.shift(),
  };
  const watch = async (): Promise<AsyncIterable<WatchEvent>> => {
    if (tokens[0] !== 'fresh') throw new ApiError('Unauthorized', 'Unauthorized', undefined, 401);
    return events('a');
  };
  expect(await told(watch, [{ id: 1, path: PATH }], credentials)).toMatchObject([
    { isOpen: true },
    { event: event('a') },
    { end: {} },
  ]);
  const refuse = () => Promise.reject(new ApiError('Unauthorized', 'Unauthorized', undefined, 401));
  expect(await told(refuse, [{ id: 1, path: PATH }], staticCredentials({ token: 'ended' }))).toMatchObject([
    { end: { code: 401 } },
  ]);
});
