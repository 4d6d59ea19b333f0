import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { keepAlive, openSession } from '@vireo/kube/http2Session.ts';
import { type Address, hostPort } from '../resolve.ts';
import { dial } from './dial.ts';
import { goError, OutboundError } from './goErrors.ts';
import { type TlsConfig, tlsOptions } from './tls.ts';

/** One request to a server elsewhere. */
export interface OutboundRequest {
  readonly address: Address;
  /** The Host header. */
  readonly host: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whole, or as it comes. */
  readonly body?: Buffer | Readable;
  readonly signal?: AbortSignal;
  /** Whether it may be sent again where nobody knows if it was seen; those that only read may be. */
  readonly isRepeatable?: boolean;
}

/** The beginning of an answer, and the rest as it comes. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable;
}

/** A connection that speaks another protocol from here on. */
export interface Upgraded {
  readonly response: IncomingMessage;
  readonly socket: TLSSocket;
  readonly head: Buffer;
}

const IDLE_MS = 90_000;
const MAX_IDLE = 25;
const MAX_REMEMBERED = 256;
const HTTP1: readonly string[] = ['http/1.1'];
const HTTP2: readonly string[] = ['h2', 'http/1.1'];

/** The kept-alive connections of one TLS configuration, to whatever addresses it is used with. */
export class Channel {
  readonly #serverName: string;
  readonly #options: ConnectionOptions;
  readonly #offersHttp2: boolean;
  readonly #agent = new http.Agent({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });
  /** By address; undefined: the server there speaks HTTP/1.1. */
  readonly #sessions = new Map<string, Promise<ClientHttp2Session | undefined>>();
  /** Connections on which servers chose HTTP/1.1, for the request that opened them. */
  readonly #negotiated = new Map<string, TLSSocket>();

  constructor(config: TlsConfig, { offersHttp2 = false }: { offersHttp2?: boolean } = {}) {
    this.#serverName = config.serverName;
    this.#options = tlsOptions(config);
    this.#offersHttp2 = offersHttp2;
    Object.assign(this.#agent, {
      createConnection: ({ host, port }: Address) =>
        this.#takeNegotiated({ host, port }) ?? this.#dial({ host, port }, HTTP1),
    });
  }

  /** Sends a request; resolves with the headers of the answer. Fails with Go's words. */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    for (let attempt = 1; ; attempt++) {
      try {
        request.signal?.throwIfAborted();
        const session = this.#offersHttp2 ? await this.#sessionTo(request.address) : undefined;
        return await (session ? overHttp2(session, request) : this.#overHttp1(request));
      } catch (error) {
        // A server may close an idle connection in the moment in which it is used again.
        if (error instanceof StaleConnection && attempt === 1 && mayRepeat(request, error)) continue;
        throw this.#explained(error, request);
      }
    }
  }

  /** Asks for an upgrade, on a connection of its own. A server that declines answers as usual. */
  async upgrade(request: OutboundRequest): Promise<Upgraded | OutboundResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<Upgraded | OutboundResponse>();
    const outgoing = http.request({
      ...this.#http1Options(request),
      createConnection: () => this.#dial(request.address, HTTP1),
    });
    outgoing.once('upgrade', (response, socket, head) => resolve({ response, socket: socket as TLSSocket, head }));
    outgoing.once('response', (response) => resolve(responseOf(response)));
    outgoing.on('error', reject);
    outgoing.end();
    return promise.catch((error: unknown) => {
      throw this.#explained(error, request);
    });
  }

  /** Is not used any more: what is under way goes on, and idle HTTP/1.1 connections end by themselves. */
  retire(): void {
    this.#eachSession((session) => session.close());
  }

  /** Cuts off everything. */
  close(): void {
    this.#agent.destroy();
    for (const socket of this.#negotiated.values()) socket.destroy();
    this.#eachSession((session) => session.destroy());
  }

  #eachSession(end: (session: ClientHttp2Session) => void): void {
    for (const opening of this.#sessions.values())
      opening.then(
        (session) => session && end(session),
        () => {},
      );
    this.#sessions.clear();
  }

  #explained(error: unknown, { address, signal }: OutboundRequest): Error {
    if (signal?.aborted) return signal.reason instanceof Error ? signal.reason : new OutboundError('context canceled');
    return goError(error instanceof StaleConnection ? error.cause : error, address, this.#serverName);
  }

  #dial(address: Address, protocols: readonly string[]): TLSSocket {
    return dial(address, { ...this.#options, ALPNProtocols: [...protocols] });
  }

  #takeNegotiated(address: Address): TLSSocket | undefined {
    const key = hostPort(address);
    const socket = this.#negotiated.get(key);
    this.#negotiated.delete(key);
    socket?.removeAllListeners('error');
    return socket?.destroyed ? undefined : socket;
  }

  #sessionTo(address: Address): Promise<ClientHttp2Session | undefined> {
    const key = hostPort(address);
    const known = this.#sessions.get(key);
    if (known) return known;
    if (this.#sessions.size >= MAX_REMEMBERED) this.#sessions.delete(this.#sessions.keys().next().value ?? '');
    const opening = this.#negotiate(address, () => {
      if (this.#sessions.get(key) === opening) this.#sessions.delete(key);
    });
    this.#sessions.set(key, opening);
    return opening;
  }

  async #negotiate(address: Address, onClose: () => void): Promise<ClientHttp2Session | undefined> {
    try {
      const socket = this.#dial(address, HTTP2);
      await connected(socket);
      if (socket.alpnProtocol !== 'h2') {
        socket.on('error', () => socket.destroy());
        this.#negotiated.set(hostPort(address), socket);
        return undefined;
      }
      const session = await openSession(`https://${this.#serverName}`, { createConnection: () => socket });
      keepAlive(session);
      session.once('close', onClose);
      session.once('goaway', onClose);
      return session;
    } catch (error) {
      onClose();
      throw error;
    }
  }

  #http1Options({ address, host, method, path, headers, body, signal }: OutboundRequest): http.RequestOptions {
    const isChunked = body instanceof Readable && headers['content-length'] === undefined;
    return {
      host: address.host,
      port: address.port,
      method,
      path,
      headers: {
        ...(headers as http.OutgoingHttpHeaders),
        host,
        // Node would send the body of a DELETE without saying where it ends.
        ...(isChunked && { 'transfer-encoding': 'chunked' }),
      },
      setHost: false,
      ...(signal && { signal }),
    };
  }

  #overHttp1(request: OutboundRequest): Promise<OutboundResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
    const outgoing = http.request({ ...this.#http1Options(request), agent: this.#agent });
    outgoing.once('response', (response) => resolve(responseOf(response)));
    outgoing.on('error', (cause: NodeJS.ErrnoException) =>
      reject(
        outgoing.reusedSocket && cause.code === 'ECONNRESET' ? new StaleConnection({ cause, mayBeSeen: true }) : cause,
      ),
    );
    sendBody(outgoing, request.body);
    return promise;
  }
}

/** The connection was closed before the request was answered; over HTTP/2 it is known not to have been seen. */
class StaleConnection extends Error {
  readonly mayBeSeen: boolean;

  constructor({ cause, mayBeSeen = false }: ErrorOptions & { mayBeSeen?: boolean }) {
    super('the connection was closed', { cause });
    this.mayBeSeen = mayBeSeen;
  }
}

const READS = ['GET', 'HEAD', 'OPTIONS'];

/** A server that died of a write may have made it all the same: it is not for us to make it again. */
const mayRepeat = ({ method, body, isRepeatable }: OutboundRequest, { mayBeSeen }: StaleConnection): boolean =>
  !(body instanceof Readable) && (!mayBeSeen || isRepeatable === true || READS.includes(method));

function connected(socket: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('secureConnect', () => {
    socket.removeListener('error', reject);
    resolve();
  });
  socket.once('error', reject);
  socket.once('close', () => reject(new OutboundError('EOF')));
  return promise;
}

const responseOf = (response: IncomingMessage): OutboundResponse => ({
  status: response.statusCode ?? 0,
  headers: response.headers as Record<string, string | string[]>,
  body: response,
});

function overHttp2(session: ClientHttp2Session, request: OutboundRequest): Promise<OutboundResponse> {
  const { method, path, host, headers, body, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
  let stream: ReturnType<ClientHttp2Session['request']>;
  try {
    stream = session.request(
      { ...(headers as Record<string, string | string[]>), ':method': method, ':path': path, ':authority': host },
      { endStream: body === undefined, ...(signal && { signal }) },
    );
  } catch (cause) {
    return Promise.reject(new StaleConnection({ cause }));
  }
  stream.once('response', (received: IncomingHttpHeaders & { ':status'?: number }) => {
    const { ':status': status = 0, ...rest } = received;
    resolve({ status, headers: rest as Record<string, string | string[]>, body: stream });
  });
  stream.on('error', (cause: NodeJS.ErrnoException) =>
    reject(/REFUSED_STREAM|GOAWAY/.test(`${cause.code} ${cause.message}`) ? new StaleConnection({ cause }) : cause),
  );
  stream.once('close', () => reject(new OutboundError('unexpected EOF')));
  if (body !== undefined) sendBody(stream, body);
  return promise;
}

/** Errors of the body end the request, so that the server does not take half of it for all. */
function sendBody(
  output: ClientRequest | ReturnType<ClientHttp2Session['request']>,
  body: OutboundRequest['body'],
): void {
  if (!(body instanceof Readable)) {
    output.end(body);
    return;
  }
  body.pipe(output);
  body.once('error', () => output.destroy());
  body.once('close', () => {
    if (!body.readableEnded) output.destroy();
  });
}
