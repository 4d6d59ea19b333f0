import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ApiError, badRequest, internalError, pathNotFound } from '@vireo/api/errors.ts';
import { NODE_GROUP, nodeOfUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { pause } from '@vireo/kube/clock.ts';
import { readBody } from '@vireo/kube/serving/readBody.ts';
import { refuseUpgrade } from '@vireo/kube/serving/refuseUpgrade.ts';
import { ACKNOWLEDGE_HEADER, joinTelling } from './acknowledged.ts';
import { joinStreams } from './joinStreams.ts';
import type { PeerCredentials } from './peerCertificates.ts';
import { CHANNEL_PROTOCOL, type Channel, isChannel, PROBE_MS, parseMigrationPath } from './peerProtocol.ts';

/** What other nodes may ask of this one. `caller` is the name of the node that asks. */
export interface PeerHandler {
  call(caller: string, migrationUid: string, word: string, body: unknown): Promise<object>;
  open(caller: string, migrationUid: string, channel: Channel): Promise<Duplex>;
}

export interface PeerServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The ports that are tried in turn: libvirt's for migrations. */
export const FIRST_PORT = 49_152;
export const PORT_COUNT = 64;

/** How long an answer may take that is under way when nothing is expected any more. */
const LAST_ANSWER_MS = 1_000;

/** Listens for other nodes while guests come. Nobody gets through TLS whom the cluster's authority has not signed. */
export async function listenForPeers(
  address: string,
  { cert, key, ca }: PeerCredentials,
  handler: PeerHandler,
  onError: (path: string, error: unknown) => void,
): Promise<PeerServer> {
  const server = createServer({
    cert,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    requestTimeout: 0,
    // A connection on which a migration was begun is kept for its end, however long that takes.
    keepAliveTimeout: 0,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
    noDelay: true,
  });
  /** Those that wait for an answer. */
  const asking = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const report = (error: unknown, { url = '' }: IncomingMessage): ApiError => {
    if (error instanceof ApiError) return error;
    onError(url, error);
    return internalError(error instanceof Error ? error.message : String(error));
  };
  server.on('request', (request, response) => {
    asking.add(response);
    response.once('close', () => asking.delete(response));
    answer(request, response, handler).catch((error: unknown) => {
      const { status } = report(error, request);
      if (response.headersSent) response.destroy();
      else response.writeHead(status.code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    carry(request, socket, head, handler).catch((error: unknown) => refuseUpgrade(socket, report(error, request)));
  });
  for (let port = FIRST_PORT; ; port += 1) {
    try {
      server.listen(port, address);
      await once(server, 'listening');
      break;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || port >= FIRST_PORT + PORT_COUNT - 1) throw error;
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // Who has brought a guest is to learn that it has come.
      const answered = Promise.all([...asking].map((response) => once(response, 'close')));
      const waiting = new AbortController();
      await Promise.race([answered, pause(LAST_ANSWER_MS, waiting.signal)]);
      waiting.abort();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, handler: PeerHandler): Promise<void> {
  const caller = callerOf(request);
  const path = parseMigrationPath(request.url);
  if (!path || request.method !== 'POST' || isChannel(path.word)) throw pathNotFound();
  const text = (await readBody(request, request.headers['content-length'])).toString();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${(error as Error).message}`);
  }
  const result = await handler.call(caller, path.migrationUid, path.word, body);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

async function carry(request: IncomingMessage, socket: Duplex, head: Buffer, handler: PeerHandler): Promise<void> {
  const caller = callerOf(request);
  const path = parseMigrationPath(request.url);
  if (!path || !isChannel(path.word) || request.headers.upgrade !== CHANNEL_PROTOCOL) throw pathNotFound();
  const guest = await handler.open(caller, path.migrationUid, path.word);
  const isToTell = request.headers[ACKNOWLEDGE_HEADER] !== undefined;
  const headers = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    `Upgrade: ${CHANNEL_PROTOCOL}`,
    ...(isToTell ? [`${ACKNOWLEDGE_HEADER}: yes`] : []),
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  if (isToTell) joinTelling(socket, guest);
  else joinStreams(socket, guest);
}

/** The node whose certificate a connection has shown. */
function callerOf(request: IncomingMessage): string {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  const { CN: names = [], O: groups = [] } = (subject ?? {}) as unknown as Record<
    string,
    string | string[] | undefined
  >;
  const [name = '', ...others] = [names].flat();
  const node = nodeOfUser(name);
  if (node === undefined || others.length > 0 || ![groups].flat().includes(NODE_GROUP))
    throw new ApiError('Forbidden', `${JSON.stringify(name)} is not a node of this cluster`);
  return node;
}
