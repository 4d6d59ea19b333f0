import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ApiError } from '@vireo/api';
import {
  ANONYMOUS,
  type ApiHandler,
  type ApiRequest,
  type Exchange,
  Http1Exchange,
  isCredential,
  OpenStreams,
  type RequestBody,
  readBody,
  refuseUpgrade,
  respond,
  respondError,
  splitTarget,
  type UpgradeHandler,
  type UserInfo,
} from '@vireo/kube';
import { remoteUser, requireFrontProxy } from './frontProxy.ts';

export interface ListenerOptions {
  readonly port: number;
  readonly host?: string;
  /** The certificate that the listener shows, and its key: PEM. */
  readonly cert: string;
  readonly key: string;
  /** Who signs the certificates of the front proxy: PEM. */
  readonly frontProxyCa: string;
  /** The names that those certificates may have; none: any. */
  readonly frontProxyNames?: readonly string[];
  readonly handle: ApiHandler;
  readonly upgrade: UpgradeHandler;
  /** Who answers a target by itself, whoever asks: uploads and downloads have tokens of their own. */
  readonly direct?: (target: string) => ((exchange: Exchange) => void) | undefined;
  /** Paths that anybody may ask, such as those of webhooks: whoever calls them shows no certificate. */
  readonly openPaths: readonly string[];
  /** Called with errors of this server; the client learns only that something went wrong. */
  readonly onError: (error: unknown, target: string) => void;
}

export interface Listener {
  readonly port: number;
  /** Shows other certificates, and trusts others, from the next connection on. */
  renew(certificates: Pick<ListenerOptions, 'cert' | 'key' | 'frontProxyCa'>): void;
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 120_000;

/**
 * Takes requests from the network, as an API server sends them to an aggregated one: over TLS, with the certificate of
 * its front proxy, and with the user in X-Remote-* headers.
 *
 * @example
 * const { handle, upgrade } = extension.authorizedBy(bySubjectAccessReview(client));
 * const listener = await listen({ port: 8443, cert, key, frontProxyCa, handle, upgrade, openPaths: [], onError });
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { port, host = '0.0.0.0', cert, key, frontProxyCa, handle, onError } = options;
  const server = https.createServer({
    cert,
    key,
    ca: frontProxyCa,
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
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const exchange = new Http1Exchange(incoming, response);
    const direct = options.direct?.(exchange.target);
    if (direct) {
      direct(exchange);
      return;
    }
    const gone = new AbortController();
    exchange.onClose(() => gone.abort());
    const answer = async () => handle(await requestOf(incoming, gone.signal, options));
    answer().then(
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
    const carry = async () => options.upgrade(await requestOf(incoming, gone.signal, options), incoming, socket, head);
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
    renew: ({ frontProxyCa: ca, ...shown }) => server.setSecureContext({ ...shown, ca, minVersion: 'TLSv1.2' }),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // Not only those that carry requests: some are being opened, and some carry streams.
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

async function requestOf(
  incoming: IncomingMessage,
  signal: AbortSignal,
  options: ListenerOptions,
): Promise<ApiRequest> {
  const { method = 'GET', url = '/' } = incoming;
  const { path, query } = splitTarget(url);
  return {
    method,
    path,
    query,
    headers: withoutCredentials(incoming),
    user: userOf(incoming, path, options),
    body: async (): Promise<RequestBody | undefined> => {
      const bytes = await readBody(incoming, incoming.headers['content-length']);
      const contentType = incoming.headers['content-type'] ?? 'application/json';
      return bytes.length === 0 ? undefined : { bytes, contentType };
    },
    input: () => incoming,
    signal,
  };
}

function userOf(incoming: IncomingMessage, path: string, options: ListenerOptions): UserInfo {
  if (options.openPaths.includes(path)) return ANONYMOUS;
  requireFrontProxy(incoming.socket as TLSSocket, options.frontProxyNames ?? []);
  return remoteUser(incoming.headersDistinct);
}

function withoutCredentials({ headers }: IncomingMessage): Record<string, string | undefined> {
  const kept = Object.entries(headers).filter(([name]) => !isCredential(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}
