import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Persisted, Pod } from '@vireo/api';
import type { ApiResponse } from './request.ts';

/** What a node offers to the extension. HTTP/1.1, with WebSockets for streams. */
export interface NodeApi {
  handle(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Only of a node in the same process: the same as an upload by request. Rejects with an error that has the HTTP
   * status for the sender as its `status`.
   */
  upload?(upload: NodeUpload): Promise<void>;
  /** Only of a node in the same process: the data of a claim. Rejects with ApiError. */
  exported?(asked: NodeExportRequest): Promise<NodeExport>;
}

/** What the API server asks of a node. */
export interface NodeLogs {
  /** What a kubelet serves at `/metrics/resource`: the CPU and memory of the node and of its containers. */
  resourceMetrics?(signal: AbortSignal): Promise<string>;
  /**
   * What a kubelet shows at a path: `/healthz`, `/metrics`, `/metrics/resource`, `/stats/summary` or `/pods`. Undefined:
   * the node does not have it.
   */
  show?(path: string, signal: AbortSignal): Promise<ApiResponse | undefined>;
  /** The log of a container; a stream while followed. */
  podLog(pod: Persisted<Pod>, container: string, query: URLSearchParams, signal: AbortSignal): Promise<ApiResponse>;
}

/** What is asked of a claim of a node. */
export interface NodeExportRequest {
  /** `namespace/name`. */
  readonly claim: string;
  /** `disk.img`, `disk.img.gz`, and of volumes with other files `disk.tar.gz`, `dir/` and `dir/<file>`. */
  readonly path: string;
  readonly method: string;
  /** Those that ask for a part: `range` and `if-range`. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly signal: AbortSignal;
}

/** An answer that is sent as it is made. It fails when a guest begins to write. */
export interface NodeExport {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

/** Data for a claim of a node. */
export interface NodeUpload {
  /** `namespace/name`. */
  readonly claim: string;
  /** A stream is not ended where the rest of it is not wanted: whoever is refused reads why. */
  readonly data: AsyncIterable<Buffer> | Readable;
  /** How much is to come, where the sender said so. */
  readonly totalBytes?: number;
  /** Whether it is enough that the data is there; what is left to do goes on. */
  readonly isAsync: boolean;
  readonly signal: AbortSignal;
}

/** How much data the headers of an upload announce, if they do. */
export function announcedLength(headers: Readonly<Record<string, string | string[] | undefined>>): {
  totalBytes?: number;
} {
  const text = headers['content-length'];
  return typeof text === 'string' && /^\d+$/.test(text) ? { totalBytes: Number(text) } : {};
}
