import { ApiError } from '@vireo/api';

/** Where this package reports what it does. Fields are data for the reader's filters: name, key, error. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** One line an entry on standard error; debug entries only with VIREO_DEBUG set. */
export const consoleLog: Log = {
  debug: (message, fields) => {
    if (process.env.VIREO_DEBUG) write('debug', message, fields);
  },
  info: (message, fields) => write('info', message, fields),
  warn: (message, fields) => write('warn', message, fields),
  error: (message, fields) => write('error', message, fields),
};

/** A log that adds `fields` to every entry. */
export function withFields(log: Log, fields: LogFields): Log {
  return {
    debug: (message, more) => log.debug(message, { ...fields, ...more }),
    info: (message, more) => log.info(message, { ...fields, ...more }),
    warn: (message, more) => log.warn(message, { ...fields, ...more }),
    error: (message, more) => log.error(message, { ...fields, ...more }),
  };
}

function write(level: string, message: string, fields: LogFields = {}): void {
  const texts = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(readable(value))}`);
  console.error([new Date().toISOString(), level, message, ...texts].join(' '));
}

/** What a server refused says all in its message; where in our code it surfaced helps nobody. */
const readable = (value: unknown): unknown => {
  if (value instanceof ApiError) return value.message;
  return value instanceof Error ? (value.stack ?? value.message) : value;
};
