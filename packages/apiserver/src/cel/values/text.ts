/** Texts of numbers and times as Go writes and reads them. */

import { partsWork } from '../meter.ts';
import { duration, timestamp } from './arithmetic.ts';
import { CelError, type Duration, type Result, type Timestamp } from './values.ts';

/** The number of characters (code points). */
export function sizeOfText(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        size--;
        i++;
      }
    }
  }
  return size;
}

/** A double as Go's `%g`: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 6)) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  return plainDouble(value);
}

/** All digits of a double and no exponent. */
export function plainDouble(value: number): string {
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const digits = mantissa.replace('.', '');
  const sign = value < 0 ? '-' : '';
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return `${sign}${digits.padEnd(exponent + 1, '0')}`;
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** Seconds and a fraction: `3600s`, `0.5s`. */
export function formatDuration({ nanos }: Duration): string {
  const seconds = nanos / 1_000_000_000n;
  const rest = nanos % 1_000_000_000n;
  return `${plainDouble(Number(seconds) + Number(rest) / 1e9)}s`;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** `1h30m`, `-1.5s`, `0`; undefined for what is no duration. */
export function parseDuration(text: string): Result | undefined {
  partsWork();
  if (text.length > 100) return undefined;
  const match = /^([+-]?)(?:0|((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+))$/.exec(text);
  if (!match) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of (match[2] ?? '').matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = UNITS[unit] as bigint;
    const digits = fraction.slice(0, 20);
    nanos += BigInt(whole || '0') * scale + (BigInt(digits || '0') * scale) / 10n ** BigInt(digits.length);
  }
  const result = duration(match[1] === '-' ? -nanos : nanos);
  return result instanceof CelError ? undefined : result;
}

const RFC3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A moment in RFC 3339; undefined for what is none. */
export function parseTimestamp(text: string): Result | undefined {
  partsWork();
  const match = RFC3339.exec(text);
  if (!match || match[6] === '60') return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const milliseconds = utc(Number(year), Number(month) - 1, Number(day));
  if (new Date(milliseconds).getUTCDate() !== Number(day)) return undefined;
  const offset = /[Zz]/.test(zone)
    ? 0
    : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const seconds = milliseconds / 1000 + Number(hour) * 3600 + (Number(minute) - offset) * 60 + Number(second);
  return timestamp(BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

/** `Date.UTC` takes the years 0 to 99 for those of the last century. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}

/** RFC 3339 with as many digits of a second as there are. */
export function formatTimestamp(moment: Timestamp): string {
  partsWork();
  const { seconds, nanos } = split(moment);
  const { minutesEast } = moment;
  const date = new Date((seconds + minutesEast * 60) * 1000).toISOString().replace(/\.\d+Z$/, '');
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${date}${fraction}${minutesEast === 0 ? 'Z' : formatOffset(minutesEast)}`;
}

function formatOffset(minutesEast: number): string {
  const minutes = Math.abs(minutesEast);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${minutesEast < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Whole seconds since 1970, and the nanoseconds after them. */
export function split({ nanos }: Timestamp): { seconds: number; nanos: number } {
  let seconds = nanos / 1_000_000_000n;
  let rest = nanos % 1_000_000_000n;
  if (rest < 0n) {
    seconds -= 1n;
    rest += 1_000_000_000n;
  }
  return { seconds: Number(seconds), nanos: Number(rest) };
}
