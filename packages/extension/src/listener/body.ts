import type { Readable } from 'node:stream';
import { ApiError } from '@vireo/api';
import type { UserInfo } from '../http.ts';

/** Who asks where nobody is asked who. */
export const NOBODY: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** As much as API servers take. */
const MOST_BYTES = 3 * 1024 * 1024;

/** The whole body, or 413 when it is too long. */
export async function readBody(input: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Breaking off must not destroy what the answer goes back over.
  for await (const chunk of input.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) break;
    chunks.push(chunk);
  }
  if (length <= MOST_BYTES) return Buffer.concat(chunks, length);
  // What is still coming is dropped, so that the next request gets through.
  input.on('data', () => {});
  input.resume();
  throw new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${MOST_BYTES}`);
}
