import { ApiError } from '@vireo/api';
import { type About, type LogFields, type LogLevel, subjectOf } from './log.ts';
import { withoutSecrets } from './withoutSecrets.ts';

export interface LogEntry {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly about: About;
  readonly fields: LogFields;
}

/**
 * An entry for people.
 *
 * @example
 * 2026-11-16T07:00:00.000Z warn a claim could not be filled kind=PersistentVolumeClaim namespace=shop name=disk error="no room"
 */
export function textLine(entry: LogEntry): string {
  const { message } = entry;
  const texts = Object.entries(valuesOf(entry)).map(([name, value]) => `${name}=${plain(value)}`);
  return [entry.time.toISOString(), entry.level, oneLine(withoutSecrets(message)), ...texts].join(' ');
}

/** The same as a JSON object, for programs. */
export function jsonLine(entry: LogEntry): string {
  const { time, level, message } = entry;
  return JSON.stringify({
    time: time.toISOString(),
    level,
    message: withoutSecrets(message),
    ...valuesOf(entry),
  });
}

/** The fields of an entry, what it is about first; that is never another field's name. */
function valuesOf({ about, fields }: LogEntry): Record<string, unknown> {
  const subject = about ? subjectOf(about) : undefined;
  const { kind, namespace, name, uid } = subject ?? {};
  const own = Object.fromEntries(Object.entries({ kind, namespace, name, uid }).filter(([, value]) => value));
  const others = Object.entries(fields).map(([field, value]) => {
    const isTaken = Object.hasOwn(own, field) || ['time', 'level', 'message'].includes(field);
    return [isTaken ? `field_${field}` : field, readable(value)];
  });
  return { ...own, ...Object.fromEntries(others) };
}

/** What a server refused says all in its message; where in our code it surfaced helps nobody. */
function readable(value: unknown): unknown {
  if (value instanceof ApiError) return withoutSecrets(value.message);
  if (value instanceof Error) return withoutSecrets(value.stack ?? value.message);
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, readable(each)]));
}

/** Without quotes where that is clear. Quoted texts have no line ends in them. */
const plain = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@%+-]+$/.test(value) ? value : (JSON.stringify(value) ?? 'undefined');

/** Messages come with texts of guests, users and other programs in them. */
const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
