import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 3;

/** Resolves when the guest has printed something: its log is there and not empty. */
export async function firstByte(log: string, deadlineMs = 120_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!statSync(log, { throwIfNoEntry: false })?.size) {
    if (performance.now() > deadline) throw new Error(`the guest has printed nothing to ${log} for ${deadlineMs} ms`);
    await sleep(POLL_MS);
  }
}
