import type { Caller, CallOptions } from './caller.ts';
import type { Connection } from './connection.ts';
import { DedicatedStreams } from './dedicated.ts';
import { ConnectionError } from './errors.ts';
import { type ConnectOptions, closeConnection, openConnection } from './handshake.ts';
import type { Procedure } from './protocol.ts';

export interface PoolOptions {
  /** Most connections at once; further calls wait. libvirtd's own limit is `max_clients`, 5000. Default: 8. */
  readonly maxConnections?: number;
  /** A connection that nothing has used for this long is closed. Default: 10 s. */
  readonly idleMs?: number;
}

/** Carries each call on a connection of its own, so that long calls hold up nothing. Connections are used again. */
export class ConnectionPool implements Caller {
  readonly #options: ConnectOptions;
  readonly #streams: DedicatedStreams;
  readonly #maxConnections: number;
  readonly #idleMs: number;
  readonly #idle = new Map<Connection, NodeJS.Timeout>();
  readonly #all = new Set<Connection>();
  #places: number;
  #waiting: { proceed(): void; fail(error: Error): void }[] = [];
  #isClosed = false;

  constructor(options: ConnectOptions, { maxConnections = 8, idleMs = 10_000 }: PoolOptions = {}) {
    this.#options = options;
    this.#maxConnections = maxConnections;
    this.#places = maxConnections;
    this.#idleMs = idleMs;
    this.#streams = new DedicatedStreams(options);
  }

  /** How many connections are open now. */
  get size(): number {
    return this.#all.size;
  }

  async call<Args, Result>(procedure: Procedure<Args, Result>, args: Args, options?: CallOptions): Promise<Result> {
    await this.#takePlace(options?.signal);
    try {
      const connection = await this.#takeConnection(options?.signal);
      let isFree = true;
      try {
        return await connection.call(procedure, args, options);
      } catch (error) {
        // An abandoned call still occupies its connection, however long the daemon takes.
        isFree = connection.inFlight === 0;
        throw error;
      } finally {
        if (isFree) this.#keep(connection);
        else void this.#drop(connection);
      }
    } finally {
      this.#leavePlace();
    }
  }

  openStream: Caller['openStream'] = (procedure, args, options) => this.#streams.openStream(procedure, args, options);

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#streams.close();
    for (const { fail } of this.#waiting.splice(0)) fail(this.#closedError());
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all([...this.#all].map((connection) => this.#drop(connection)));
  }

  async #takePlace(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw this.#closedError();
    if (this.#places > 0) {
      this.#places -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        proceed: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        fail: reject,
      };
      const onAbort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #leavePlace(): void {
    const next = this.#waiting.shift();
    if (next) next.proceed();
    else this.#places = Math.min(this.#places + 1, this.#maxConnections);
  }

  async #takeConnection(signal: AbortSignal | undefined): Promise<Connection> {
    for (const [connection, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(connection);
      if (connection.isOpen) return connection;
    }
    const connection = await openConnection({ ...this.#options, signal: signal ?? this.#options.signal });
    this.#all.add(connection);
    void connection.ended.then(() => {
      clearTimeout(this.#idle.get(connection));
      this.#idle.delete(connection);
      this.#all.delete(connection);
    });
    return connection;
  }

  #keep(connection: Connection): void {
    if (!connection.isOpen) return;
    if (this.#isClosed) {
      void this.#drop(connection);
      return;
    }
    const timer = setTimeout(() => void this.#drop(connection), this.#idleMs);
    timer.unref();
    this.#idle.set(connection, timer);
  }

  async #drop(connection: Connection): Promise<void> {
    this.#idle.delete(connection);
    this.#all.delete(connection);
    if (connection.inFlight > 0) connection.end();
    else await closeConnection(connection);
  }

  #closedError(): ConnectionError {
    return new ConnectionError(`${this.#options.socket}: the client was closed`);
  }
}
