import type { Readable, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';

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
