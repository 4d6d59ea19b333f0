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
