import type { KubeObject } from '@vireo/api';

/** What a line is about. */
export interface LogSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Where it is known. */
  readonly uid?: string;
}

/** An object, or what names one; undefined: nothing that has a name, or what the log itself is about. */
export type About = KubeObject | LogSubject | undefined;

/** Writes an entry. What it is about has to be said, so that whoever looks for an object finds all that befell it. */
type Write = (message: string, about: About, fields?: LogFields) => void;

/** Where a part reports what it does. Fields are data for the reader's filters: how often, how long, the error. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What an entry says that it is about. */
export function subjectOf(about: KubeObject | LogSubject): LogSubject {
  if (!('metadata' in about)) return about;
  const { kind = '', metadata } = about;
  const { namespace, name = '', uid } = metadata;
  return { kind, ...(namespace && { namespace }), name, ...(uid && { uid }) };
}

/** A log that adds `fields` to every entry. */
export const withFields = (log: Log, fields: LogFields): Log =>
  mapWrites(log, (write) => (message, about, more) => write(message, about, { ...fields, ...more }));

/** A log whose entries are about `subject` where they name nothing else. It is asked for when there is an entry. */
export const aboutSubject = (log: Log, subject: () => About): Log =>
  mapWrites(log, (write) => (message, about, fields) => write(message, about ?? subject(), fields));

const mapWrites = (log: Log, change: (write: Write) => Write): Log => ({
  debug: change(log.debug),
  info: change(log.info),
  warn: change(log.warn),
  error: change(log.error),
});
