import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import { forwardDns, type Upstream } from './forward.ts';
import { framed, frames } from './frames.ts';
import { answerDns, failure } from './reply.ts';
import type { Zone } from './zone.ts';

export interface DnsServerOptions {
  readonly address: string;
  /** 53, except in tests. */
  readonly port?: number;
  readonly zone: Zone;
  /** The servers that know all other names. */
  readonly upstreams: () => Promise<readonly Upstream[]>;
  readonly onError: (error: unknown) => void;
}

/** Questions to other servers at a time; more are refused, so that a guest cannot take all of the node's ports. */
const MAX_FORWARDED = 512;
const MAX_CONNECTIONS = 128;
const IDLE_MS = 10_000;

/** A DNS server for guests: it answers from a zone and asks other servers for the rest, over UDP and TCP. */
export class DnsServer implements AsyncDisposable {
  readonly #options: DnsServerOptions;
  readonly #datagrams: Datagrams;
  readonly #listener: Server;
  readonly #connections = new Set<Socket>();
  #forwarded = 0;

  private constructor(options: DnsServerOptions) {
    this.#options = options;
    this.#datagrams = createSocket({ type: isIPv6(options.address) ? 'udp6' : 'udp4', reuseAddr: true });
    this.#listener = createServer((socket) => this.#serve(socket));
    this.#listener.maxConnections = MAX_CONNECTIONS;
  }

  static async listen(options: DnsServerOptions): Promise<DnsServer> {
    const server = new DnsServer(options);
    const { address: host, port = 53 } = options;
    try {
      const listening = once(server.#listener, 'listening');
      server.#listener.listen({ host, port });
      await listening;
      const bound = once(server.#datagrams, 'listening');
      server.#datagrams.bind(server.port, host);
      await bound;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    server.#listener.on('error', options.onError);
    server.#datagrams.on('error', options.onError);
    server.#datagrams.on('message', (query, { address, port: clientPort }) => {
      void server.#answer(query, { isTcp: false }).then((reply) => {
        if (reply) server.#datagrams.send(reply, clientPort, address, (error) => error && options.onError(error));
      });
    });
    return server;
  }

  get port(): number {
    const address = this.#listener.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  async #answer(query: Buffer, { isTcp }: { isTcp: boolean }): Promise<Buffer | undefined> {
    const verdict = answerDns(query, this.#options.zone, { isTcp });
    if (verdict.kind === 'ignore') return undefined;
    if (verdict.kind === 'reply') return verdict.message;
    if (this.#forwarded >= MAX_FORWARDED) return failure(query);
    this.#forwarded++;
    try {
      return await forwardDns(query, await this.#options.upstreams(), { isTcp });
    } catch (error) {
      this.#options.onError(error);
      return failure(query);
    } finally {
      this.#forwarded--;
    }
  }

  #serve(socket: Socket): void {
    this.#connections.add(socket);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    // The client went away.
    socket.on('error', () => {});
    socket.on('close', () => this.#connections.delete(socket));
    socket.on(
      'data',
      frames((query) => {
        void this.#answer(query, { isTcp: true }).then((reply) => {
          if (reply && socket.writable) socket.write(framed(reply));
        });
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    await Promise.all([
      new Promise<void>((resolve) => this.#listener.close(() => resolve())),
      new Promise<void>((resolve) => {
        try {
          this.#datagrams.close(() => resolve());
        } catch {
          // It was never bound.
          resolve();
        }
      }),
    ]);
  }
}
