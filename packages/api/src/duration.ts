const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** As much as Go can say: nanoseconds in 64 bits, 292 years. */
const MAX_MS = Number(2n ** 63n) / 1e6;

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/**
 * Milliseconds of a span of time as Go writes it; undefined where it is none.
 *
 * @example
 * parseDuration('1h30m') // 5_400_000
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const isNegative = text.startsWith('-');
  const rest = text.replace(/^[-+]/, '');
  if (rest === '') return undefined;
  let ms = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const part = PART.exec(rest);
    if (!part) return undefined;
    ms += Number(part[1]) * (UNITS_MS[part[2] ?? ''] ?? 0);
  }
  if (ms > MAX_MS) return undefined;
  return isNegative ? -ms : ms;
}

/**
 * A span of time as Go writes it, to the millisecond.
 *
 * @example
 * formatGoDuration(90_500) // '1m30.5s'
 */
export function formatGoDuration(ms: number): string {
  const whole = Math.round(Math.abs(ms));
  const sign = ms < 0 && whole > 0 ? '-' : '';
  if (whole === 0) return '0s';
  if (whole < UNITS_MS.s!) return `${sign}${whole}ms`;
  const hours = Math.floor(whole / UNITS_MS.h!);
  const minutes = Math.floor(whole / UNITS_MS.m!) % 60;
  const seconds = (whole % UNITS_MS.m!) / 1000;
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
