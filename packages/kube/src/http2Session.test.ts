import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { keepAlive, openSession } from './http2Session.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('a session that was destroyed is not pinged before it has closed', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = await openSession(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const ping = vi.spyOn(session, 'ping');
  keepAlive(session);
  vi.advanceTimersToNextTimer();
  expect(ping).toHaveBeenCalledTimes(1);
  // The answer to a later ping comes later.
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  ping.mockClear();
  const closed = once(session, 'close');
  session.destroy();
  expect(() => vi.advanceTimersToNextTimer()).not.toThrow();
  expect(ping).not.toHaveBeenCalled();
  await closed;
  server.close();
});
