import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type ApiResponse, type StreamSink, statusOf, warningHeaders } from '@vireo/kube';

const JSON_TYPE = 'application/json';

/** Writes an answer. */
export function respond(response: ServerResponse, answer: ApiResponse): void {
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
