import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { discard } from './discard.ts';

/** One request and its answer, over HTTP/1.1 or HTTP/2. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names and values in turn, repeated ones kept apart. */
  readonly rawHeaders: readonly string[];
  /** Undefined where the connection has gone already. */
  readonly socket: TLSSocket | undefined;
  readonly input: Readable;
  /** Headers, and the body in one piece. An answer that has already begun cannot be taken back: it is cut off. */
  send(status: number, headers: Record<string, string | string[]>, body: Buffer): void;
  /** Headers now; the body is written to what comes back. */
  open(status: number, headers: Record<string, string | string[]>): Writable;
  onClose(callback: () => void): void;
  /** Cuts the exchange off without an answer. */
  destroy(): void;
}

/** A 204 has no body, and must not say how long it is. */
const lengthOf = (status: number, body: Buffer): Record<string, number> =>
  status === 204 ? {} : { 'content-length': body.length };

export class Http2Exchange implements Exchange {
  readonly #stream: ServerHttp2Stream;
  readonly headers: Readonly<Record<string, string | undefined>>;

  readonly rawHeaders: readonly string[];

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    this.#stream = stream;
    this.rawHeaders = rawHeaders;
    this.headers = headers as Record<string, string | undefined>;
    stream.on('error', () => stream.close());
  }

  get method(): string {
    return this.headers[':method'] ?? 'GET';
  }

  get target(): string {
    return this.headers[':path'] ?? '/';
  }

  get socket(): TLSSocket | undefined {
    return this.#stream.session?.socket as TLSSocket | undefined;
  }

  get input(): Readable {
    return this.#stream;
  }

  send(status: number, headers: Record<string, string | string[]>, body: Buffer): void {
    if (this.#stream.destroyed) return;
    if (this.#stream.headersSent) {
      this.destroy();
      return;
    }
    this.#dropBody();
    this.#stream.respond({ ':status': status, ...headers, ...lengthOf(status, body) });
    // A status that has no body, such as 204, ends the stream at once; an end after that would break it.
    if (this.#stream.writableEnded) return;
    if (this.method === 'HEAD') this.#stream.end();
    else this.#stream.end(body);
  }

  open(status: number, headers: Record<string, string | string[]>): Writable {
    this.#dropBody();
    if (!this.#stream.destroyed && !this.#stream.headersSent) this.#stream.respond({ ':status': status, ...headers });
    return this.#stream;
  }

  /** HTTP/2 breaks a stream off whose answer is complete before anybody has read its body; HTTP/1.1 reads it by itself. */
  #dropBody(): void {
    if (this.#stream.endAfterHeaders || this.#stream.readableFlowing !== null) return;
    discard(this.#stream, () => this.destroy());
  }

  onClose(callback: () => void): void {
    this.#stream.once('close', callback);
  }

  destroy(): void {
    this.#stream.destroy(new Error('the response could not be completed'));
  }
}

export class Http1Exchange implements Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    request.on('error', () => response.destroy());
    response.on('error', () => response.destroy());
  }

  get method(): string {
    return this.#request.method ?? 'GET';
  }

  get target(): string {
    return this.#request.url ?? '/';
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return this.#request.headers as Record<string, string | undefined>;
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  get socket(): TLSSocket {
    return this.#request.socket as TLSSocket;
  }

  get input(): Readable {
    return this.#request;
  }

  send(status: number, headers: Record<string, string | string[]>, body: Buffer): void {
    if (this.#response.destroyed) return;
    if (this.#response.headersSent) {
      this.destroy();
      return;
    }
    this.#response.writeHead(status, { ...headers, ...lengthOf(status, body) });
    if (this.method === 'HEAD') this.#response.end();
    else this.#response.end(body);
  }

  open(status: number, headers: Record<string, string | string[]>): Writable {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    return this.#response;
  }

  onClose(callback: () => void): void {
    this.#response.once('close', callback);
  }

  destroy(): void {
    this.#response.destroy();
  }
}
