import { ApiError } from '@vireo/api';
import { warningHeaders } from '../warnings.ts';
import type { Exchange } from './exchange.ts';
import { statusOf } from './refuseUpgrade.ts';
import type { ApiResponse, BytesResponse, ObjectResponse } from './request.ts';
import { objectResponse } from './responses.ts';
import type { OpenStreams } from './streams.ts';

/** The content type and the bytes of an answer that is sent in one piece. */
export type Encode = (
  response: ObjectResponse | BytesResponse,
  accept: string | undefined,
) => readonly [contentType: string, bytes: Buffer];

export const asJson: Encode = (response) => {
  if (response.type === 'bytes') return [response.contentType, response.bytes];
  const bytes = response.bytes ? response.bytes() : Buffer.from(JSON.stringify(response.object()));
  return [response.contentType ?? 'application/json', bytes];
};

/** Writes an answer to its exchange. `always` are headers that every answer to this request has. */
export function respond(
  exchange: Exchange,
  response: ApiResponse,
  streams: OpenStreams,
  encode = asJson,
  always: Readonly<Record<string, string>> = {},
): void {
  const headers: Record<string, string | string[]> = { ...always, ...response.headers };
  if (response.warnings?.length) headers.warning = warningHeaders(response.warnings);
  if (response.type === 'stream') {
    headers['content-type'] = response.contentType;
    headers['cache-control'] ??= 'no-cache, private';
    // Only the headers are asked for: there is nothing to stream.
    if (exchange.method === 'HEAD') exchange.send(response.status, headers, Buffer.alloc(0));
    else streams.start(exchange, response, headers);
    return;
  }
  const [contentType, bytes] = encode(response, exchange.headers.accept);
  headers['content-type'] = contentType;
  exchange.send(response.status, headers, bytes);
}

/**
 * Anything thrown becomes a Status. What is not an ApiError is our fault; its text stays in the log. An error that cannot
 * be told, because somebody else gave it a code or details that are none, ends the exchange and nothing more.
 */
export function respondError(
  exchange: Exchange,
  error: unknown,
  log: (error: unknown) => void,
  encode = asJson,
  always: Readonly<Record<string, string>> = {},
): void {
  if (!(error instanceof ApiError)) log(error);
  try {
    sendError(exchange, error, encode, always);
  } catch (untold) {
    log(untold);
    exchange.destroy();
  }
}

function sendError(exchange: Exchange, error: unknown, encode: Encode, always: Readonly<Record<string, string>>): void {
  const status = statusOf(error);
  const [contentType, bytes] = encode(objectResponse(status), exchange.headers.accept);
  const headers: Record<string, string | string[]> = { ...always, 'content-type': contentType };
  if (error instanceof ApiError && error.warnings.length > 0) headers.warning = warningHeaders(error.warnings);
  if (status.details?.retryAfterSeconds) headers['retry-after'] = String(status.details.retryAfterSeconds);
  if (status.code === 401) headers['www-authenticate'] = 'Bearer realm="kubernetes"';
  exchange.send(status.code, headers, bytes);
}
