import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { answerDhcp, type Lease } from './answer.ts';

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const BROADCAST = '255.255.255.255';

export interface DhcpServerOptions {
  /** The server's address. */
  readonly address: string;
  readonly leaseOf: (mac: string) => Lease | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * A DHCP server for cards that are known by their hardware address. Node cannot tell by which device a broadcast came, so
 * it sees those of all devices; what is for others it does not answer.
 */
export class DhcpServer implements AsyncDisposable {
  readonly #options: DhcpServerOptions;
  /** Gets renewals, and sends. */
  readonly #own: Socket;
  /** Gets what is sent to everybody. */
  readonly #broadcasts: Socket;

  private constructor(options: DhcpServerOptions) {
    this.#options = options;
    this.#own = createSocket({ type: 'udp4', reuseAddr: true });
    this.#broadcasts = createSocket({ type: 'udp4', reuseAddr: true });
  }

  static async listen(options: DhcpServerOptions): Promise<DhcpServer> {
    const server = new DhcpServer(options);
    try {
      await server.#bind(server.#own, options.address);
      await server.#bind(server.#broadcasts, BROADCAST);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #bind(socket: Socket, address: string): Promise<void> {
    const listening = once(socket, 'listening');
    socket.bind(SERVER_PORT, address);
    await listening;
    socket.on('error', this.#options.onError);
    socket.on('message', (message, from) => this.#answer(message, from));
  }

  #answer(message: Buffer, from: RemoteInfo): void {
    if (from.port !== CLIENT_PORT && from.port !== SERVER_PORT) return;
    const answer = answerDhcp(message, this.#options.address, this.#options.leaseOf);
    if (!answer) return;
    this.#own.send(answer.message, CLIENT_PORT, answer.to, (error) => {
      if (error) this.#options.onError(error);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#own, this.#broadcasts].map(close));
  }
}

const close = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    try {
      socket.close(() => resolve());
    } catch {
      // It was never bound.
      resolve();
    }
  });
