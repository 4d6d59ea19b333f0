import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client } from './client.ts';
import { httpTransport } from './http.ts';
import { Informer } from './informer.ts';
import { eventually } from './testing/eventually.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { FakeServer } from './testing/fakeServer.ts';
import { ConfigMap, configMap } from './testing/kinds.ts';
import { memoryLog } from './testing/memoryLog.ts';
import { stallingProxy } from './testing/stallingProxy.ts';

let kubernetes: FakeKubernetes;
let server: FakeServer;
let stop: AbortController;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  kubernetes = new FakeKubernetes();
  server = await FakeServer.start(kubernetes);
  stop = new AbortController();
});
afterEach(async () => {
  vi.useRealTimers();
  stop.abort();
  for (const opened of open.splice(0)) await opened.close();
  await server.close();
});

function connect(port: number): Client {
  const client = new Client(
    httpTransport({ server: `https://127.0.0.1:${port}`, certificateAuthority: server.pki.ca }),
  );
  open.push(client);
  return client;
}

describe('over a real socket', () => {
  it('an informer survives cut connections and misses nothing', async () => {
    const maps = connect(server.port).of(ConfigMap);
    const informer = new Informer(maps, { log: memoryLog() });
    informer.start(stop.signal);
    await informer.whenSynced();
    const direct = connect(server.port).of(ConfigMap);
    for (const name of ['a', 'b', 'c']) {
      server.cut();
      await eventually(() => server.sessions.size === 0);
      await direct.create(configMap(name));
      await eventually(() => informer.get(`default/${name}`) !== undefined);
    }
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
  });

  it('a connection that silently carries nothing any more is given up after an unanswered ping', async () => {
    const proxy = await stallingProxy(server.port);
    open.push(proxy);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const maps = connect(proxy.port).of(ConfigMap);
    const events = await maps.watch({ namespace: 'default' });
    const next = events[Symbol.asyncIterator]().next();
    vi.advanceTimersByTime(15_000);
    await maps.create(configMap('a'));
    expect((await next).value).toMatchObject({ type: 'ADDED' });

    proxy.stall();
    const afterStall = events[Symbol.asyncIterator]().next();
    vi.advanceTimersByTime(30_000);
    await expect(afterStall).rejects.toThrow('the server does not respond to pings');
    expect((await maps.get('a', { namespace: 'default' })).metadata.name).toBe('a');
  });
});
