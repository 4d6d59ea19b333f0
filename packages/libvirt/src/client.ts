import type { EventSource } from './caller.ts';
import { type Calls, callsOver } from './calls/calls.ts';
import { DedicatedStreams } from './dedicated.ts';
import type { ConnectionError } from './errors.ts';
import { type ConnectOptions, closeConnection, openConnection } from './handshake.ts';
import { ConnectionPool, type PoolOptions } from './pool.ts';

/** A client of one libvirt daemon: its calls as methods, its events, and `long` for calls that take their time. */
export interface Libvirt extends Calls, EventSource {
  /** The same calls on connections of their own: for those that take seconds or hours, such as a migration. */
  readonly long: Calls;
  /** Resolves with the reason once the connection is over, by `close` or by loss. */
  readonly ended: Promise<ConnectionError>;
  /** Ends all connections; calls that are under way and streams that are open fail. */
  close(): Promise<void>;
}

/**
 * Connects to a libvirt daemon on its unix socket.
 *
 *     const libvirt = await connect({ socket: '/run/libvirt/libvirt-sock' });
 *     for (const domain of await libvirt.listDomains()) console.log(domain.name);
 *     await libvirt.close();
 */
export async function connect(options: ConnectOptions & PoolOptions): Promise<Libvirt> {
  const connection = await openConnection(options);
  const { signal: _, ...later } = options;
  const streams = new DedicatedStreams(later);
  const pool = new ConnectionPool(later, options);
  const calls = callsOver({
    call: (procedure, args, callOptions) => connection.call(procedure, args, callOptions),
    openStream: (procedure, args, callOptions) => streams.openStream(procedure, args, callOptions),
  });
  return {
    ...calls,
    long: callsOver(pool),
    ended: connection.ended,
    subscribe: (name, handler, subscribeOptions) => connection.subscribe(name, handler, subscribeOptions),
    close: async () => {
      streams.close();
      await Promise.all([pool.close(), closeConnection(connection)]);
    },
  };
}
