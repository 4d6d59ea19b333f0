import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ApiError, conflict } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { testAuthority } from '@vireo/apiserver/testing/certificates.ts';
import { afterEach, expect, it } from 'vitest';
import type { PeerCredentials } from './peerCertificates.ts';
import { PeerSession } from './peerClient.ts';
import { CHANNEL_PROTOCOL, migrationPath } from './peerProtocol.ts';
import { listenForPeers, type PeerHandler, type PeerServer } from './peerServer.ts';

const cluster = testAuthority();
const LOCAL = '127.0.0.1';

const serving = (node: string): PeerCredentials => {
  const subjectAltNames = { dnsNames: [], ipAddresses: [LOCAL] };
  const names = { commonName: kubeletUser(node), organizations: [KUBELET_GROUP] };
  const { certPem: cert, keyPem: key } = cluster.issue({ ...names, use: 'server', subjectAltNames });
  return { cert, key, ca: cluster.caPem };
};
const client = (commonName = nodeUser('source'), organizations = [NODE_GROUP]): PeerCredentials => {
  const { certPem: cert, keyPem: key } = cluster.issue({ commonName, organizations, use: 'client' });
  return { cert, key, ca: cluster.caPem };
};

let server: PeerServer | undefined;
let wire: Wire | undefined;
afterEach(async () => {
  await server?.close();
  await wire?.close();
  [server, wire] = [undefined, undefined];
});

/** Counts the connections that pass through it, and can cut them. */
class Wire {
  count = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(to: number) {
    this.#server = createServer((socket) => {
      this.count += 1;
      const onward = connect(to, LOCAL);
      for (const each of [socket, onward]) {
        this.#sockets.add(each);
        each.on('error', () => {});
      }
      socket.pipe(onward).pipe(socket);
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, LOCAL);
    await once(this.#server, 'listening');
    return (this.#server.address() as { port: number }).port;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
  }
}

/** A session with a target that answers as the handler does. */
async function sessionWith(
  call: PeerHandler['call'],
  { credentials = client(), node = 'target' }: { credentials?: PeerCredentials; node?: string } = {},
): Promise<PeerSession> {
  const open = (): never => {
    throw new ApiError('Forbidden', 'no channels here');
  };
  server = await listenForPeers(LOCAL, serving('target'), { call, open }, () => {});
  wire = new Wire(server.port);
  const port = await wire.listen();
  return new PeerSession(() => ({ node, host: LOCAL, port }), credentials, 'abc-1');
}

it('asks every question on the connection that was opened ahead', async () => {
  using session = await sessionWith(async (caller, migrationUid, word, body) => ({ caller, migrationUid, word, body }));
  session.openAhead(1);
  expect(await session.ask('bases', {})).toEqual({ caller: 'source', migrationUid: 'abc-1', word: 'bases', body: {} });
  expect(await session.ask('finish', { cookie: 'x' })).toMatchObject({ word: 'finish', body: { cookie: 'x' } });
  expect(wire?.count).toBe(1);
});

it('asks again where the connection that was kept is gone', async () => {
  using session = await sessionWith(async () => ({ outcome: 'running' }));
  await session.ask('prepare', {});
  wire?.cut();
  expect(await session.ask('finish', {})).toEqual({ outcome: 'running' });
  expect(wire?.count).toBe(2);
});

it('passes on what the target refuses', async () => {
  using session = await sessionWith(async () => {
    throw conflict({ group: 'kubevirt.io', resource: 'virtualmachineinstances' }, 'web', 'it is on its way already');
  });
  await expect(session.ask('prepare', {})).rejects.toMatchObject({ reason: 'Conflict' });
  await expect(session.openChannel('memory')).rejects.toMatchObject({ reason: 'Forbidden' });
});

it('carries plain bytes for agents of before, which do not ask how much has arrived', async () => {
  const { promise: guest, resolve } = Promise.withResolvers<Socket>();
  const echo = createServer((socket) => void socket.pipe(socket)).listen(0, LOCAL);
  await once(echo, 'listening');
  const open = async (): Promise<Socket> => {
    const socket = connect((echo.address() as { port: number }).port, LOCAL);
    resolve(socket);
    return socket;
  };
  server = await listenForPeers(LOCAL, serving('target'), { call: async () => ({}), open }, () => {});
  const { cert, key, ca } = client();
  const socket = connectTls({ host: LOCAL, port: server.port, cert, key, ca, checkServerIdentity: () => undefined });
  const path = migrationPath('abc-1', 'memory');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: target\r\nConnection: Upgrade\r\nUpgrade: ${CHANNEL_PROTOCOL}\r\n\r\nhello`,
  );
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  await expect.poll(() => heard).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\nhello$/s);
  expect(heard.toLowerCase()).not.toContain('acknowledge');
  socket.destroy();
  (await guest).destroy();
  echo.close();
});

it('says which node does not answer', async () => {
  using session = await sessionWith(async () => ({}));
  await wire?.close();
  await expect(session.ask('prepare', {})).rejects.toThrow('node target does not answer: ');
});

it.each([
  ['of somebody who is no node', client('ada', ['system:masters'])],
  ['of a kubelet', client(kubeletUser('source'), [KUBELET_GROUP])],
])('does not answer to a certificate %s', async (_, credentials) => {
  using session = await sessionWith(async () => ({}), { credentials });
  await expect(session.ask('bases', {})).rejects.toMatchObject({ reason: 'Forbidden' });
});

it('does not speak with another node than the target', async () => {
  using session = await sessionWith(async () => ({}), { node: 'other' });
  await expect(session.ask('bases', {})).rejects.toThrow('is for "system:node:target" instead of "system:node:other"');
});

it('answers what is being asked before it closes', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<object>();
  using session = await sessionWith(() => {
    asked.resolve();
    return answer.promise;
  });
  const answered = session.ask('finish', {});
  await asked.promise;
  const closed = server?.close();
  answer.resolve({ outcome: 'running' });
  expect(await answered).toEqual({ outcome: 'running' });
  await closed;
  server = undefined;
});
