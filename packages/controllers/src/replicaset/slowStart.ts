export interface BatchResult {
  readonly succeeded: number;
  /** The first error; what was left then was not tried. */
  readonly error?: unknown;
}

/**
 * Calls `attempt` `count` times in parallel batches: first `initial` at once, then twice as many in each batch for as
 * long as all succeed. Where one is refused mostly all are, and then few have been asked for.
 */
export async function slowStartBatch(count: number, attempt: () => Promise<void>, initial = 1): Promise<BatchResult> {
  let succeeded = 0;
  for (let batch = initial; succeeded < count; batch *= 2) {
    const size = Math.min(batch, count - succeeded);
    const results = await Promise.allSettled(Array.from({ length: size }, attempt));
    const rejected = results.filter((each) => each.status === 'rejected');
    succeeded += size - rejected.length;
    if (rejected[0]) return { succeeded, error: rejected[0].reason };
  }
  return { succeeded };
}
