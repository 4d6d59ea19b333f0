import { writeSync } from 'node:fs';
import { openSqliteStore } from '../sqlite.ts';
import type { Store } from '../store.ts';
import { body, isDeletion } from './writes.ts';

/**
 * The process that crash.test.ts kills: 64 writers create, replace and delete without pause, and acknowledge each write on
 * standard output once the store has it. A write to a pipe is complete before the call returns, so nothing is in between.
 */
const [file, round] = process.argv.slice(2) as [string, string];
const store = await openSqliteStore({ file, historyMs: 0, compactEveryMs: 50 });
acknowledge('ready');
await Promise.all(Array.from({ length: 64 }, (_, writer) => writeForever(store, writer)));

async function writeForever(store: Store, writer: number): Promise<never> {
  for (let step = 0; ; step++) {
    const key = `/things/w${writer}/${round}-${Math.floor(step / 4)}`;
    const revision = store.get(key)?.revision ?? 0;
    const deletes = isDeletion(writer, step);
    const filler = 'x'.repeat(100 + ((writer * 37 + step * 101) % 3000));
    const stored = await store.write(key, revision, deletes ? () => undefined : body(key, { writer, step, filler }));
    acknowledge(JSON.stringify({ key, revision: stored.revision, writer, step }));
  }
}

/** Whole lines, at once: a pipe that is full, because its reader is slow, is tried again until it takes the line. */
function acknowledge(text: string): void {
  for (;;) {
    try {
      writeSync(1, `${text}\n`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
