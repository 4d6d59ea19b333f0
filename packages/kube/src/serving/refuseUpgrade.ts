import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@vireo/api/errors.ts';
import { discard } from './discard.ts';

/** What a client is told of an error. What is not an ApiError is the server's fault; its text stays in the log. */
export const statusOf = (error: unknown): ApiError['status'] =>
  (error instanceof ApiError ? error : new ApiError('InternalError', 'Internal error occurred')).status;

/** Answers a request for an upgrade with an error instead. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOf(error);
  const body = JSON.stringify(status);
  // What the client still sends would make the system reset the connection, and the answer with it.
  discard(socket, () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status.code} ${STATUS_CODES[status.code] ?? 'Error'}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
