import {
  type ClientHttp2Session,
  type ClientSessionOptions,
  connect,
  constants,
  type SecureClientSessionOptions,
} from 'node:http2';
import { Backoff } from './backoff.ts';
import { systemClock } from './clock.ts';

const PING_MS = 15_000;
const CONNECT_MS = 15_000;
const STREAM_WINDOW_BYTES = 1 << 20;
const CONNECTION_WINDOW_BYTES = 16 << 20;

/** TLS settings as they are at the time of connecting. */
export type SessionOptions = () => Promise<SecureClientSessionOptions>;

/**
 * Keeps one HTTP/2 connection to a server. Opens it when it is needed, replaces it when it breaks or the server says
 * GOAWAY, and notices when the other side is silently gone: a ping that is not answered before the next one is due ends
 * the connection, and with it every stream on it.
 */
export class Http2Sessions {
  readonly #authority: string;
  readonly #options: SessionOptions;
  readonly #backoff = new Backoff();
  #current: Promise<ClientHttp2Session> | undefined;
  /** What `#current` resolved to. */
  #openSession: ClientHttp2Session | undefined;
  /** The current one, and those that only serve out their streams. */
  readonly #living = new Set<ClientHttp2Session>();
  #notBefore = 0;
  #isClosed = false;

  constructor(authority: string, options: SessionOptions) {
    this.#authority = authority;
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The connection to use now. */
  get(): Promise<ClientHttp2Session> {
    if (this.#isClosed) return Promise.reject(new Error(`the client of ${this.#authority} is closed`));
    // Broken, or told to go away: Node then closes the session for new streams, and lets the old ones end.
    if (this.#openSession?.destroyed || this.#openSession?.closed) this.#forget();
    this.#current ??= this.#open();
    return this.#current;
  }

  /** The server answers: the next connection, whenever it is needed, need not wait. */
  succeeded(): void {
    this.#backoff.reset();
    this.#notBefore = 0;
  }

  /** Makes the next `get` open another connection; streams on the old one go on. */
  retire(session: ClientHttp2Session): void {
    if (this.#openSession === session) this.#forget();
    if (!session.closed) session.close();
  }

  /** Makes the next `get` open another connection, such as with another certificate; streams on the old one go on. */
  renew(): void {
    const session = this.#openSession;
    if (session) this.retire(session);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    await Promise.all(
      [...this.#living].map((session) => {
        const closed = new Promise<void>((resolve) => session.once('close', resolve));
        // With a code, so that a call cut short is not taken for one that is complete.
        session.destroy(undefined, constants.NGHTTP2_CANCEL);
        return closed;
      }),
    );
  }

  #forget(): void {
    this.#current = undefined;
    this.#openSession = undefined;
  }

  async #open(): Promise<ClientHttp2Session> {
    try {
      await this.#waitForTurn();
      const session = await openSession(this.#authority, await this.#options());
      if (this.#isClosed) {
        session.destroy();
        throw new Error(`the client of ${this.#authority} is closed`);
      }
      this.#openSession = session;
      this.#living.add(session);
      session.once('close', () => this.#living.delete(session));
      keepAlive(session);
      return session;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async #waitForTurn(): Promise<void> {
    const waitMs = this.#notBefore - systemClock.now();
    if (waitMs > 0) await new Promise<void>((resolve) => systemClock.after(waitMs, resolve));
    this.#notBefore = systemClock.now() + this.#backoff.nextMs();
  }
}

/** Opens an HTTP/2 connection; resolves when the server has greeted. */
export function openSession(authority: string, options: ClientSessionOptions): Promise<ClientHttp2Session> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
  const session = connect(authority, {
    // The default of 10 MB is soon reached by a few large lists at once, and then kills the connection.
    maxSessionMemory: 256,
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    ...options,
  });
  const timer = setTimeout(
    () => session.destroy(new Error(`cannot connect to ${authority} within ${CONNECT_MS} ms`)),
    CONNECT_MS,
  );
  session.once('connect', () => {
    clearTimeout(timer);
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    resolve(session);
  });
  // Stays for the life of the session: errors reach the callers through their streams.
  session.on('error', (error) => reject(error));
  session.once('close', () => {
    clearTimeout(timer);
    reject(new Error(`${authority}: the connection was closed`));
  });
  return promise;
}

/** Pings the server, and ends the connection when it does not respond. */
export function keepAlive(session: ClientHttp2Session): void {
  let isLate = false;
  const timer = setInterval(() => {
    // Destroyed, and not closed yet: a ping would throw, here where nobody catches it.
    if (session.destroyed) return;
    if (isLate) {
      session.destroy(new Error('the server does not respond to pings'), constants.NGHTTP2_CANCEL);
      return;
    }
    isLate = true;
    session.ping((error) => {
      if (!error) isLate = false;
    });
  }, PING_MS);
  timer.unref();
  session.once('close', () => clearInterval(timer));
}
