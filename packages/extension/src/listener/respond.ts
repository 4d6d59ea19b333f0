import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@vireo/api';
import { warningHeaders } from '@vireo/kube';
import type { ServiceResponse, StreamSink } from '../http.ts';

const JSON_TYPE = 'application/json';

/** Writes an answer. */
export function respond(response: ServerResponse, answer: ServiceResponse): void {
  if (response.destroyed) return;
  const { status, warnings = [] } = answer;
  const headers: OutgoingHttpHeaders = {
    ...answer.headers,
    ...(warnings.length > 0 && { warning: warningHeaders(warnings).join(', ') }),
  };
  if (answer.type === 'stream') {
    response.writeHead(status, { ...headers, 'content-type': answer.contentType });
    response.once('close', answer.start(sinkOf(response)));
    return;
  }
  const bytes = answer.type === 'bytes' ? answer.bytes : Buffer.from(JSON.stringify(answer.object()));
  const contentType = answer.type === 'bytes' ? answer.contentType : JSON_TYPE;
  response.writeHead(status, { ...headers, 'content-type': contentType, 'content-length': bytes.length }).end(bytes);
}

const sinkOf = (response: ServerResponse): StreamSink => ({
  write: ({ bytes }) => {
    if (!response.destroyed) response.write(bytes());
  },
  end: () => response.end(),
  fail: () => response.destroy(),
  get bufferedBytes() {
    return response.writableLength;
  },
  onDrain: (callback) => response.once('drain', callback),
});

const statusOf = (error: unknown) =>
  (error instanceof ApiError ? error : new ApiError('InternalError', 'Internal error occurred')).status;

/** What went wrong, as a Status. */
export function respondError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = statusOf(error);
  const bytes = Buffer.from(JSON.stringify(status));
  response.writeHead(status.code, { 'content-type': JSON_TYPE, 'content-length': bytes.length }).end(bytes);
}

/** The same in place of a WebSocket. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOf(error);
  const body = JSON.stringify(status);
  // What the client still sends would make the system reset the connection, and the answer with it.
  socket.resume();
  socket.end(
    `HTTP/1.1 ${status.code} ${STATUS_CODES[status.code] ?? 'Error'}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
