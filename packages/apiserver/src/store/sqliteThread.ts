import { Worker } from 'node:worker_threads';
import type { Log, LogEntry, LogState } from './log.ts';
import { type LogRow, pack, type ReadResult, type SqliteReply, type SqliteRequest, unpack } from './sqliteProtocol.ts';
import type { Stored, StoreEvent } from './store.ts';
import { StoredVersion } from './stored.ts';

/** The log in SQLite, as seen from the main thread: each call is a message to the thread that owns the database. */
export class SqliteThread implements Log {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<ReadResult | undefined>>();
  readonly #opened = Promise.withResolvers<LogState>();
  #objects: Stored[] = [];
  #lastId = 0;
  #ended: Error | undefined;

  constructor(file: string) {
    this.#worker = new Worker(new URL('./sqliteWorker.ts', import.meta.url), { workerData: { file } });
    this.#worker.on('message', (message: SqliteReply) => this.#receive(message));
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the database thread has ended')));
  }

  /** What was in the file; rejects when it could not be opened. */
  get opened(): Promise<LogState> {
    return this.#opened.promise;
  }

  /** Calls `then` when the database is closed and its thread gone, whatever the reason. */
  onceClosed(then: () => void): void {
    this.#worker.once('exit', then);
  }

  async append(entries: readonly LogEntry[]): Promise<void> {
    const values = pack(entries.map(({ stored }) => stored.bytes));
    await this.#ask({ type: 'append', rows: entries.map(toRow), values }, values.bytes);
  }

  async read(prefix: string, after: number, upTo: number): Promise<StoreEvent[]> {
    const result = (await this.#ask({ type: 'read', prefix, after, upTo })) as ReadResult;
    const values = unpack(result.values);
    const previous = unpack(result.previous);
    return result.rows.map((row, i) => toEvent(row, values[i]!, previous[i]!));
  }

  async compact(revision: number): Promise<void> {
    await this.#ask({ type: 'compact', revision });
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    try {
      await this.#ask({ type: 'close' });
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
    await exited;
  }

  #ask(request: SqliteRequest, ...moved: ArrayBuffer[]): Promise<ReadResult | undefined> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    const response = Promise.withResolvers<ReadResult | undefined>();
    this.#waiting.set(id, response);
    this.#worker.postMessage({ id, request }, moved);
    return response.promise;
  }

  #receive(message: SqliteReply): void {
    switch (message.type) {
      case 'objects': {
        const values = unpack(message.values);
        message.rows.forEach((row, i) => {
          this.#objects.push(new StoredVersion(row.key, row.revision, row.createRevision, values[i]!));
        });
        return;
      }
      case 'opened':
        this.#opened.resolve({ ...message, objects: this.#objects });
        this.#objects = [];
        return;
      case 'refused':
        this.#opened.reject(Object.assign(new Error(message.error.message), message.error));
        return;
      case 'done':
        this.#take(message.id)?.resolve(message.result);
        return;
      case 'failed':
        this.#take(message.id)?.reject(Object.assign(new Error(message.error.message), message.error));
        return;
    }
  }

  #take(id: number): PromiseWithResolvers<ReadResult | undefined> | undefined {
    const response = this.#waiting.get(id);
    this.#waiting.delete(id);
    return response;
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#opened.reject(error);
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(error);
  }
}

const toRow = ({ stored, previousRevision, deleted }: LogEntry): LogRow => ({
  revision: stored.revision,
  key: stored.key,
  createRevision: stored.createRevision,
  previousRevision,
  deleted,
});

function toEvent(row: LogRow, value: Buffer, previousValue: Buffer): StoreEvent {
  const { key, revision, createRevision, previousRevision } = row;
  const current = new StoredVersion(key, revision, createRevision, value);
  if (previousRevision === 0) return { type: 'ADDED', revision, key, current };
  const previous = new StoredVersion(key, previousRevision, createRevision, previousValue);
  return { type: row.deleted ? 'DELETED' : 'MODIFIED', revision, key, current, previous };
}
