import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isReason } from '@vireo/api';
import { createWebSocketStream, type WebSocket } from 'ws';
import { Failure } from '../../failure.ts';
import { actionPath, type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { type ForwardedPort, meanings, type VmTarget } from './forwardArguments.ts';
import { forwardDatagrams } from './forwardDatagrams.ts';
import { openStream } from './http1.ts';
import { cannotListen, orFail, reasonOf } from './refusal.ts';

interface ForwardOptions extends ConnectionOptions {
  readonly address: string;
  readonly stdio?: boolean;
}

/** Forwards ports of this host to ports of a guest until it is interrupted, or standard input and output to one. */
export function portForward(target: VmTarget, ports: ForwardedPort[], options: ForwardOptions): Promise<void> {
  return connected(options, async (connection) => {
    const open: OpenTunnel = (port) => openTunnel(connection, target, port);
    if (options.stdio) return forwardStdio(ports, open);
    await Promise.all(
      ports.map((port) =>
        port.protocol === 'udp'
          ? forwardDatagrams(port, options.address, () => open(port))
          : listen(port, options.address, open),
      ),
    );
  });
}

type OpenTunnel = (port: ForwardedPort) => Promise<WebSocket>;

function openTunnel(connection: Connection, target: VmTarget, port: ForwardedPort): Promise<WebSocket> {
  return orFail(
    connection,
    (why) => `can't access ${target.name}: ${why}`,
    async () => {
      const [first, second] = meanings(target);
      try {
        return await openPort(connection, first ?? target, port);
      } catch (error) {
        if (!second || !isReason(error, 'NotFound')) throw error;
        return await openPort(connection, second, port);
      }
    },
  );
}

function openPort(connection: Connection, target: VmTarget, { remote, protocol }: ForwardedPort): Promise<WebSocket> {
  const { namespace = connection.namespace, resource, name } = target;
  const path = actionPath({ namespace }, resource, name, `portforward/${remote}/${protocol}`);
  return openStream(connection.target, path);
}

async function forwardStdio(ports: ForwardedPort[], open: OpenTunnel): Promise<void> {
  const [port, ...more] = ports;
  if (!port || more.length > 0) throw new Failure('only one port supported when forwarding to stdout');
  const tunnel = createWebSocketStream(await open(port));
  await Promise.race([pipeline(process.stdin, tunnel), pipeline(tunnel, process.stdout)]);
  process.stdin.destroy();
}

async function listen(port: ForwardedPort, address: string, open: OpenTunnel): Promise<void> {
  const { local, remote } = port;
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    carry(
      socket,
      open(port).then((tunnel) => createWebSocketStream(tunnel)),
    ),
  );
  server.listen(local, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(address, local, error);
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
