import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

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

export type ServiceResponse =
  | { readonly type: 'object'; readonly status: number; readonly object: () => unknown }
  | { readonly type: 'bytes'; readonly status: number; readonly contentType: string; readonly bytes: Buffer };

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
