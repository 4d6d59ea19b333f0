import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ApiError, tooManyRequests } from '@vireo/api';
import {
  ANONYMOUS,
  type ApiHandler,
  type ApiRequest,
  type Exchange,
  Http1Exchange,
  isCredential,
  OpenStreams,
  pause,
  type RequestBody,
  type ReviewToken,
  readBody,
  refuseUpgrade,
  respond,
  respondError,
  splitTarget,
  type UpgradeHandler,
  type UserInfo,
} from '@vireo/kube';
import { type Authenticate, authenticateBy, type Trust } from './authenticate.ts';

export interface ListenerOptions {
  readonly port: number;
  /** Missing: all addresses of the host, of both families. */
  readonly host?: string;
  /** The certificate that the listener shows, and its key: PEM. */
  readonly cert: string;
  readonly key: string;
  readonly trust: Trust;
  /** Who knows the tokens of those who come directly. Missing: nobody comes so. */
  readonly reviewToken?: ReviewToken;
  readonly handle: ApiHandler;
  readonly upgrade: UpgradeHandler;
  /** Who answers a target by itself, whoever asks: uploads and downloads have tokens of their own. */
  readonly direct?: (target: string) => ((exchange: Exchange) => void) | undefined;
  /** Paths that anybody may ask, such as those of webhooks: whoever calls them shows no certificate. */
  readonly openPaths: readonly string[];
  /** How many of those requests are answered at once, probes aside; others are to come again. */
  readonly maxOpenRequests?: number;
  /** Called with errors of this server; the client learns only that something went wrong. */
  readonly onError: (error: unknown, target: string) => void;
}

export interface Listener {
  readonly port: number;
  /** Shows other certificates, and trusts others, from the next connection on. */
  renew(certificates: Pick<ListenerOptions, 'cert' | 'key' | 'trust'>): void;
  /** Has clients open no more requests on the connections that they keep. */
  drain(): void;
  /** Takes no more connections, lets requests end for a while, and cuts off what is left. */
  close(graceMs?: number): Promise<void>;
}

const KEEP_ALIVE_MS = 120_000;
/** Whoever probes is answered at any rate: a busy instance is not a dead one. */
const PROBES: readonly string[] = ['/healthz', '/livez', '/readyz'];
/** More than an API server sends before its own limits hold. */
const MAX_OPEN_REQUESTS = 400;
const RETRY_SECONDS = 1;

/**
 * Takes requests from the network, as an API server sends them to an aggregated one: over TLS, with the certificate of
 * its front proxy, and with the user in X-Remote-* headers.
 *
 * @example
 * const { handle, upgrade } = extension.authorizedBy(bySubjectAccessReview(cachedAccessReviews(client)));
 * const listener = await listen({ port: 8443, cert, key, trust, handle, upgrade, openPaths: [], onError });
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { port, host, cert, key, trust, handle, onError } = options;
  let authenticate = authenticateBy(trust, options.reviewToken);
  const open = new OpenRequests(options.openPaths, options.maxOpenRequests ?? MAX_OPEN_REQUESTS);
  const server = https.createServer({
    cert,
    key,
    ca: authoritiesOf(trust),
    requestCert: true,
    // Webhooks come without a certificate, and a refusal says why.
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    // Node would cut off whatever takes more than five minutes to send: images do.
    requestTimeout: 0,
    // Whoever calls keeps connections, and one that is closed as it is used again is an error.
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const streams = new OpenStreams();
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (isDraining) response.shouldKeepAlive = false;
    const exchange = new Http1Exchange(incoming, response);
    const direct = options.direct?.(exchange.target);
    if (direct) {
      direct(exchange);
      return;
    }
    const gone = new AbortController();
    exchange.onClose(() => gone.abort());
    const answer = async () => handle(await requestOf(incoming, gone.signal, open, authenticate));
    open.during(exchange, answer).then(
      (result) => {
        if (!gone.signal.aborted) respond(exchange, result, streams);
      },
      (error: unknown) => respondError(exchange, error, (cause) => onError(cause, exchange.target)),
    );
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const carry = async () =>
      options.upgrade(await requestOf(incoming, gone.signal, open, authenticate), incoming, socket, head);
    carry().catch((error: unknown) => {
      if (!(error instanceof ApiError)) onError(error, incoming.url ?? '');
      refuseUpgrade(socket, error);
    });
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    renew: ({ trust: next, ...shown }) => {
      server.setSecureContext({ ...shown, ca: authoritiesOf(next), minVersion: 'TLSv1.2' });
      authenticate = authenticateBy(next, options.reviewToken);
    },
    drain: () => {
      isDraining = true;
      for (const response of underWay) if (!response.headersSent) response.shouldKeepAlive = false;
    },
    close: async (graceMs = 0) => {
      const closed = once(server, 'close');
      server.close();
      await ended(underWay, graceMs);
      // Not only those that carry requests: some are being opened, and some carry streams.
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Resolves when none of the responses is under way any more, or the time is over. */
async function ended(underWay: ReadonlySet<ServerResponse>, graceMs: number): Promise<void> {
  const over = AbortSignal.timeout(graceMs);
  while (underWay.size > 0 && !over.aborted) {
    const [response] = underWay;
    await Promise.race([response && once(response, 'close').catch(() => {}), pause(graceMs, over)]);
  }
}

const authoritiesOf = ({ frontProxyCa, clientCa = '' }: Trust): string[] => [frontProxyCa, clientCa].filter(Boolean);

/** Requests to paths that anybody may ask, and how many there are. */
class OpenRequests {
  readonly #paths: ReadonlySet<string>;
  readonly #max: number;
  #count = 0;

  constructor(paths: readonly string[], max: number) {
    this.#paths = new Set(paths);
    this.#max = max;
  }

  includes(path: string): boolean {
    return this.#paths.has(path);
  }

  async during<T>({ target }: Pick<Exchange, 'target'>, answer: () => Promise<T>): Promise<T> {
    const path = target.split('?', 1)[0] ?? '';
    if (!this.includes(path) || PROBES.includes(path)) return answer();
    if (this.#count >= this.#max)
      throw tooManyRequests(`there are already ${this.#max} requests like this; try again later`, RETRY_SECONDS);
    this.#count++;
    try {
      return await answer();
    } finally {
      this.#count--;
    }
  }
}

async function requestOf(
  incoming: IncomingMessage,
  signal: AbortSignal,
  open: OpenRequests,
  authenticate: Authenticate,
): Promise<ApiRequest> {
  const { method = 'GET', url = '/' } = incoming;
  const { path, query } = splitTarget(url);
  const user: UserInfo = open.includes(path)
    ? ANONYMOUS
    : await authenticate(incoming.socket as TLSSocket, incoming.headersDistinct);
  return {
    method,
    path,
    query,
    headers: withoutCredentials(incoming),
    user,
    body: async (): Promise<RequestBody | undefined> => {
      const bytes = await readBody(incoming, incoming.headers['content-length']);
      const contentType = incoming.headers['content-type'] ?? 'application/json';
      return bytes.length === 0 ? undefined : { bytes, contentType };
    },
    input: () => incoming,
    signal,
  };
}

function withoutCredentials({ headers }: IncomingMessage): Record<string, string | undefined> {
  const kept = Object.entries(headers).filter(([name]) => !isCredential(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
