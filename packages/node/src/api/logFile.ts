import { type FSWatcher, watch } from 'node:fs';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
/** Watches of directories miss the first bytes of a file that comes later; this is how long that can last. */
const POLL_MS = 1_000;

/** Where a guest prints to, and whether more may come. */
export interface LogSource {
  readonly path: string;
  mayGrow(): boolean;
}

/** What a guest has printed on its serial console: the log of its launcher. */
export class LogFile {
  readonly #source: LogSource;
  readonly #follow: boolean;
  readonly #tailLines: number | undefined;
  readonly #limitBytes: number;

  /** `query` has kubectl's words: follow, tailLines, limitBytes. */
  constructor(source: LogSource, query: URLSearchParams) {
    this.#source = source;
    this.#follow = query.get('follow') === 'true';
    this.#tailLines = query.has('tailLines') ? Number(query.get('tailLines')) : undefined;
    this.#limitBytes = query.has('limitBytes') ? Number(query.get('limitBytes')) : Number.POSITIVE_INFINITY;
  }

  async *read(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const { path } = this.#source;
    let left = this.#limitBytes;
    let position = this.#tailLines === undefined ? 0 : await tailPosition(path, this.#tailLines);
    while (!signal.aborted && left > 0) {
      // Asked before reading: what was printed last is still read.
      const mayGrow = this.#source.mayGrow();
      const changed = this.#follow && mayGrow ? nextChange(path, signal) : undefined;
      for (
        let chunk = await readAt(path, position);
        chunk.length > 0 && left > 0;
        chunk = await readAt(path, position)
      ) {
        position += chunk.length;
        yield chunk.subarray(0, left);
        left -= chunk.length;
      }
      if (!changed) return;
      await changed;
    }
  }
}

async function readAt(path: string, position: number): Promise<Buffer> {
  const file = await open(path).catch(() => undefined);
  if (!file) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Where the last `lines` lines begin. Read from the end, for logs may be long. */
async function tailPosition(path: string, lines: number): Promise<number> {
  const file = await open(path).catch(() => undefined);
  if (!file) return 0;
  try {
    const { size } = await file.stat();
    if (lines <= 0) return size;
    let found = 0;
    for (let end = size; end > 0; end -= CHUNK_BYTES) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      // The line end at the very end closes the last line and opens none.
      for (let at = buffer.length - 1; at >= 0; at -= 1)
        if (buffer[at] === 0x0a && start + at !== size - 1 && ++found === lines) return start + at + 1;
    }
    return 0;
  } finally {
    await file.close();
  }
}

/** Resolves when the file may have grown, or after a while. */
function nextChange(path: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, () => resolve());
    watcher.on('error', () => resolve());
  } catch {
    // There is no log yet: the timer looks again.
  }
  const timer = setTimeout(resolve, POLL_MS);
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => {
    // A log may be followed for days, with a look every second.
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    watcher?.close();
  });
}
