/** How fast and how far a transfer is. */
export interface Pace {
  /** Undefined until there is enough to tell. */
  readonly bytesPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
}

/** How much had been sent when. */
export interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Over so long a time speed is measured: short enough to follow changes, long enough not to jump. */
const WINDOW_MS = 8_000;
const LEAST_MS = 800;

/** The samples that speed is still measured by, with a new one. */
export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const kept = samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS);
  return [...kept, sample];
}

export function paceOf(samples: readonly Sample[], totalBytes: number): Pace {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < LEAST_MS)
    return { bytesPerSecond: undefined, secondsLeft: undefined };
  const bytesPerSecond = ((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs);
  const left = Math.max(0, totalBytes - last.bytes);
  return { bytesPerSecond, secondsLeft: bytesPerSecond > 0 ? left / bytesPerSecond : undefined };
}

/** `8 s`, `3 min`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}

export const percentSent = (sentBytes: number, totalBytes: number): number =>
  totalBytes === 0 ? 100 : Math.min(100, Math.floor((sentBytes / totalBytes) * 100));
