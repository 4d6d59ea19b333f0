import { type About, type Log, type LogFields, type LogSubject, subjectOf } from '../log/log.ts';

export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly about?: LogSubject;
  readonly fields?: LogFields;
}

/** A log that keeps its entries. */
export function memoryLog(): Log & { readonly entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: LogEntry['level']) => (message: string, about: About, fields?: LogFields) =>
    void entries.push({ level, message, ...(about && { about: subjectOf(about) }), fields });
  return { entries, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
