import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import tls, { type TLSSocket } from 'node:tls';
import { FLAG, FRAME, frame, MAX_WINDOW, PREFACE, settings, statusOf, windowUpdate } from './frames.ts';

/** Where a server is reached, and as whom. Paths of PEM files. */
export interface Endpoint {
  readonly port: number;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** What becomes of a request. */
export interface Exchange {
  /** A piece of the body; valid during the call only. */
  onData?(chunk: Buffer): void;
  onHeaders?(): void;
  onEnd(status: number): void;
}

interface OpenStream extends Exchange {
  status: number;
}

const DEFAULT_WINDOW = 65_535;

/**
 * An HTTP/2 connection that does as little as it can. Node's own client costs more than a server's answer: with it the
 * client would be measured. It sends a body only while nothing else on the connection is being sent, and only bodies
 * below the 64 KB that any server takes unasked, so it need not count what the server lets it send.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #streams = new Map<number, OpenStream>();
  #nextId = 1;
  #rest: Buffer = Buffer.alloc(0);
  #received = 0;
  #error: Error | undefined;

  static async open({ port, ca, certificate, key }: Endpoint): Promise<Connection> {
    const socket = tls.connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ALPNProtocols: ['h2'],
      ca: readFileSync(ca),
      cert: readFileSync(certificate),
      key: readFileSync(key),
    });
    await once(socket, 'secureConnect');
    return new Connection(socket);
  }

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server has closed the connection')));
    socket.write(Buffer.concat([PREFACE, settings(), windowUpdate(MAX_WINDOW - DEFAULT_WINDOW)]));
  }

  /** Why the connection can be used no more. */
  get error(): Error | undefined {
    return this.#error;
  }

  request(block: Buffer, body: Buffer | undefined, exchange: Exchange): void {
    if (this.#error) throw this.#error;
    const id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(id, { onData: exchange.onData, onHeaders: exchange.onHeaders, onEnd: exchange.onEnd, status: 0 });
    if (!body) {
      this.#socket.write(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, id, block));
      return;
    }
    const headers = frame(FRAME.headers, FLAG.endHeaders, id, block);
    this.#socket.write(Buffer.concat([headers, frame(FRAME.data, FLAG.endStream, id, body)]));
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 9) {
      const length = bytes.readUIntBE(at, 3);
      if (bytes.length - at < 9 + length) break;
      const payload = bytes.subarray(at + 9, at + 9 + length);
      this.#handle(bytes[at + 3]!, bytes[at + 4]!, bytes.readUInt32BE(at + 5), payload);
      at += 9 + length;
    }
    this.#rest = bytes.subarray(at);
  }

  #handle(type: number, flags: number, id: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    switch (type) {
      case FRAME.data:
        this.#count(payload.length);
        stream?.onData?.(payload);
        break;
      case FRAME.headers:
        if (stream && stream.status === 0) {
          stream.status = statusOf(payload);
          stream.onHeaders?.();
        }
        break;
      case FRAME.settings:
        if (!(flags & FLAG.ack)) this.#socket.write(frame(FRAME.settings, FLAG.ack, 0));
        return;
      case FRAME.ping:
        if (!(flags & FLAG.ack)) this.#socket.write(frame(FRAME.ping, FLAG.ack, 0, payload));
        return;
      case FRAME.resetStream:
        this.#fail(new Error(`the server has reset stream ${id} with code ${payload.readUInt32BE()}`));
        return;
      case FRAME.goAway:
        this.#fail(new Error(`the server goes away with code ${payload.readUInt32BE(4)}`));
        return;
      default:
        return;
    }
    if (flags & FLAG.endStream && stream) {
      this.#streams.delete(id);
      stream.onEnd(stream.status);
    }
  }

  /** Lets the server send on before the window of the connection is used up. */
  #count(length: number): void {
    this.#received += length;
    if (this.#received < MAX_WINDOW / 4) return;
    this.#socket.write(windowUpdate(this.#received));
    this.#received = 0;
  }

  /** Every request that is open ends with status 0. */
  #fail(error: Error): void {
    if (this.#error) return;
    this.#error = error;
    this.#socket.destroy();
    const open = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of open) stream.onEnd(0);
  }
}
