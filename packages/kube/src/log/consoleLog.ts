import { jsonLine, textLine } from './line.ts';
import { type About, LOG_LEVELS, type Log, type LogFields, type LogLevel } from './log.ts';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogSettings {
  /** `text` for people, `json` for programs. */
  readonly format: LogFormat;
  /** What is less urgent is left out. */
  readonly level: LogLevel;
}

let settings: LogSettings = { format: 'text', level: 'info' };

/** Decides how the log of this process looks from now on. */
export function configureLog(change: Partial<LogSettings>): void {
  settings = { ...settings, ...change };
}

/** How it is written now, for processes that log to the same place. */
export const logSettings = (): LogSettings => settings;

/** The log of this process: one line an entry on standard error. */
export const consoleLog: Log = {
  debug: (message, about, fields) => write('debug', message, about, fields),
  info: (message, about, fields) => write('info', message, about, fields),
  warn: (message, about, fields) => write('warn', message, about, fields),
  error: (message, about, fields) => write('error', message, about, fields),
};

function write(level: LogLevel, message: string, about: About, fields: LogFields = {}): void {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(settings.level)) return;
  const line = settings.format === 'json' ? jsonLine : textLine;
  console.error(line({ time: new Date(), level, message, about, fields }));
}
