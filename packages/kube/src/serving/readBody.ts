import type { Readable } from 'node:stream';
import { ApiError, badRequest, tooLarge } from '@vireo/api/errors.ts';
import { discard } from './discard.ts';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;
const BODY_TIMEOUT_MS = 60_000;

/** The whole body, or 413 as soon as it is known to be too long, or 408 when it does not come. */
export function readBody(input: Readable, declaredLength: string | undefined): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > MAX_BODY_BYTES) {
    discard(input, () => input.destroy());
    return Promise.reject(tooLarge(MAX_BODY_BYTES));
  }
  // HTTP/2 ends an empty body as soon as that is known, whether or not anybody listens already.
  if (input.readableEnded) return Promise.resolve(Buffer.alloc(0));
  if (input.destroyed) return Promise.reject(badRequest('the request was cut off'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(
      () => finish(new ApiError('Timeout', 'the body of the request did not arrive in time', {}, 408)),
      BODY_TIMEOUT_MS,
    );
    let isDone = false;
    const finish = (error?: Error): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      input.removeListener('data', onData);
      if (error) {
        // What is still coming is dropped, so that the answer gets through.
        discard(input, () => input.destroy());
        reject(error);
      } else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) finish(tooLarge(MAX_BODY_BYTES));
      else chunks.push(chunk);
    };
    input.on('data', onData);
    input.once('end', () => finish());
    input.once('error', (error) => finish(error));
    input.once('aborted', () => finish(badRequest('the request was aborted')));
    input.once('close', () => finish(input.readableEnded ? undefined : badRequest('the request was cut off')));
  });
}
