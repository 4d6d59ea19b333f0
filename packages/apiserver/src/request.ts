import type { Readable } from 'node:stream';
import { PAGE_NOT_FOUND } from '@vireo/api';
import type { Stored } from './store/store.ts';

/** Who asks. Groups include `system:authenticated` or `system:unauthenticated`. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A request after authentication, whichever carrier brought it. */
export interface ApiRequest {
  readonly method: string;
  /** As received, without the query; `requestInfo.ts` decodes it. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user: UserInfo;
  /** Reads the body; undefined when there is none. Called at most once. */
  readonly body: () => Promise<RequestBody | undefined>;
  /** The body as it comes, of any size; in place of `body`. Missing in process, where bodies are values. */
  readonly input?: () => Readable;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** Bytes from a socket, or a JSON value handed over in process (never changed by the server). */
export type RequestBody =
  | { readonly bytes: Buffer; readonly contentType: string }
  | { readonly value: unknown; readonly contentType: string };

/** What a handler answers; the carrier encodes it. */
export type ApiResponse = ObjectResponse | BytesResponse | StreamResponse;

interface ResponseBase {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts for `Warning: 299` headers. */
  readonly warnings?: readonly string[];
}

/** A JSON value. In-process clients take `object()`, sockets take `bytes()`: neither pays for the other's form. */
export interface ObjectResponse extends ResponseBase {
  readonly type: 'object';
  readonly object: () => unknown;
  readonly bytes?: () => Buffer;
  readonly contentType?: string;
  /** To be written as protobuf; otherwise the Accept header decides. */
  readonly protobuf?: true;
}

export interface BytesResponse extends ResponseBase {
  readonly type: 'bytes';
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A response that goes on: a watch, a followed log. */
export interface StreamResponse extends ResponseBase {
  readonly type: 'stream';
  readonly contentType: string;
  /** Starts delivery; returns what to call when the client has gone. */
  readonly start: (sink: StreamSink) => () => void;
}

export interface StreamSink {
  write(frame: StreamFrame): void;
  end(): void;
  /** Breaks the answer off: whoever reads it must not take it for whole. */
  fail(): void;
  /** Frames accepted and not yet taken by the client, in bytes. */
  readonly bufferedBytes: number;
  /** Calls back once when `bufferedBytes` has gone down. */
  onDrain(callback: () => void): void;
}

/** A piece of a stream. Watch events carry their object, so that in-process clients need no JSON. */
export interface StreamFrame {
  readonly type?: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object?: unknown;
  readonly bytes: () => Buffer;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;

export const objectResponse = (
  object: unknown,
  status = 200,
  extra: Partial<Omit<ObjectResponse, 'type' | 'status'>> = {},
): ObjectResponse => ({ type: 'object', status, object: () => object, ...extra });

export const storedResponse = (stored: Stored, status = 200, warnings?: readonly string[]): ObjectResponse => ({
  type: 'object',
  status,
  object: () => stored.object,
  bytes: () => stored.bytes,
  ...(warnings?.length && { warnings }),
});

export const textResponse = (text: string, status = 200, contentType = 'text/plain; charset=utf-8'): BytesResponse => ({
  type: 'bytes',
  status,
  contentType,
  bytes: Buffer.from(text),
});

/** A path below which nothing is served: no Status, but what any web server says. */
export const pageNotFound = (): BytesResponse => ({
  ...textResponse(PAGE_NOT_FOUND, 404),
  headers: { 'x-content-type-options': 'nosniff' },
});
