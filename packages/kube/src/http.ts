import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { ApiError } from '@vireo/api';
import { pause } from './clock.ts';
import { type CredentialSource, staticCredentials } from './credentials.ts';
import { Exchange, RequestNotSentError } from './exchange.ts';
import { Http2Sessions } from './http2Session.ts';
import { jsonLines } from './jsonLines.ts';
import { TimeoutSignal, untilAborted } from './timeoutSignal.ts';
import type { ApiCall, ApiCallResult, Transport, WatchEvent } from './transport.ts';

/** Where a server is and how to speak to it. `kubeconfig.ts` makes one from files. */
export interface HttpConfig {
  /** `https://host:port`, optionally with a path that goes before every call's. */
  readonly server: string;
  /** PEM of the authorities that may have signed the server's certificate; default: the system's. */
  readonly certificateAuthority?: string | Buffer;
  readonly credentials?: CredentialSource;
  /** The name to expect in the server's certificate, where it is not the host's. */
  readonly serverName?: string;
  /** Takes any certificate of the server. */
  readonly insecure?: boolean;
  readonly impersonate?: Impersonation;
  /** Names the manager of the fields that calls set; default `vireo`. */
  readonly userAgent?: string;
  /** How long a call may take, and a watch until its first answer. Default: 60 s. */
  readonly timeoutMs?: number;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const USER_AGENT = 'vireo';
const DEFAULT_TIMEOUT_MS = 60_000;
/** How often a server that has no time is asked, as client-go does. */
const MAX_ATTEMPTS = 10;

/**
 * The way to a server over HTTP/2. All calls and watches share one connection.
 *
 * @example
 * const client = new Client(httpTransport(loadKubeconfig()));
 */
export function httpTransport(config: HttpConfig): Transport {
  return new HttpTransport(config);
}

class HttpTransport implements Transport {
  readonly #config: HttpConfig;
  readonly #base: URL;
  readonly #credentials: CredentialSource;
  readonly #sessions: Http2Sessions;
  /** The one that the connection was opened with. */
  #shownCertificate: string | Buffer | undefined;

  constructor(config: HttpConfig) {
    this.#config = config;
    this.#base = new URL(config.server);
    this.#credentials = config.credentials ?? staticCredentials({});
    this.#sessions = new Http2Sessions(this.#base.origin, async () => {
      const { certificate, key } = await this.#credentials.get();
      this.#shownCertificate = certificate;
      return {
        ca: config.certificateAuthority,
        cert: certificate,
        key,
        rejectUnauthorized: !config.insecure,
        ...(config.serverName && { servername: config.serverName }),
      };
    });
  }

  async call(request: ApiCall): Promise<ApiCallResult> {
    using timeout = new TimeoutSignal(request.signal, this.#timeoutMs, this.#describe(request));
    const deadlineMs = performance.now() + this.#timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const exchange = await this.#begin(request, timeout.signal);
      const { status, headers } = await exchange.answer;
      const text = await exchange.text();
      const waitMs = attempt < MAX_ATTEMPTS ? retryAfterMs(status, headers) : undefined;
      // Who would have to wait for longer than the call may take gets the answer that there is.
      if (waitMs === undefined || performance.now() + waitMs >= deadlineMs)
        return { status, headers, body: parseBody(headers, text) };
      await pause(waitMs, timeout.signal);
    }
  }

  async watch(request: ApiCall): Promise<AsyncIterable<WatchEvent>> {
    const lifetime = new TimeoutSignal(request.signal, this.#timeoutMs, this.#describe(request));
    try {
      const exchange = await this.#begin(request, lifetime.signal);
      const { status, headers } = await exchange.answer;
      if (status !== 200) throw ApiError.from(status, parseBody(headers, await exchange.text()));
      lifetime.endTimeout();
      return this.#watchEvents(exchange.body(), lifetime);
    } catch (error) {
      lifetime[Symbol.dispose]();
      throw error;
    }
  }

  async *#watchEvents(body: AsyncIterable<Buffer>, lifetime: TimeoutSignal): AsyncGenerator<WatchEvent, void> {
    try {
      for await (const event of jsonLines(body)) yield event as WatchEvent;
    } catch (error) {
      if (!lifetime.signal.aborted && !this.#sessions.isClosed) throw error;
    } finally {
      lifetime[Symbol.dispose]();
    }
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  get #timeoutMs(): number {
    return this.#config.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  #describe({ method, path }: ApiCall): string {
    return `${method} ${this.#base.origin}${path}`;
  }

  /** Sends the request. What failed before the server can have seen it is sent once more, on another connection. */
  async #begin(request: ApiCall, signal: AbortSignal): Promise<Exchange> {
    for (let attempt = 1; ; attempt++) {
      try {
        const exchange = await this.#send(request, signal);
        const { status } = await exchange.answer;
        if (status === 401) this.#renewIdentity(exchange);
        this.#sessions.succeeded();
        return exchange;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RequestNotSentError && attempt === 1) continue;
        const cause = error instanceof RequestNotSentError ? error.cause : error;
        throw new Error(`${this.#describe(request)}: ${cause instanceof Error ? cause.message : cause}`, { cause });
      }
    }
  }

  /** Looks for other credentials next time. A certificate was shown when connecting: another one needs a connection. */
  #renewIdentity({ stream }: Exchange): void {
    this.#credentials.reject();
    if (this.#shownCertificate !== undefined && stream.session)
      this.#sessions.retire(stream.session as ClientHttp2Session);
  }

  async #send(request: ApiCall, signal: AbortSignal): Promise<Exchange> {
    signal.throwIfAborted();
    const { token, certificate } = await this.#credentials.get();
    // A certificate belongs to a connection: whoever has a new one shows it on a new connection.
    if (certificate !== this.#shownCertificate) this.#sessions.renew();
    const headers = this.#headers(request, token);
    let session: ClientHttp2Session;
    let stream: ClientHttp2Stream;
    try {
      session = await untilAborted(this.#sessions.get(), signal);
    } catch (cause) {
      throw new RequestNotSentError({ cause });
    }
    try {
      stream = session.request(headers, { endStream: request.body === undefined });
    } catch (cause) {
      this.#sessions.retire(session);
      throw new RequestNotSentError({ cause });
    }
    if (request.body !== undefined) stream.end(JSON.stringify(request.body));
    return new Exchange(stream, signal);
  }

  #headers(request: ApiCall, token: string | undefined): OutgoingHttpHeaders {
    return {
      ':method': request.method,
      ':path': `${this.#base.pathname.replace(/\/$/, '')}${request.path}${queryString(request.query)}`,
      accept: request.accept ?? 'application/json',
      'user-agent': this.#config.userAgent ?? USER_AGENT,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
      ...impersonationHeaders(this.#config.impersonate),
    };
  }
}

/** After how long the server wants to be asked again; undefined: it has answered. It has done nothing so far. */
function retryAfterMs(status: number, headers: ApiCallResult['headers']): number | undefined {
  const seconds = headers['retry-after'];
  return status === 429 && seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function queryString(query: ApiCall['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters}` : '';
}

/** The headers that ask to act as somebody else. */
export function impersonationHeaders(impersonate: Impersonation | undefined): OutgoingHttpHeaders {
  if (!impersonate) return {};
  const { user, uid, groups = [], extra = {} } = impersonate;
  const headers: OutgoingHttpHeaders = { 'impersonate-user': user };
  if (uid) headers['impersonate-uid'] = uid;
  if (groups.length > 0) headers['impersonate-group'] = [...groups];
  for (const [name, values] of Object.entries(extra))
    headers[`impersonate-extra-${encodeURIComponent(name).toLowerCase()}`] = [...values];
  return headers;
}

function parseBody(headers: ApiCallResult['headers'], text: string): unknown {
  if (!headers['content-type']?.includes('json') || text === '') return text;
  return JSON.parse(text);
}
