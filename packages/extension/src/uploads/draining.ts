import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

const DRAIN_MS = 10_000;

/** What a stream gives. Whoever is refused reads why: to stop reading must not cut the connection. */
export const iterateKeepingOpen = (input: Readable): AsyncIterable<Buffer> =>
  input.iterator({ destroyOnReturn: false });

/** Lets the rest of what is sent pass, for a while: who sends reads no response before. */
export async function drain(input: Readable): Promise<void> {
  if (input.readableEnded || input.destroyed) return;
  input.resume();
  // Of HTTP/2 the stream is also what the response is written to, which has not been begun yet.
  const options = { writable: false, signal: AbortSignal.timeout(DRAIN_MS), cleanup: true };
  await finished(input, options).catch(() => {});
}
