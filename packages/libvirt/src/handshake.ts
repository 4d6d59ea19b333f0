import { array, flag, int, nothing, optional, string, struct, uint } from './codec.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { CallTimeoutError, ConnectionError } from './errors.ts';
import { features, procedure } from './protocol.ts';

export interface ConnectOptions extends ConnectionOptions {
  /** Which driver: `qemu:///system` unless given; `test:///default` simulates. */
  readonly uri?: string;
  /** Only calls that change nothing are allowed. */
  readonly readOnly?: boolean;
  /** Gives up when the daemon has not let us in after this long. Default: 30 s, enough for a daemon that starts. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const authTypes = array(int, 20);
const authList = procedure('authList', nothing, struct({ types: authTypes }));
const authPolkit = procedure('authPolkit', nothing, struct({ complete: flag }));
const supportsFeature = procedure('connectSupportsFeature', struct({ feature: int }), struct({ supported: flag }));
const open = procedure('connectOpen', struct({ uri: optional(string), flags: uint }), nothing);
const close = procedure('connectClose', nothing, nothing);

const authNumbers = { none: 0, polkit: 2 } as const;

/** A connection on which calls can be made: authenticated, and open on a driver. */
export async function openConnection(
  options: ConnectOptions,
  { daemonPings = true }: { daemonPings?: boolean } = {},
): Promise<Connection> {
  options.signal?.throwIfAborted();
  const connection = await Connection.open(options);
  const limits = { timeoutMs: options.connectTimeoutMs ?? 30_000, signal: options.signal };
  try {
    await authenticate(connection, options.socket, limits);
    if (options.keepAlive !== false && daemonPings) {
      await connection.call(supportsFeature, { feature: features.programKeepAlive }, limits);
    }
    const flags = options.readOnly ? 1 : 0;
    await connection.call(open, { uri: options.uri ?? 'qemu:///system', flags }, limits);
    return connection;
  } catch (error) {
    connection.end();
    if (!(error instanceof CallTimeoutError)) throw error;
    const message = `libvirtd at ${options.socket} accepts connections but does not respond within ${limits.timeoutMs} ms`;
    throw new ConnectionError(message, { cause: error });
  }
}

/** Takes leave, so that the daemon does not log a lost client, and closes the socket. */
export async function closeConnection(connection: Connection): Promise<void> {
  const farewell = connection.call(close, undefined, { timeoutMs: 1_000 });
  // A daemon that is gone or hangs needs no farewell.
  await farewell.catch(() => {});
  connection.end();
}

async function authenticate(
  connection: Connection,
  socket: string,
  limits: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<void> {
  const { types } = await connection.call(authList, undefined, limits);
  if (types.length === 0 || types.includes(authNumbers.none)) return;
  if (!types.includes(authNumbers.polkit)) {
    throw new ConnectionError(
      `libvirtd at ${socket} requires SASL, which this client does not support; set auth_unix_rw = "none" in libvirtd.conf`,
    );
  }
  await connection.call(authPolkit, undefined, limits);
}
