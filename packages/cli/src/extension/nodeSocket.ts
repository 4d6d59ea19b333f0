import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import type { NodeConnections } from '@vireo/extension';
import type { NodeApi } from '@vireo/kube';

const MAX_NAME_BYTES = 512;

/** The nodes of this process on a unix socket: a client names one in its first line, and then speaks HTTP to it. */
export async function listenForNodes(
  path: string,
  nodes: (name: string) => NodeApi | undefined,
  signal: AbortSignal,
): Promise<void> {
  // What an earlier process left there would be in the way.
  await rm(path, { force: true });
  const served = new WeakMap<NodeApi, HttpServer>();
  const open = new Set<Socket>();
  const serverOf = (api: NodeApi): HttpServer => {
    const known = served.get(api);
    if (known) return known;
    const server = createHttpServer((request, response) => api.handle(request, response));
    server.on('upgrade', (request, socket, head) => api.upgrade(request, socket, head));
    // An upload takes as long as it takes.
    server.requestTimeout = 0;
    served.set(api, server);
    return server;
  };
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    firstLine(socket, (name) => {
      const api = nodes(name);
      if (api) serverOf(api).emit('connection', socket);
      else socket.destroy();
    });
  });
  server.listen(path);
  await once(server, 'listening');
  // Whoever can connect can act on every VM.
  await chmod(path, 0o600);
  signal.addEventListener('abort', () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
}

/** What follows the line stays in the socket. */
function firstLine(socket: Socket, use: (line: string) => void): void {
  let read = Buffer.alloc(0);
  const onReadable = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null) {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf('\n');
      if (end < 0 && read.length <= MAX_NAME_BYTES) continue;
      socket.off('readable', onReadable);
      if (end < 0) {
        socket.destroy();
        return;
      }
      if (read.length > end + 1) socket.unshift(read.subarray(end + 1));
      use(read.subarray(0, end).toString());
      return;
    }
  };
  socket.on('readable', onReadable);
}

/** A line break would end the name, and what follows would be taken for a request. */
const NODE_NAME = /^[\w.-]+$/;

/** The way to nodes behind such a socket. */
export const nodesBehind =
  (path: string): NodeConnections =>
  (name) =>
    NODE_NAME.test(name)
      ? () => {
          const socket = connect(path);
          socket.write(`${name}\n`);
          return socket;
        }
      : undefined;
