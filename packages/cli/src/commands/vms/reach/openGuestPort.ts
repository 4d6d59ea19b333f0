import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isReason } from '@vireo/api';
import { dialDatagrams } from '@vireo/node/api/datagrams.ts';
import { createWebSocketStream, type WebSocket } from 'ws';
import { actionPath, type Connection } from '../connection.ts';
import { meanings, type VmTarget } from '../forwardArguments.ts';
import { openStream } from '../http1.ts';
import { orFail } from '../refusal.ts';
import { directAddress, type GuestPort } from './directAddress.ts';

/** For a guest on this host, or on another node. Whoever does not answer in time is asked through the API. */
const CONNECT_MS = 1_000;

/**
 * Connects to a port of a guest: to its address where this host reaches it, through the API otherwise. A guest that does not
 * answer is asked through the API, too, which says why. Each chunk of a UDP port is one datagram.
 */
export async function openGuestPort(connection: Connection, target: VmTarget, port: GuestPort): Promise<Duplex> {
  const address = await directAddress(connection, target, port);
  if (address !== undefined) {
    if (port.protocol === 'udp') return dialDatagrams({ host: address, port: port.port });
    const socket = await connectWithin(address, port.port);
    if (socket) return socket;
  }
  const tunnel = await openTunnel(connection, target, port);
  return createWebSocketStream(tunnel, { readableObjectMode: port.protocol === 'udp' });
}

/** The address of a guest at whose port something answers this host; undefined where the way is through the API. */
export async function answeringAddress(
  connection: Connection,
  target: VmTarget,
  port: number,
): Promise<string | undefined> {
  const address = await directAddress(connection, target, { port, protocol: 'tcp' });
  const socket = address === undefined ? undefined : await connectWithin(address, port);
  socket?.destroy();
  return socket && address;
}

/** A connection, paused; undefined if nobody answers soon. */
function connectWithin(host: string, port: number): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  const socket = connect({ host, port, allowHalfOpen: true });
  const giveUp = (): void => {
    socket.destroy();
    resolve(undefined);
  };
  const timer = setTimeout(giveUp, CONNECT_MS);
  socket.once('error', giveUp);
  socket.once('connect', () => {
    clearTimeout(timer);
    socket.off('error', giveUp);
    socket.pause();
    resolve(socket);
  });
  socket.once('close', () => clearTimeout(timer));
  return promise;
}

function openTunnel(connection: Connection, target: VmTarget, port: GuestPort): Promise<WebSocket> {
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

function openPort(connection: Connection, target: VmTarget, { port, protocol }: GuestPort): Promise<WebSocket> {
  const { namespace = connection.namespace, resource, name } = target;
  const path = actionPath({ namespace }, resource, name, `portforward/${port}/${protocol}`);
  return openStream(connection.target, path);
}
