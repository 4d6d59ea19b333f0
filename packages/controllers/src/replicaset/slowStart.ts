/** How a number of attempts ended. */
export interface Attempts {
  readonly succeeded: number;
  /** Why it was given up. */
  readonly error?: unknown;
}

/**
 * Does something `count` times: `first` times, then twice as often at once for as long as all goes well. Where one is
 * refused mostly all are, and then few have been asked for.
 */
export async function slowStart(count: number, attempt: () => Promise<void>, first = 1): Promise<Attempts> {
  let succeeded = 0;
  for (let batch = first; succeeded < count; batch *= 2) {
    const size = Math.min(batch, count - succeeded);
    const ended = await Promise.allSettled(Array.from({ length: size }, attempt));
    const refused = ended.filter((each) => each.status === 'rejected');
    succeeded += size - refused.length;
    if (refused[0]) return { succeeded, error: refused[0].reason };
  }
  return { succeeded };
}
