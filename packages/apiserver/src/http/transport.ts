import type { Readable } from 'node:stream';
import { ApiError } from '@vireo/api';
import {
  type ApiHandler,
  type ApiRequest,
  type Exchange,
  type OpenStreams,
  type RequestBody,
  readBody,
  respond,
  respondError,
  splitTarget,
  type UserInfo,
} from '@vireo/kube';
import { type Auditor, auditIdOf } from '../audit/auditor.ts';
import { senderOf } from '../audit/context.ts';
import type { ObservedResponse } from '../metrics/requests.ts';
import { encode } from './encode.ts';
import type { Identify } from './identity.ts';

export interface TransportParts {
  readonly handle: ApiHandler;
  readonly identify: Identify;
  readonly onError: (error: unknown, method: string, target: string) => void;
  readonly observe: (response: ObservedResponse) => void;
  readonly streams: OpenStreams;
  /** Logs those who are not let in; missing: nothing is logged. */
  readonly auditor?: Pick<Auditor, 'refused'>;
}

/** Headers that every answer to a request has. */
type Always = Readonly<Record<string, string>>;

/** Brings requests from the network to the handler, and its answers back. */
export function httpTransport(parts: TransportParts): (exchange: Exchange) => void {
  const { identify } = parts;
  return (exchange) => {
    const startedAt = performance.now();
    const disconnect = new Disconnect(exchange);
    const { method, target } = exchange;
    const sent = exchange.headers['audit-id'];
    // A header that is new with every answer costs a tenth of a GET: it is there for those who look for it.
    const always: Always = parts.auditor || sent !== undefined ? { 'audit-id': auditIdOf(sent) } : {};
    const observe = (status: number): void =>
      parts.observe({ method, target, status, seconds: (performance.now() - startedAt) / 1000 });
    serve(exchange, disconnect, always).then(observe, (error: unknown) => {
      respondError(exchange, error, (cause) => parts.onError(cause, method, target), encode, always);
      observe(error instanceof ApiError ? error.code : 500);
    });
  };

  async function serve(exchange: Exchange, disconnect: Disconnect, always: Always): Promise<number> {
    const user = await identified(exchange, always);
    const response = await parts.handle(new CarriedRequest(exchange, user, disconnect, always['audit-id']));
    if (!disconnect.hasHappened) respond(exchange, response, parts.streams, encode, always);
    return response.status;
  }

  async function identified(exchange: Exchange, always: Always): Promise<UserInfo> {
    try {
      return await identify(exchange);
    } catch (error) {
      const { method, target, headers, socket } = exchange;
      const from = { auditId: always['audit-id'], remoteAddress: socket?.remoteAddress };
      parts.auditor?.refused({ method, ...splitTarget(target), headers, ...from }, senderOf(error), error);
      throw error;
    }
  }
}

/** When the client goes away. Few requests ask, and a signal costs a quarter of a GET: it is made on demand. */
class Disconnect {
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
  readonly #disconnect: Disconnect;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ApiRequest['headers'];
  readonly user: UserInfo;

  readonly auditId?: string;

  constructor(exchange: Exchange, user: UserInfo, disconnect: Disconnect, auditId: string | undefined) {
    const { target, method, headers } = exchange;
    const { path, query } = splitTarget(target);
    this.#exchange = exchange;
    this.#disconnect = disconnect;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.user = user;
    if (auditId !== undefined) this.auditId = auditId;
  }

  get remoteAddress(): string | undefined {
    return this.#exchange.socket?.remoteAddress;
  }

  get signal(): AbortSignal {
    return this.#disconnect.signal;
  }

  readonly input = (): Readable => this.#exchange.input;

  readonly body = async (): Promise<RequestBody | undefined> => {
    const { headers } = this;
    const bytes = await readBody(this.#exchange.input, headers['content-length']);
    return bytes.length === 0 ? undefined : { bytes, contentType: headers['content-type'] ?? 'application/json' };
  };
}
