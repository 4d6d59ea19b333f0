import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 50;
const TIMEOUT_MS = 180_000;

/** Waits until something holds, asking again and again. */
export async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadlineMs = Date.now() + TIMEOUT_MS;
  while (!(await holds())) {
    if (Date.now() > deadlineMs) throw new Error(`timed out waiting for ${what}`);
    await delay(PAUSE_MS);
  }
}
