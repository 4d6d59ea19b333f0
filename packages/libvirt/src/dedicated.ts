import type { Caller } from './caller.ts';
import { type ConnectOptions, closeConnection, openConnection } from './handshake.ts';

/**
 * Opens each stream on a connection of its own. libvirt has no back-pressure for single streams: a console that nobody
 * reads, or whose guest takes no input, would stop the calls and pings of everything else on the connection.
 */
export const dedicatedStreams = (options: ConnectOptions): Caller['openStream'] => {
  return async (procedure, args, callOptions) => {
    // The daemon would take a reader that pauses for dead, if it pinged.
    const connection = await openConnection({ ...options, signal: callOptions?.signal }, { daemonPings: false });
    try {
      const opened = await connection.openStream(procedure, args, callOptions);
      opened.stream.once('close', () => void closeConnection(connection));
      return opened;
    } catch (error) {
      await closeConnection(connection);
      throw error;
    }
  };
};
