import type { AddressInfo } from 'node:net';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type Address, hostPort } from '../resolve.ts';
import { OutboundError } from './goErrors.ts';

/** As long as Kubernetes' own dialler waits. */
const DIAL_MS = 30_000;
const PROBE_MS = 30_000;

/** Begins a TLS connection. It ends with an error if it is not there in time. */
export function dial(address: Address, options: ConnectionOptions): TLSSocket {
  const socket = tls.connect({ ...options, host: address.host, port: address.port });
  const late = setTimeout(() => {
    const dialled = hostPort(address);
    const isConnected = (socket.address() as Partial<AddressInfo>).port !== undefined;
    socket.destroy(
      new OutboundError(isConnected ? 'net/http: TLS handshake timeout' : `dial tcp ${dialled}: i/o timeout`),
    );
  }, DIAL_MS);
  const settle = (): void => clearTimeout(late);
  socket.once('secureConnect', settle);
  socket.once('close', settle);
  socket.setKeepAlive(true, PROBE_MS);
  // A small body would wait for the headers before it to be confirmed.
  socket.setNoDelay(true);
  return socket;
}
