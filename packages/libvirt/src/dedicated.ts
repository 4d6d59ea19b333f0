import type { Caller, CallOptions } from './caller.ts';
import type { Connection } from './connection.ts';
import { type ConnectOptions, closeConnection, openConnection } from './handshake.ts';
import type { Procedure } from './protocol.ts';
import type { LibvirtStream } from './streams.ts';

/**
 * Opens each stream on a connection of its own. libvirt has no back-pressure for single streams: a console that nobody
 * reads, or whose guest takes no input, would stop the calls and pings of everything else on the connection.
 */
export class DedicatedStreams implements Pick<Caller, 'openStream'> {
  readonly #options: ConnectOptions;
  readonly #connections = new Set<Connection>();

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  async openStream<Args, Result>(
    procedure: Procedure<Args, Result>,
    args: Args,
    options?: CallOptions,
  ): Promise<{ result: Result; stream: LibvirtStream }> {
    // The daemon would take a reader that pauses for dead, if it pinged.
    const connection = await openConnection({ ...this.#options, signal: options?.signal }, { daemonPings: false });
    this.#connections.add(connection);
    void connection.ended.then(() => this.#connections.delete(connection));
    try {
      const opened = await connection.openStream(procedure, args, options);
      opened.stream.once('close', () => void closeConnection(connection));
      return opened;
    } catch (error) {
      await closeConnection(connection);
      throw error;
    }
  }

  /** Streams that are open fail. */
  close(): void {
    for (const connection of this.#connections) connection.end('the client was closed');
  }
}
