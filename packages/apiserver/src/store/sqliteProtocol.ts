/** What the main thread asks of the thread that owns the database. */
export type SqliteRequest =
  | { readonly type: 'append'; readonly rows: readonly LogRow[]; readonly values: Packed }
  | { readonly type: 'read'; readonly prefix: string; readonly after: number; readonly upTo: number }
  | { readonly type: 'compact'; readonly revision: number }
  | { readonly type: 'close' };

/** What `read` answers: changes, oldest first, each with the bytes of the version before. */
export interface ReadResult {
  readonly rows: readonly LogRow[];
  readonly values: Packed;
  readonly previous: Packed;
}

export type SqliteReply =
  | { readonly type: 'objects'; readonly rows: readonly LogRow[]; readonly values: Packed }
  | { readonly type: 'opened'; readonly revision: number; readonly compactRevision: number }
  | { readonly type: 'refused'; readonly error: SqliteFailure }
  | { readonly type: 'done'; readonly id: number; readonly result: ReadResult | undefined }
  | { readonly type: 'failed'; readonly id: number; readonly error: SqliteFailure };

/** An error's fields; structured clone would keep its message only. */
export interface SqliteFailure {
  readonly message: string;
  /** SQLite's extended result code. */
  readonly errcode?: number;
}

/** A row of the log, without its value. */
export interface LogRow {
  readonly revision: number;
  readonly key: string;
  readonly createRevision: number;
  readonly previousRevision: number;
  readonly deleted: boolean;
}

/** Many values in one buffer, which moves between threads without a copy. */
export interface Packed {
  readonly bytes: ArrayBuffer;
  /** Where each value ends; it starts where the one before ends. */
  readonly ends: readonly number[];
}

export function pack(values: readonly Uint8Array[]): Packed {
  const size = values.reduce((sum, value) => sum + value.length, 0);
  const all = new Uint8Array(size);
  const ends: number[] = [];
  let end = 0;
  for (const value of values) {
    all.set(value, end);
    end += value.length;
    ends.push(end);
  }
  return { bytes: all.buffer, ends };
}

export function unpack({ bytes, ends }: Packed): Buffer[] {
  return ends.map((end, i) => {
    const start = i === 0 ? 0 : ends[i - 1]!;
    return Buffer.from(bytes, start, end - start);
  });
}
