export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** How long to wait before a try: doubled each time up to a limit, and spread so that many clients do not come at once. */
export function backoffMs(failures: number, { initialMs, maxMs }: BackoffOptions, random = Math.random()): number {
  const full = Math.min(maxMs, initialMs * 2 ** Math.min(failures, 30));
  return full * (0.5 + random / 2);
}
