import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ForwardedPort } from './forwardArguments.ts';
import { cannotListen, reasonOf } from './refusal.ts';

/** UDP has no end: a sender that has been quiet for so long is forgotten. */
const QUIET_MS = 60_000;

/** Forwards a UDP port of this host: each sender gets a tunnel of its own, each chunk of it is a datagram. */
export async function forwardDatagrams(
  { local, remote }: ForwardedPort,
  address: string,
  open: () => Promise<Duplex>,
): Promise<void> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.bind(local, address);
  try {
    await once(socket, 'listening');
  } catch (error) {
    throw cannotListen(address, local, error);
  }
  const senders = new Map<string, Sender>();
  socket.on('message', (datagram, from) => {
    const key = `${from.address} ${from.port}`;
    let sender = senders.get(key);
    if (!sender) {
      sender = new Sender(socket, from, open, () => senders.delete(key));
      senders.set(key, sender);
    }
    sender.send(datagram);
  });
  console.log(`forwarding udp ${address}:${socket.address().port} to ${remote}`);
  await once(socket, 'close');
}

class Sender {
  readonly #tunnel: Promise<Duplex>;
  readonly #quiet: NodeJS.Timeout;

  constructor(socket: Socket, from: RemoteInfo, open: () => Promise<Duplex>, forget: () => void) {
    this.#tunnel = open();
    this.#quiet = setTimeout(() => this.#tunnel.then((tunnel) => tunnel.destroy(), forget), QUIET_MS);
    this.#tunnel.then(
      (tunnel) => {
        tunnel.on('data', (data: Buffer) => {
          this.#quiet.refresh();
          socket.send(data, from.port, from.address);
        });
        // A guest that does not listen is no reason to end; the next datagram asks again.
        tunnel.on('error', () => {});
        tunnel.once('close', () => this.#end(forget));
        tunnel.resume();
      },
      (error) => {
        console.error(`datagrams from ${from.address}:${from.port} cannot be forwarded: ${reasonOf(error)}`);
        this.#end(forget);
      },
    );
  }

  send(datagram: Buffer): void {
    this.#quiet.refresh();
    // A datagram that cannot be sent is lost, as UDP has it.
    this.#tunnel.then(
      (tunnel) => tunnel.write(datagram),
      () => {},
    );
  }

  #end(forget: () => void): void {
    clearTimeout(this.#quiet);
    forget();
  }
}
