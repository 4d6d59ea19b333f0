import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { DHCP_SERVER } from '../secondary/rules.ts';
import { answerDhcp, type Lease } from './answer.ts';

const CLIENT_PORT = 68;
const BROADCAST = '255.255.255.255';

/** A card that asks, by the number that it sends from. */
export interface DhcpClient {
  readonly mac: string;
  readonly lease: Lease;
  /** Where replies to it are sent. */
  readonly replyTo: string;
}

export interface CardDhcpServerOptions {
  readonly clientOf: (number: number) => DhcpClient | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * A DHCP server for cards on bridges. The node need not have an address on these: rules bring requests here and replies
 * back, and tell the cards apart, although hardware addresses and leases of two networks may be the same.
 */
export class CardDhcpServer implements AsyncDisposable {
  readonly #options: CardDhcpServerOptions;
  readonly #socket: Socket = createSocket({ type: 'udp4', reuseAddr: true });

  private constructor(options: CardDhcpServerOptions) {
    this.#options = options;
  }

  /** Listens at a port that is free: rules translate from and to those of DHCP. */
  static async listen(options: CardDhcpServerOptions): Promise<CardDhcpServer> {
    const server = new CardDhcpServer(options);
    const listening = once(server.#socket, 'listening');
    server.#socket.bind(0, BROADCAST);
    await listening;
    server.#socket.on('error', options.onError);
    server.#socket.on('message', (message, { port }) => server.#answer(message, port));
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  #answer(message: Buffer, number: number): void {
    const client = this.#options.clientOf(number);
    if (!client) return;
    const answer = answerDhcp(message, DHCP_SERVER, (mac) => (mac === client.mac ? client.lease : undefined));
    if (!answer) return;
    this.#socket.send(answer.message, CLIENT_PORT, client.replyTo, (error) => {
      if (error) this.#options.onError(error);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}
