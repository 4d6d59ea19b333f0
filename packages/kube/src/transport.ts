/**
 * How a client reaches an API server: over HTTP/2, or by a function call in the same process. Both behave alike; the
 * contract suite in `testing/contract/` runs over both. Objects that come out are never changed in place.
 */
export interface Transport {
  /**
   * Resolves whatever the HTTP status; rejects only when no answer came: with the signal's reason after an abort, else
   * with what broke.
   */
  call(request: ApiCall): Promise<ApiCallResult>;
  /**
   * Opens a watch. Rejects with ApiError on a status other than 200. The iterator ends when the server closes the
   * stream or the signal aborts, and throws when the connection breaks. ERROR events are yielded as they come. Once the
   * signal has aborted nothing is opened: rejects with its reason.
   */
  watch(request: ApiCall): Promise<AsyncIterable<WatchEvent>>;
  /** Ends every watch, and takes no more calls. */
  close(): Promise<void>;
}

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path without the query, each segment already escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** A JSON value; sent as `contentType`. */
  readonly body?: unknown;
  /** Default: application/json. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** What came back for an ApiCall, whatever its HTTP status. */
export interface ApiCallResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed if the response is JSON, else text. */
  readonly body: unknown;
}

export interface WatchEvent<T = unknown> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}
