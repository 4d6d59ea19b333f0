import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const WATCH = { method: 'GET', path: '/api/v1/namespaces' } as const;

describe('watches in process leave nothing at a signal that outlives them', () => {
  const outliving = new AbortController();
  const { signal } = outliving;
  const listeners = (): number => getEventListeners(signal, 'abort').length;

  it('when the reader stops', async () => {
    for await (const event of await server.inProcess().watch({ ...WATCH, signal })) {
      expect(event.type).toBe('ADDED');
      expect(listeners()).toBe(1);
      break;
    }
    expect(listeners()).toBe(0);
  });

  it('when the server ends them', async () => {
    const events = await server.inProcess().watch({ ...WATCH, signal, query: { timeoutSeconds: 1 } });
    for await (const event of events) expect(event.type).toBe('ADDED');
    expect(listeners()).toBe(0);
  });

  it('when they are refused', async () => {
    const refused = server.inProcess().watch({ ...WATCH, signal, query: { resourceVersion: 'x' } });
    await expect(refused).rejects.toMatchObject({ code: 400 });
    expect(listeners()).toBe(0);
  });

  it('when the client closes', async () => {
    const transport = server.inProcess();
    const events = await transport.watch({ ...WATCH, signal });
    await transport.close();
    for await (const _ of events) expect.unreachable('a closed watch shows nothing');
    expect(listeners()).toBe(0);
  });
});
