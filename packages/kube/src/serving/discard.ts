import type { Readable } from 'node:stream';

/** More than any client sends by mistake. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 60_000;

/**
 * Reads a body that nobody asked for and forgets it. A client that still sends when its answer comes would otherwise
 * meet a broken stream, and may never see the answer. One that goes on sending for too long is `cut` off.
 */
export function discard(input: Readable, cut: () => void): void {
  if (input.readableEnded || input.destroyed) return;
  const timer = setTimeout(cut, MAX_MS).unref();
  let left = MAX_BYTES;
  input.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  // Over HTTP/2 a stream closes with its answer, which may go on long after the body has ended.
  for (const over of ['end', 'close']) input.once(over, () => clearTimeout(timer));
}
