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

/** A cluster that closes each connection when a second request comes over it, and what it has answered. */
async function forgetfulCluster(): Promise<{ server: string; answered: string[] }> {
  const used = new WeakSet<Socket>();
  const answered: string[] = [];
  const server = await listen(
    createServer((request, response) => {
      if (used.has(request.socket)) return request.socket.destroy();
      used.add(request.socket);
      answered.push(`${request.method} ${request.url}`);
      response.end('ok');
    }),
  );
  return { server, answered };
}

it('asks again what was asked over a connection that the cluster had closed, and sends no write over such a one', async () => {
  const { server, answered } = await forgetfulCluster();
  const forwarder = createForwarder({ server });
  const page = await listen(
    createServer((request, response) => void forwarder.forward(request.url ?? '', request, response)),
  );
  const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const asked = ['GET /api', 'GET /api', `POST ${reviews}`, 'POST /api', 'GET /api', 'DELETE /api', `POST ${reviews}`];
  for (const each of asked) {
    const [method, path] = each.split(' ');
    const response = await fetch(`${page}${path}`, { method });
    expect([each, response.status, await response.text()]).toEqual([each, 200, 'ok']);
  }
  expect(answered).toEqual(asked);
  forwarder.close();
});
