import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { framed, frames } from './frames.ts';

/** A DNS server that others are asked of. */
export interface Upstream {
  readonly address: string;
  readonly port: number;
}

/** For one server; then the next is asked. */
const TIMEOUT_MS = 2_000;

/** Asks servers in their order until one replies. The question is passed on as it is. */
export async function forwardDns(
  query: Buffer,
  upstreams: readonly Upstream[],
  { isTcp }: { isTcp: boolean },
): Promise<Buffer> {
  const problems: string[] = [];
  for (const upstream of upstreams) {
    try {
      return await (isTcp ? askByTcp(query, upstream) : askByUdp(query, upstream));
    } catch (error) {
      problems.push(`${upstream.address}: ${(error as Error).message}`);
    }
  }
  throw new Error(problems.length > 0 ? problems.join('; ') : 'this host has no DNS server');
}

/** Each question has a socket of its own: its port is what makes a forged reply unlikely. */
function askByUdp(query: Buffer, { address, port }: Upstream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const timer = setTimeout(() => end(() => reject(new Error('no reply'))), TIMEOUT_MS);
    const end = (then: () => void): void => {
      clearTimeout(timer);
      socket.close();
      then();
    };
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('message', (reply) => {
      if (reply.length >= 12 && reply.readUInt16BE(0) === query.readUInt16BE(0)) end(() => resolve(reply));
    });
    socket.connect(port, address, () => socket.send(query));
  });
}

function askByTcp(query: Buffer, { address, port }: Upstream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no reply')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
    socket.on(
      'data',
      frames((reply) => {
        resolve(reply);
        socket.destroy();
      }),
    );
    socket.write(framed(query));
  });
}
