import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BackoffOptions, backoffMs } from './backoff.ts';
import type { Caller, CallOptions, EventSource, SubscribeOptions, Subscription } from './caller.ts';
import { type Calls, callsOver } from './calls/calls.ts';
import type { Connection } from './connection.ts';
import { DedicatedStreams } from './dedicated.ts';
import { ConnectionError, LibvirtError } from './errors.ts';
import type { DomainEventName, DomainEventPayload } from './events.ts';
import { type ConnectOptions, closeConnection, openConnection } from './handshake.ts';
import { ConnectionPool, type PoolOptions } from './pool.ts';
import type { Procedure } from './protocol.ts';

export interface ReconnectOptions extends Omit<ConnectOptions, 'signal'>, PoolOptions {
  /** Waits between tries. Default: from 50 ms to 5 s. */
  readonly backoff?: BackoffOptions;
}

interface ReconnectingEvents {
  /** Connected, for the first time or again, with all subscriptions in place: look at what is, then follow events. */
  connected: [];
  /** The connection is gone, or another try failed. Events do not report what happens until `connected`. */
  disconnected: [error: Error];
  /** The daemon would not take a subscription again; it is cancelled. */
  subscriptionLost: [name: DomainEventName, error: Error];
}

/** A connection of one's own. */
export interface ReservedConnection {
  readonly calls: Calls;
  /** Resolves when it is over, by `close` or by loss. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** A subscription that is made on every connection. */
interface Wanted {
  readonly name: DomainEventName;
  readonly subscribeOn: (connection: Connection) => Promise<Subscription>;
  active: Subscription | undefined;
}

/**
 * A client that outlives restarts of the daemon. While there is no connection, calls fail at once with a
 * `ConnectionError`: whoever wants to wait awaits `connected()`. Subscriptions are made again on every connection.
 */
export class ReconnectingLibvirt extends EventEmitter<ReconnectingEvents> implements EventSource {
  /** libvirt's calls. */
  readonly calls: Calls;
  /** The same calls on connections of their own: for those that take seconds or hours. */
  readonly long: Calls;
  readonly #options: ReconnectOptions;
  readonly #pool: ConnectionPool;
  readonly #streams: DedicatedStreams;
  readonly #stop = new AbortController();
  readonly #wanted = new Set<Wanted>();
  readonly #running: Promise<void>;
  #connection: Connection | undefined;
  #lastError: Error | undefined;

  /** Starts connecting at once, and never stops until `close`. */
  constructor(options: ReconnectOptions) {
    super();
    this.#options = options;
    this.#pool = new ConnectionPool(options, options);
    this.#streams = new DedicatedStreams(options);
    const caller: Caller = {
      call: (procedure, args, callOptions) => this.#call(procedure, args, callOptions),
      openStream: (procedure, args, callOptions) => this.#streams.openStream(procedure, args, callOptions),
    };
    this.calls = callsOver(caller);
    this.long = callsOver(this.#pool);
    this.#running = this.#run();
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Resolves as soon as there is a connection. */
  async connected({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const stop = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
    stop.throwIfAborted();
    if (this.isConnected) return;
    await new Promise<void>((resolve, reject) => {
      const onConnected = () => {
        stop.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.off('connected', onConnected);
        reject(stop.reason);
      };
      this.once('connected', onConnected);
      stop.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Waits for a connection if there is none. The subscription lasts until it is cancelled. */
  async subscribe<Name extends DomainEventName>(
    name: Name,
    handler: (event: DomainEventPayload<Name>) => void,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    const subscribeOn = (connection: Connection) => connection.subscribe(name, handler, options);
    const wanted: Wanted = { name, subscribeOn, active: undefined };
    for (;;) {
      await this.connected();
      const connection = this.#connection;
      if (!connection) continue;
      try {
        wanted.active = await subscribeOn(connection);
        if (!connection.isOpen) continue;
        break;
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
      }
    }
    this.#wanted.add(wanted);
    return {
      cancel: async () => {
        this.#wanted.delete(wanted);
        await wanted.active?.cancel();
      },
    };
  }

  /**
   * The calls on a connection that nobody else has, until it is closed. libvirt ties some work to the connection that
   * began it: a domain that is prepared for a migration goes with it.
   */
  async reserve(): Promise<ReservedConnection> {
    const connection = await openConnection({ ...this.#options, signal: this.#stop.signal });
    const calls = callsOver({
      call: (procedure, args, callOptions) => connection.call(procedure, args, callOptions),
      openStream: (procedure, args, callOptions) => this.#streams.openStream(procedure, args, callOptions),
    });
    const stop = (): void => connection.end('the client was closed');
    this.#stop.signal.addEventListener('abort', stop, { once: true });
    void connection.ended.then(() => this.#stop.signal.removeEventListener('abort', stop));
    return { calls, ended: connection.ended.then(() => {}), close: () => closeConnection(connection) };
  }

  /** Ends everything; no more events of any kind. */
  async close(): Promise<void> {
    this.#stop.abort(new ConnectionError(`${this.#options.socket}: the client was closed`));
    this.#streams.close();
    const connection = this.#connection;
    await Promise.all([connection && closeConnection(connection), this.#pool.close()]);
    await this.#running;
  }

  async #call<Args, Result>(procedure: Procedure<Args, Result>, args: Args, options?: CallOptions): Promise<Result> {
    if (this.#connection?.isOpen) return this.#connection.call(procedure, args, options);
    this.#stop.signal.throwIfAborted();
    const why = this.#lastError?.message ?? 'the first connection is still being opened';
    throw new ConnectionError(`${procedure.name} failed: not connected to libvirtd: ${why}`, {
      cause: this.#lastError,
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const connection = await this.#connect();
        failures = 0;
        this.#lastError = await connection.ended;
      } catch (error) {
        this.#lastError = error as Error;
      }
      this.#connection = undefined;
      if (signal.aborted) return;
      this.emit('disconnected', this.#lastError);
      const wait = backoffMs(failures, this.#options.backoff ?? { initialMs: 50, maxMs: 5_000 });
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #connect(): Promise<Connection> {
    const { signal } = this.#stop;
    const connection = await openConnection({ ...this.#options, signal });
    try {
      for (const wanted of this.#wanted) await this.#subscribeAgain(wanted, connection);
      signal.throwIfAborted();
    } catch (error) {
      connection.end();
      throw error;
    }
    this.#connection = connection;
    this.emit('connected');
    return connection;
  }

  async #subscribeAgain(wanted: Wanted, connection: Connection): Promise<void> {
    try {
      wanted.active = await wanted.subscribeOn(connection);
    } catch (error) {
      if (!(error instanceof LibvirtError)) throw error;
      this.#wanted.delete(wanted);
      this.emit('subscriptionLost', wanted.name, error);
    }
  }
}
