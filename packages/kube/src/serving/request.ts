import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { WatchEvent } from '../transport.ts';

/** Who asks. Groups include `system:authenticated` or `system:unauthenticated`. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * A request to whatever serves an API, after authentication: the API server, and the extensions that it hands requests
 * on to, by function call in the same process and over TLS on a cluster.
 */
export interface ApiRequest {
  readonly method: string;
  /** As received, without the query. */
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
  /** Under which the request is found in an audit log. Missing in process: whoever logs makes one. */
  readonly auditId?: string | undefined;
  /** Where the request came from. Missing in process. */
  readonly remoteAddress?: string | undefined;
}

/** Bytes from a socket, or a JSON value handed over in process (never changed by the server). */
export type RequestBody =
  | { readonly bytes: Buffer; readonly contentType: string }
  | { readonly value: unknown; readonly contentType: string };

/** What a handler answers; the transport encodes it. */
export type ApiResponse = ObjectResponse | BytesResponse | StreamResponse;

interface ResponseBase {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
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
  /** It ends by itself, and is of use only as a whole: a client may take as long for it as it likes. */
  readonly isDownload?: true;
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
  readonly type?: WatchEvent['type'];
  readonly object?: unknown;
  readonly bytes: () => Buffer;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;

/** Takes over a connection that asks for an upgrade (WebSocket). Refuses by throwing before anything is written. */
export type UpgradeHandler = (
  request: ApiRequest,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<void>;

/**
 * The path and the query of a request as they were sent. Nothing is made better on the way, as a URL would do: whoever
 * decides by the path and whoever serves it see the same one.
 */
export function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?');
  return {
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
  };
}

/** Whether a header (in lower case) proves or claims an identity. Whoever serves is told by `user` alone. */
export const isCredential = (name: string): boolean =>
  name === 'authorization' || name.startsWith('x-remote-') || name.startsWith('impersonate-');
