import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to the server that can be cut at any moment, in the middle of whatever passes: the network of some clients. */
export class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target = 0;

  constructor() {
    this.#server = createServer((near) => {
      const far = connect(this.#target, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  /** Where clients connect to. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Leads to this port of the host from now on. */
  async lead(target: number): Promise<void> {
    this.#target = target;
    if (!this.#server.listening) await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  /** Resets every connection; gives how many there were. */
  cut(): number {
    const count = this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return count;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
