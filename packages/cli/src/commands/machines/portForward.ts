import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createWebSocketStream } from 'ws';
import { Failure } from '../../failure.ts';
import { actionPath, type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import type { ForwardedPort, ForwardTarget } from './forwardArguments.ts';
import { openStream } from './http1.ts';
import { orFail, reasonOf } from './refusal.ts';

interface ForwardOptions extends ConnectionOptions {
  readonly address: string;
  readonly stdio?: boolean;
}

/** Forwards ports of this host to ports of a guest until it is interrupted, or standard input and output to one. */
export function portForward(target: ForwardTarget, ports: ForwardedPort[], options: ForwardOptions): Promise<void> {
  const namespace = target.namespace ?? options.namespace;
  return connected({ ...options, ...(namespace && { namespace }) }, async (connection) => {
    const open = (remote: number) => openTunnel(connection, target, remote);
    if (options.stdio) return forwardStdio(ports, open);
    await Promise.all(ports.map((port) => listen(port, options.address, open)));
  });
}

type OpenTunnel = (remote: number) => Promise<Duplex>;

function openTunnel(connection: Connection, { resource, name }: ForwardTarget, remote: number): Promise<Duplex> {
  const path = actionPath(connection, resource, name, `portforward/${remote}/tcp`);
  return orFail(
    connection,
    (why) => `can't access ${name}: ${why}`,
    async () => createWebSocketStream(await openStream(connection.target, path)),
  );
}

async function forwardStdio(ports: ForwardedPort[], open: OpenTunnel): Promise<void> {
  const [port, ...more] = ports;
  if (!port || more.length > 0) throw new Failure('only one port supported when forwarding to stdout');
  const tunnel = await open(port.remote);
  await Promise.race([pipeline(process.stdin, tunnel), pipeline(tunnel, process.stdout)]);
  process.stdin.destroy();
}

async function listen({ local, remote }: ForwardedPort, address: string, open: OpenTunnel): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => carry(socket, open(remote)));
  server.listen(local, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Failure(`cannot listen on ${address}:${local}: ${reasonOf(error)}`, 'Choose another port: LOCAL:REMOTE');
  }
  console.log(`forwarding tcp ${address}:${(server.address() as AddressInfo).port} to ${remote}`);
  await once(server, 'close');
}

/** One connection that fails is told and closed; the others go on. */
async function carry(socket: Socket, opening: Promise<Duplex>): Promise<void> {
  try {
    const tunnel = await opening;
    await pipeline(socket, tunnel, socket);
  } catch (error) {
    console.error(`connection from ${socket.remoteAddress}:${socket.remotePort} ended: ${reasonOf(error)}`);
    socket.destroy();
  }
}
