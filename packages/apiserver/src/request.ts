import type { UnknownObject } from '@vireo/api';
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
  /** Decoded once where it is parsed; as received here, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user: UserInfo;
  readonly body?: RequestBody;
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

export interface ObjectResponse extends ResponseBase {
  readonly type: 'object';
  readonly object: unknown;
  /** Where the object came straight from the store, its bytes need no second encoding. */
  readonly stored?: Stored;
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
  /** A frame: encoded lazily, so that in-process clients never pay for JSON. */
  write(frame: StreamFrame): void;
  end(): void;
  /** Bytes accepted and not yet taken by the client. */
  readonly bufferedBytes: number;
}

export type StreamFrame =
  | { readonly event: string; readonly object: unknown; readonly bytes: () => Buffer }
  | { readonly bytes: () => Buffer };

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;

export type { UnknownObject };
