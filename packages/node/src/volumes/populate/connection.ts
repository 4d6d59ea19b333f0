import type { IncomingMessage } from 'node:http';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { BufferedInput, bufferedInputOf } from './bufferedInput.ts';

export interface ConnectionOptions {
  readonly url: URL;
  /** Certificates to trust; for https alone. */
  readonly ca: readonly string[];
  /** How names become addresses; as this host does it where missing. */
  readonly lookup?: LookupFunction;
  /** A server that is silent for so long has broken off. */
  readonly idleMs: number;
}

const HEAD_BYTES = 1 << 16;

/**
 * A connection for one request. Node's HTTP parser reads the head of the answer; a body whose length is known passes
 * the parser by, into memory that is used again and again. A large file takes a fifth of the processor time that way.
 */
export class Connection extends Duplex {
  readonly #socket: Socket;
  readonly #head = Buffer.allocUnsafeSlow(HEAD_BYTES);
  #body: BufferedInput | undefined;
  #missingBytes = 0;
  /** Whether what the socket reads goes into the body's own memory. */
  #isDirect = false;

  constructor({ url, ca, lookup, idleMs }: ConnectionOptions) {
    // One piece at a time goes to the parser: whatever comes after the head is still here when that has been read.
    super({ readableHighWaterMark: 1 });
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const isTls = url.protocol === 'https:';
    const port = Number(url.port) || (isTls ? 443 : 80);
    const onread = {
      buffer: () => (this.#isDirect && this.#body?.room) || this.#head,
      callback: (count: number, bytes: Uint8Array) => this.#received(count, bytes),
    };
    const options = { host, port, onread, ...(lookup && { lookup }) };
    const security = { ca: [...ca], ...(isIP(host) === 0 && { servername: host }) };
    this.#socket = isTls ? connectTls({ ...options, ...security }) : connectPlain(options);
    const silent = (): Error => new Error(`the server sent nothing for ${idleMs / 1000} s`);
    this.#socket.setTimeout(idleMs, () => this.destroy(silent()));
    this.#socket.once('end', () => (this.#body ? this.#body.end() : this.push(null)));
    this.#socket.once('error', (error) => this.destroy(error));
    this.#socket.once('close', () => this.destroy());
  }

  /** The body of an answer, to be asked for as soon as its head is there. */
  bodyOf(response: IncomingMessage): AsyncIterable<Buffer> {
    const { statusCode, headers } = response;
    const length = Number(headers['content-length'] ?? Number.NaN);
    const isPlain = Number.isSafeInteger(length) && headers['transfer-encoding'] === undefined;
    if (!isPlain || (statusCode !== 200 && statusCode !== 206)) return bufferedInputOf(response);
    const body = new BufferedInput({ resume: () => this.#socket.resume(), stop: () => this.destroy() });
    this.#body = body;
    this.#missingBytes = length;
    // The parser never sees the end of this answer, and takes the end of the connection for a fault.
    response.on('error', () => {});
    // It goes on with the piece that ends the head before it comes to this.
    queueMicrotask(() => {
      const begun: Buffer | null = response.read();
      if (begun) this.#take(begun);
      this.#isDirect = true;
      if (this.#missingBytes === 0) this.#finish();
    });
    return body;
  }

  #received(count: number, bytes: Uint8Array): boolean {
    const isHead = bytes.buffer === this.#head.buffer;
    if (!this.#body) return this.push(Buffer.from(bytes.subarray(0, count)));
    if (isHead) this.#take(this.#head.subarray(0, count));
    else {
      const wanted = Math.min(count, this.#missingBytes);
      this.#missingBytes -= wanted;
      this.#body.filled(wanted);
    }
    if (this.#missingBytes > 0) return this.#body.hasRoom;
    this.#finish();
    return false;
  }

  #take(bytes: Buffer): void {
    const wanted = bytes.subarray(0, this.#missingBytes);
    this.#missingBytes -= wanted.length;
    this.#body?.push(wanted);
  }

  #finish(): void {
    this.#body?.end();
    this.destroy();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#body?.end(error ?? undefined);
    this.#socket.destroy();
    done(error);
  }
}
