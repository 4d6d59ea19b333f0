import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { answerDhcp6, type Lease6, serverId } from './answer.ts';

/** Where servers and clients of DHCPv6 listen. */
export const SERVER_PORT = 547;
export const CLIENT_PORT = 546;

export interface Dhcp6ServerOptions {
  /** The server's address, to which the rules of the network lead what guests send to all servers. */
  readonly address: string;
  /** The hardware address of the node's end of every card. */
  readonly mac: string;
  /** By device. */
  readonly leaseOf: (device: string) => Lease6 | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * A DHCPv6 server. It knows its clients by the device that a message comes from: clients call themselves as they like in
 * DHCPv6, but each guest has a device of its own, and its link-local address says which.
 */
export class Dhcp6Server implements AsyncDisposable {
  readonly #options: Dhcp6ServerOptions;
  readonly #id: Buffer;
  readonly #socket: Socket = createSocket({ type: 'udp6', reuseAddr: true });

  private constructor(options: Dhcp6ServerOptions) {
    this.#options = options;
    this.#id = serverId(options.mac);
  }

  static async listen(options: Dhcp6ServerOptions): Promise<Dhcp6Server> {
    const server = new Dhcp6Server(options);
    const listening = once(server.#socket, 'listening');
    server.#socket.bind(SERVER_PORT, options.address);
    try {
      await listening;
    } catch (error) {
      server.#socket.close();
      throw error;
    }
    server.#socket.on('error', options.onError);
    server.#socket.on('message', (message, from) => server.#answer(message, from));
    return server;
  }

  #answer(message: Buffer, { address, port }: RemoteInfo): void {
    const { leaseOf, onError } = this.#options;
    const [, device] = address.split('%');
    const lease = device !== undefined && port === CLIENT_PORT ? leaseOf(device) : undefined;
    const reply = lease && answerDhcp6(message, this.#id, lease);
    if (reply) this.#socket.send(reply, CLIENT_PORT, address, (error) => error && onError(error));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}
