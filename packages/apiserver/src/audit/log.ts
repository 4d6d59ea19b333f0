import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Log, Metrics } from '@vireo/kube';

/** Where the audit log is written, and when it is rotated. */
export interface AuditLogOptions {
  /** `-`: standard output. */
  readonly path: string;
  /** Size at which the file is rotated. */
  readonly maxSizeMb: number;
  /** How many rotated files are kept; 0: all. */
  readonly maxBackups: number;
  /** How long rotated files are kept; 0: forever. */
  readonly maxAgeDays: number;
}

/** What the audit log reports its own failures with. */
export interface AuditLogParts {
  readonly log: Pick<Log, 'error'>;
  readonly now?: () => number;
}

/** Size of the events that wait for the disk; further events are lost, and counted. */
const MAX_WAITING_BYTES = 64 << 20;
/** Failures to write are logged once in this time. */
const QUIET_MS = 10_000;
const DAY_MS = 24 * 3600 * 1000;

/** Writes audit events as JSON lines to a file, and rotates it. Requests do not wait for it, and it never throws. */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #parts: AuditLogParts;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #file: FileHandle | undefined;
  #size = 0;
  #writing: Promise<void> | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #lost = 0;
  #events = 0;

  constructor(options: AuditLogOptions, parts: AuditLogParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** Creates the file, so that a server whose log cannot be written does not start. */
  async prepare(): Promise<void> {
    if (this.#options.path !== '-') this.#file = await this.#open();
  }

  /** Counts events under Kubernetes' names. */
  observe(metrics: Metrics): void {
    const counter = (name: string, help: string, labels: readonly string[], values: string[], read: () => number) =>
      metrics.read({ name, help, labels, type: 'counter' }, () => [{ labels: values, value: read() }]);
    counter('apiserver_audit_event_total', 'Audit events that were generated.', [], [], () => this.#events);
    counter(
      'apiserver_audit_error_total',
      'Audit events that could not be logged.',
      ['plugin'],
      ['log'],
      () => this.#lost,
    );
  }

  write(event: object): void {
    this.#events++;
    const line = `${JSON.stringify(event)}\n`;
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#fail(new Error(`more than ${MAX_WAITING_BYTES} bytes wait to be written`), 1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#drain();
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #drain(): Promise<void> {
    // Events of the same moment go in one write.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#append(Buffer.from(lines.join('')));
      } catch (error) {
        await this.#file?.close().catch(() => {});
        this.#file = undefined;
        this.#fail(error, lines.length);
      }
    }
    this.#writing = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#options.path === '-') {
      process.stdout.write(bytes);
      return;
    }
    this.#file ??= await this.#open();
    if (this.#size > 0 && this.#size + bytes.length > this.#options.maxSizeMb * 1024 * 1024) await this.#rotate();
    // A write may take less than all of it.
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await (this.#file as FileHandle).write(bytes, at);
      at += bytesWritten;
    }
    this.#size += bytes.length;
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#options.path, 'a', 0o600);
    await file.chmod(0o600);
    this.#size = (await file.stat()).size;
    return file;
  }

  /** The file gets a name with the time, and a new one begins. */
  async #rotate(): Promise<void> {
    const { path } = this.#options;
    await this.#file?.close();
    this.#file = undefined;
    await rename(path, backupName(path, this.#now()));
    this.#file = await this.#open();
    await this.#removeOld();
  }

  async #removeOld(): Promise<void> {
    const { path, maxBackups, maxAgeDays } = this.#options;
    const files = await readdir(dirname(path));
    const old = backupsToRemove(files, path, { maxBackups, maxAgeDays, now: this.#now() });
    for (const name of old) await unlink(join(dirname(path), name));
  }

  #fail(error: unknown, count: number): void {
    this.#lost += count;
    const now = this.#now();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    this.#parts.log.error('audit events cannot be logged and are lost; requests are served all the same', undefined, {
      file: this.#options.path,
      lost: this.#lost,
      error,
    });
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now();
  }
}

const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/;

/** `audit.log` of 11:30 becomes `audit-2026-01-01T11-30-00.000.log`. */
function backupName(path: string, now: number): string {
  const extension = extname(path);
  const stamp = new Date(now).toISOString().slice(0, -1).replaceAll(':', '-');
  return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
}

/** The earlier files that are too many or too old, by their names. */
export function backupsToRemove(
  files: readonly string[],
  path: string,
  { maxBackups, maxAgeDays, now }: { maxBackups: number; maxAgeDays: number; now: number },
): string[] {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const stampOf = (name: string): string =>
    name.startsWith(prefix) && name.endsWith(extension)
      ? name.slice(prefix.length, name.length - extension.length)
      : '';
  const backups = files
    .filter((name) => STAMP.test(stampOf(name)))
    .sort()
    .reverse();
  const oldest = new Date(now - maxAgeDays * DAY_MS).toISOString().slice(0, -1).replaceAll(':', '-');
  return backups.filter(
    (name, index) => (maxBackups > 0 && index >= maxBackups) || (maxAgeDays > 0 && stampOf(name) < oldest),
  );
}
