import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/**
 * Requests as an API server hands them to an extension: by function call where both are in one process, by a TLS
 * listener on a cluster. The shapes are those of the embedded server, so that its services fit without an adapter.
 */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Who asks, as the API server found out. */
  readonly user: UserInfo;
  readonly body: () => Promise<RequestBody | undefined>;
  /** The body as it comes, for what is too large to be read at once; missing where the caller has it in memory. */
  readonly input?: () => Readable;
  readonly signal: AbortSignal;
}

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type RequestBody =
  | { readonly bytes: Buffer; readonly contentType: string }
  | { readonly value: unknown; readonly contentType: string };

interface ResponseBase {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts for `Warning: 299` headers. */
  readonly warnings?: readonly string[];
}

export type ServiceResponse = ObjectResponse | BytesResponse | StreamResponse;

export interface ObjectResponse extends ResponseBase {
  readonly type: 'object';
  readonly object: () => unknown;
}

export interface BytesResponse extends ResponseBase {
  readonly type: 'bytes';
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** An answer that is made while it is sent. */
export interface StreamResponse extends ResponseBase {
  readonly type: 'stream';
  readonly contentType: string;
  /** Starts delivery; returns what to call when the client has gone. */
  readonly start: (sink: StreamSink) => () => void;
}

export interface StreamSink {
  write(frame: { readonly bytes: () => Buffer }): void;
  end(): void;
  /** Breaks the answer off: whoever reads it must not take it for whole. */
  fail(): void;
  readonly bufferedBytes: number;
  /** Calls back once when `bufferedBytes` has gone down. */
  onDrain(callback: () => void): void;
}

export type ServiceHandler = (request: ServiceRequest) => Promise<ServiceResponse>;

/** Takes over a connection that asks for a WebSocket. Refuses by throwing before anything is written. */
export type UpgradeHandler = (
  request: ServiceRequest,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<void>;

export const objectResponse = (object: unknown, status = 200): ServiceResponse => ({
  type: 'object',
  status,
  object: () => object,
});

export const bytesResponse = (bytes: Buffer, contentType: string, status = 200): ServiceResponse => ({
  type: 'bytes',
  status,
  contentType,
  bytes,
});

/** Said by the status alone. */
export const emptyResponse = (status: number): ServiceResponse => bytesResponse(Buffer.alloc(0), 'text/plain', status);

/** A file, sent as it is read. What goes wrong on the way breaks the answer off. */
export const downloadResponse = (
  data: Readable,
  { filename, contentType = 'application/octet-stream' }: { filename: string; contentType?: string },
): ServiceResponse => ({
  type: 'stream',
  status: 200,
  contentType,
  headers: { 'content-disposition': `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"` },
  start(sink) {
    data.on('data', (bytes: Buffer) => {
      sink.write({ bytes: () => bytes });
      if (sink.bufferedBytes < MOST_BUFFERED_BYTES) return;
      data.pause();
      sink.onDrain(() => data.resume());
    });
    data.once('end', () => sink.end());
    data.once('error', () => sink.fail());
    return () => data.destroy();
  },
});

const MOST_BUFFERED_BYTES = 1 << 20;
