import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { answerDhcp6, type Lease6, serverId } from './answer.ts';
import { CLIENT_PORT, SERVER_PORT } from './server.ts';

/** A card that asks, by the number that it sends from. */
export interface Dhcp6Client {
  readonly device: string;
  /** The node's link-local address on that device. */
  readonly server: string;
  readonly lease: Lease6;
}

export interface CardDhcp6ServerOptions {
  /** What the server calls itself by. */
  readonly mac: string;
  readonly clientOf: (number: number) => Dhcp6Client | undefined;
  readonly onError: (error: unknown) => void;
}

/** A DHCPv6 server for cards on bridges: rules bring requests here, and replies leave by the device of their card. */
export class CardDhcp6Server implements AsyncDisposable {
  readonly #options: CardDhcp6ServerOptions;
  readonly #id: Buffer;
  readonly #socket: Socket = createSocket({ type: 'udp6', reuseAddr: true });

  private constructor(options: CardDhcp6ServerOptions) {
    this.#options = options;
    this.#id = serverId(options.mac);
  }

  /** Listens at a port that is free. */
  static async listen(options: CardDhcp6ServerOptions): Promise<CardDhcp6Server> {
    const server = new CardDhcp6Server(options);
    const listening = once(server.#socket, 'listening');
    server.#socket.bind(0, '::1');
    await listening;
    server.#socket.on('error', options.onError);
    server.#socket.on('message', (message, from) => {
      server.#answer(message, from).catch(options.onError);
    });
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async #answer(message: Buffer, { address, port }: RemoteInfo): Promise<void> {
    const client = this.#options.clientOf(port);
    const reply = client && answerDhcp6(message, this.#id, client.lease);
    const [guest = ''] = address.split('%');
    if (!reply || !guest.startsWith('fe80:')) return;
    // One for each reply: the address of a device counts on that device only.
    const socket = createSocket({ type: 'udp6', reuseAddr: true });
    try {
      const listening = once(socket, 'listening');
      socket.bind(SERVER_PORT, `${client.server}%${client.device}`);
      await listening;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      socket.send(reply, CLIENT_PORT, `${guest}%${client.device}`, (error) => (error ? reject(error) : resolve()));
      await promise;
    } finally {
      socket.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}
