import type { TLSSocket } from 'node:tls';
import { ApiError } from '@vireo/api';
import type { Authenticator } from '../auth/authenticate.ts';
import { headersFromRaw } from '../auth/headers.ts';
import { impersonate } from '../auth/impersonate.ts';
import type { Authorizer } from '../rbac/authorize.ts';
import type { ApiHandler, ApiRequest, RequestBody, UserInfo } from '../request.ts';
import type { Exchange } from './exchange.ts';
import { readBody } from './readBody.ts';
import { respond, respondError } from './respond.ts';
import type { OpenStreams } from './streams.ts';

export interface CarrierParts {
  readonly handle: ApiHandler;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly onError: (error: unknown, method: string, target: string) => void;
  readonly observe: (method: string, status: number, seconds: number) => void;
  readonly streams: OpenStreams;
}

/** For how long a connection's certificate is not looked at again. */
const TRUST_MS = 60_000;

/** Brings requests from the network to the handler, and its answers back. */
export function httpCarrier(parts: CarrierParts): (exchange: Exchange) => void {
  const identify = identifier(parts.authenticator);
  return (exchange) => {
    const startedAt = performance.now();
    const departure = new Departure(exchange);
    serve(exchange, departure).then(
      (status) => parts.observe(exchange.method, status, (performance.now() - startedAt) / 1000),
      (error: unknown) => {
        respondError(exchange, error, (cause) => parts.onError(cause, exchange.method, exchange.target));
        parts.observe(
          exchange.method,
          error instanceof ApiError ? error.code : 500,
          (performance.now() - startedAt) / 1000,
        );
      },
    );
  };

  async function serve(exchange: Exchange, departure: Departure): Promise<number> {
    const user = asUser(await identify(exchange), exchange);
    const response = await parts.handle(new CarriedRequest(exchange, user, departure));
    if (!departure.hasHappened) respond(exchange, response, parts.streams);
    return response.status;
  }

  function asUser(user: UserInfo, { rawHeaders, headers }: Exchange): UserInfo {
    if (!Object.keys(headers).some((name) => name.startsWith('impersonate-'))) return user;
    return impersonate(user, headersFromRaw(rawHeaders), (attributes) => parts.authorizer.authorize(attributes));
  }
}

/** When the client goes away. Few requests ask, and a signal costs a quarter of a GET: it is made on demand. */
class Departure {
  #hasHappened = false;
  #abort: AbortController | undefined;

  constructor(exchange: Exchange) {
    exchange.onClose(() => {
      this.#hasHappened = true;
      this.#abort?.abort();
    });
  }

  get hasHappened(): boolean {
    return this.#hasHappened;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#hasHappened) this.#abort.abort();
    }
    return this.#abort.signal;
  }
}

class CarriedRequest implements ApiRequest {
  readonly #exchange: Exchange;
  readonly #departure: Departure;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ApiRequest['headers'];
  readonly user: UserInfo;

  constructor(exchange: Exchange, user: UserInfo, departure: Departure) {
    const { target, method, headers } = exchange;
    const mark = target.indexOf('?');
    this.#exchange = exchange;
    this.#departure = departure;
    this.method = method;
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
    this.headers = headers;
    this.user = user;
  }

  get signal(): AbortSignal {
    return this.#departure.signal;
  }

  readonly body = async (): Promise<RequestBody | undefined> => {
    const { headers } = this;
    const bytes = await readBody(this.#exchange.input, headers['content-length']);
    return bytes.length === 0 ? undefined : { bytes, contentType: headers['content-type'] ?? 'application/json' };
  };
}

/** Where a request may say who it is from, beside its connection's certificate. */
const CREDENTIAL_HEADERS = ['authorization', 'x-remote-user', 'sec-websocket-protocol'];

/** Who is at the other end. A connection whose certificate says it is asked once a minute, not once a request. */
function identifier(authenticator: Authenticator): (exchange: Exchange) => Promise<UserInfo> {
  const known = new WeakMap<TLSSocket, { user: UserInfo; until: number }>();
  return async ({ socket, headers, rawHeaders }) => {
    const isPlain = !CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
    const cached = isPlain ? known.get(socket) : undefined;
    if (cached && cached.until > Date.now()) return cached.user;
    const user = await authenticator.authenticate({
      peerCertificate: socket.getPeerCertificate?.(),
      tlsAuthorized: socket.authorized,
      authorization: headers.authorization,
      headers: headersFromRaw(rawHeaders),
    });
    if (isPlain) known.set(socket, { user, until: Date.now() + TRUST_MS });
    return user;
  };
}
