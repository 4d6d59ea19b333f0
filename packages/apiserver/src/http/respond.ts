import { ApiError } from '@vireo/api';
import {
  type ApiResponse,
  type BytesResponse,
  type Exchange,
  type ObjectResponse,
  objectResponse,
  statusOf,
  warningHeaders,
} from '@vireo/kube';
import { stringify } from 'yaml';
import { encodingFor } from '../accept.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../decode/body.ts';
import { protobufAnswer } from '../protobuf/bodies.ts';
import type { OpenStreams } from './streams.ts';

/** Writes an answer to its exchange. */
export function respond(exchange: Exchange, response: ApiResponse, streams: OpenStreams): void {
  const headers: Record<string, string | string[]> = { ...response.headers };
  if (response.warnings?.length) headers.warning = warningHeaders(response.warnings);
  if (response.type === 'stream') {
    headers['content-type'] = response.contentType;
    headers['cache-control'] = 'no-cache, private';
    // Only the headers are asked for: there is nothing to stream.
    if (exchange.method === 'HEAD') exchange.send(response.status, headers, Buffer.alloc(0));
    else streams.start(exchange, response, headers);
    return;
  }
  const [contentType, bytes] = encode(response, exchange.headers.accept);
  headers['content-type'] = contentType;
  exchange.send(response.status, headers, bytes);
}

function encode(response: ObjectResponse | BytesResponse, accept: string | undefined): [string, Buffer] {
  if (response.type === 'bytes') return [response.contentType, response.bytes];
  const encoding = response.protobuf ? 'protobuf' : encodingFor(accept);
  if (encoding === 'yaml') return [YAML_TYPE, Buffer.from(stringify(shown(response)))];
  const protobuf = encoding === 'protobuf' && protobufAnswer(response.object());
  if (protobuf) return [PROTOBUF_TYPE, protobuf];
  const bytes = response.bytes ? response.bytes() : Buffer.from(JSON.stringify(response.object()));
  return [response.contentType ?? JSON_TYPE, bytes];
}

/** What the bytes say, which leave out of lists what in-process clients find in the objects. */
const shown = ({ bytes, object }: ObjectResponse): unknown => (bytes ? JSON.parse(bytes().toString()) : object());

/** Anything thrown becomes a Status. What is not an ApiError is our fault; its text stays in the log. */
export function respondError(exchange: Exchange, error: unknown, log: (error: unknown) => void): void {
  if (!(error instanceof ApiError)) log(error);
  const status = statusOf(error);
  const [contentType, bytes] = encode(objectResponse(status), exchange.headers.accept);
  const headers: Record<string, string> = { 'content-type': contentType };
  if (status.details?.retryAfterSeconds) headers['retry-after'] = String(status.details.retryAfterSeconds);
  if (status.code === 401) headers['www-authenticate'] = 'Bearer realm="kubernetes"';
  exchange.send(status.code, headers, bytes);
}
