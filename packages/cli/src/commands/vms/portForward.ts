import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../failure.ts';
import { carryStdio } from './carryStdio.ts';
import { connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import type { ForwardedPort, VmTarget } from './forwardArguments.ts';
import { forwardDatagrams } from './forwardDatagrams.ts';
import { openGuestPort } from './reach/openGuestPort.ts';
import { cannotListen, reasonOf } from './refusal.ts';

interface ForwardOptions extends ConnectionOptions {
  readonly address: string;
  readonly stdio?: boolean;
}

/** Forwards ports of this host to ports of a guest until it is interrupted, or standard input and output to one. */
export function portForward(target: VmTarget, ports: ForwardedPort[], options: ForwardOptions): Promise<void> {
  return connected(options, async (connection) => {
    const open: OpenPort = ({ remote, protocol }) => openGuestPort(connection, target, { port: remote, protocol });
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

type OpenPort = (port: ForwardedPort) => Promise<Duplex>;

async function forwardStdio(ports: ForwardedPort[], open: OpenPort): Promise<void> {
  const [port, ...more] = ports;
  if (!port || more.length > 0) throw new Failure('only one port supported when forwarding to stdout');
  await carryStdio(await open(port));
}

async function listen(port: ForwardedPort, address: string, open: OpenPort): Promise<void> {
  const { local, remote } = port;
  const server = createServer({ allowHalfOpen: true }, (socket) => carry(socket, open(port)));
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
