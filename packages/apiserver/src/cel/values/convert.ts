/** `int(x)`, `string(x)` and the other conversions. */
import { textWork } from '../meter.ts';
import { int, timestamp, uint } from './arithmetic.ts';
import { formatDouble, formatDuration, formatTimestamp, parseDuration, parseTimestamp, split } from './text.ts';
import { CelError, type CelValue, Duration, OpaqueValue, type Result, Timestamp, typeName, Uint } from './values.ts';

const impossible = (value: CelValue, to: string): CelError =>
  new CelError(`type conversion error from '${typeName(value)}' to '${to}'`);

/** Whether a double lies inside of what integers can be; the edges are not exact, and left out. */
const inRange = (value: number, least: number, most: number): boolean => value > least && value < most;

export function toInt(value: CelValue): Result {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return int(value.value);
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return BigInt(split(value).seconds);
  if (typeof value === 'number') {
    return inRange(value, -(2 ** 63), 2 ** 63) ? BigInt(Math.trunc(value)) : new CelError('integer overflow');
  }
  if (typeof value === 'string' && value.length <= 100 && /^[+-]?\d+$/.test(value)) {
    const parsed = int(BigInt(value.replace('+', '')));
    if (!(parsed instanceof CelError)) return parsed;
  }
  return impossible(value, 'int');
}

export function toUint(value: CelValue): Result {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return uint(value);
  if (typeof value === 'number') {
    return value >= 0 && value < 2 ** 64 ? uint(BigInt(Math.trunc(value))) : new CelError('unsigned integer overflow');
  }
  if (typeof value === 'string' && value.length <= 100 && /^\d+$/.test(value)) {
    const parsed = uint(BigInt(value));
    if (!(parsed instanceof CelError)) return parsed;
  }
  return impossible(value, 'uint');
}

const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
};

export function toDouble(value: CelValue): Result {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value === 'string' && value.length <= 1000) {
    if (FLOAT.test(value) && Number.isFinite(Number(value))) return Number(value);
    const [, sign, name = ''] = /^([+-]?)([a-z]+)$/i.exec(value) ?? [];
    const special = Object.hasOwn(SPECIAL, name.toLowerCase()) ? SPECIAL[name.toLowerCase()] : undefined;
    if (special !== undefined && !(Number.isNaN(special) && sign)) return sign === '-' ? -special : special;
  }
  return impossible(value, 'double');
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export function toBool(value: CelValue): Result {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && TRUE.has(value)) return true;
  if (typeof value === 'string' && FALSE.has(value)) return false;
  return impossible(value, 'bool');
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function toText(value: CelValue): Result {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return formatDouble(value);
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Uint8Array) {
    textWork(value);
    try {
      return decoder.decode(value);
    } catch {
      return new CelError('invalid UTF-8 in bytes, cannot convert to string');
    }
  }
  const text = value instanceof OpaqueValue ? value.toText() : undefined;
  return text ?? impossible(value, 'string');
}

export function toBytes(value: CelValue): Result {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string') return impossible(value, 'bytes');
  return Buffer.from(value);
}

export function toDuration(value: CelValue): Result {
  if (value instanceof Duration) return value;
  const parsed = typeof value === 'string' ? parseDuration(value) : undefined;
  return parsed ?? impossible(value, 'google.protobuf.Duration');
}

export function toTimestamp(value: CelValue): Result {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return timestamp(value * 1_000_000_000n);
  if (typeof value !== 'string') return impossible(value, 'google.protobuf.Timestamp');
  return parseTimestamp(value) ?? new CelError(`invalid RFC 3339 timestamp ${JSON.stringify(value)}`);
}
