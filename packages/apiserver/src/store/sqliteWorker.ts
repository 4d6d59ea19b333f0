import { parentPort, workerData } from 'node:worker_threads';
import { SqliteDatabase } from './sqliteDatabase.ts';
import type { ReadResult, SqliteFailure, SqliteReply, SqliteRequest } from './sqliteProtocol.ts';

/** Objects are handed over in pieces of this size: one that stays in use keeps its whole piece in memory. */
const OBJECT_BYTES_EACH = 256 * 1024;
const READ_ROWS_EACH = 500;
const COMPACT_REVISIONS_EACH = 1000;

if (parentPort === null) throw new Error('sqliteWorker.ts is a worker thread: use sqlite.ts');
const port = parentPort;
let compaction: Promise<void> | undefined;
let closing = false;

const reply = (message: SqliteReply, ...moved: ArrayBuffer[]): void => port.postMessage(message, moved);

try {
  const database = new SqliteDatabase((workerData as { file: string }).file);
  for (const { rows, values } of database.objects(OBJECT_BYTES_EACH)) {
    reply({ type: 'objects', rows, values }, values.bytes);
  }
  port.on('message', ({ id, request }: { id: number; request: SqliteRequest }) => void serve(database, id, request));
  reply({ type: 'opened', revision: database.revision, compactRevision: database.compactRevision });
} catch (error) {
  reply({ type: 'refused', error: failure(error) });
}

async function serve(database: SqliteDatabase, id: number, request: SqliteRequest): Promise<void> {
  try {
    const result = await perform(database, request);
    if (result === undefined) reply({ type: 'done', id, result });
    else reply({ type: 'done', id, result }, result.values.bytes, result.previous.bytes);
    if (request.type === 'close') port.close();
  } catch (error) {
    reply({ type: 'failed', id, error: failure(error) });
  }
}

async function perform(database: SqliteDatabase, request: SqliteRequest): Promise<ReadResult | undefined> {
  switch (request.type) {
    case 'append':
      database.append(request.rows, request.values);
      return;
    case 'read':
      return database.read(request.prefix, request.after, request.upTo, READ_ROWS_EACH);
    case 'compact':
      compaction = compact(database, request.revision);
      await compaction;
      return;
    case 'close':
      closing = true;
      await compaction?.catch(() => undefined);
      database.close();
      return;
  }
}

/** In steps, so that writes are not held up. One that a close cuts short goes on where it stopped at the next compaction. */
async function compact(database: SqliteDatabase, revision: number): Promise<void> {
  while (!closing && !database.compactStep(revision, COMPACT_REVISIONS_EACH)) await otherRequests();
  if (!closing) database.checkpoint();
}

/** Lets writes that wait go first. */
const otherRequests = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function failure(error: unknown): SqliteFailure {
  const { message, errcode } = error as Error & { errcode?: number };
  return { message, errcode };
}
