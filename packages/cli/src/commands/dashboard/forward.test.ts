import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createForwarder } from './forward.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A cluster that closes each connection when a second request comes over it. */
async function forgetfulCluster(): Promise<string> {
  const used = new WeakSet<Socket>();
  return listen(
    createServer((request, response) => {
      if (used.has(request.socket)) return request.socket.destroy();
      used.add(request.socket);
      response.end('ok');
    }),
  );
}

it('asks again what was asked over a connection that the cluster had closed, and repeats no write', async () => {
  const forwarder = createForwarder({ server: await forgetfulCluster() });
  const page = await listen(createServer((request, response) => void forwarder.forward('/api', request, response)));
  const ask = async (method: string): Promise<number> => {
    const response = await fetch(page, { method });
    await response.text();
    return response.status;
  };
  expect([await ask('GET'), await ask('GET'), await ask('GET')]).toEqual([200, 200, 200]);
  expect(await ask('POST')).toBe(502);
  forwarder.close();
});
