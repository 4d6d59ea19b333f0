import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

/** Reserved for documentation: nothing is ever sent there. */
const ELSEWHERE = '192.0.2.1';

/**
 * The address by which other hosts are most likely to reach this one: that of the route to elsewhere, else the first
 * that is not this host's alone.
 */
export async function hostAddress(): Promise<string> {
  const routed = await routedAddress();
  if (routed !== undefined && routed !== '0.0.0.0') return routed;
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outer = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outer.find(({ family }) => family === 'IPv4') ?? outer[0])?.address ?? '127.0.0.1';
}

/** The source address that the kernel chooses; connecting a datagram socket sends nothing. */
function routedAddress(): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = createSocket('udp4');
  socket.once('error', () => resolve(undefined));
  socket.connect(9, ELSEWHERE, () => resolve(socket.address().address));
  return promise.finally(() => socket.close());
}

/** An address as part of a URL. */
export const urlHost = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
