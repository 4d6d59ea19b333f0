import { copyFile, rm, stat, truncate } from 'node:fs/promises';

/** When a log is cut. What was in it stays beside it, as `.1`, until the next time. */
export const LARGEST_LOG_BYTES = 5 << 20;
const INTERVAL_MS = 60_000;

/**
 * Cuts a log that has become too large. Whoever writes it has it open and appends to it, wherever it is: it is copied
 * and emptied in place, and loses at most what was written in between.
 */
export async function cutLog(path: string, largestBytes: number = LARGEST_LOG_BYTES): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= largestBytes) return;
  // On a full disk room is worth more than what was said.
  await copyFile(path, `${path}.1`).catch(() => rm(`${path}.1`, { force: true }));
  await truncate(path);
}

/** Looks after logs until `signal` aborts. */
export function keepLogsBound(paths: readonly string[], onError: (error: unknown) => void, signal: AbortSignal): void {
  const cutLogs = (): void => {
    Promise.all(paths.map((path) => cutLog(path))).catch(onError);
  };
  cutLogs();
  const timer = setInterval(cutLogs, INTERVAL_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
