import { spawn } from 'node:child_process';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { BadImage } from './badImage.ts';
import { batches } from './bufferedInput.ts';
import { type Compression, formatOf, HEAD_BYTES, isCompression } from './formats.ts';

/** Data in chunks, each of which is good until the next one is asked for. */
export type Bytes = AsyncIterable<Buffer>;

/** What xz may take; its strongest preset needs 65 MiB. */
const XZ_MEMORY = '--memlimit-decompress=256MiB';

export interface Unpacked {
  readonly format: 'raw' | 'qcow2';
  readonly isCompressed: boolean;
  /** How it begins. */
  readonly head: Buffer;
  readonly data: Bytes;
}

/** Looks at the beginning of data, unpacks it where it is packed, and says what comes out. */
export async function unpack(data: Bytes, signal: AbortSignal): Promise<Unpacked> {
  const outer = await peek(data);
  const format = formatOf(outer.head);
  if (!isCompression(format)) return { ...outer, format, isCompressed: false };
  const inner = await peek(batches(decompress(format, outer.data, signal)));
  const unpacked = formatOf(inner.head);
  if (isCompression(unpacked)) throw new BadImage(`the data is compressed twice, with ${format} and ${unpacked}`);
  return { ...inner, format: unpacked, isCompressed: true };
}

/** The first bytes, and all of them again. */
async function peek(data: Bytes): Promise<{ head: Buffer; data: Bytes }> {
  const iterator = data[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const last = seen.pop();
    if (last) seen.push(Buffer.from(last));
    const { value, done } = await iterator.next();
    if (done) break;
    seen.push(value);
    length += value.length;
  }
  const head = Buffer.concat(seen, Math.min(length, HEAD_BYTES));
  const all: AsyncIterator<Buffer> = {
    next: async () => {
      const value = seen.shift();
      return value ? { value } : iterator.next();
    },
    return: async () => (await iterator.return?.()) ?? { value: undefined, done: true },
  };
  return { head, data: { [Symbol.asyncIterator]: () => all } };
}

function decompress(format: Compression, data: Bytes, signal: AbortSignal): Bytes {
  if (format === 'xz') return throughXz(data, signal);
  const options = { chunkSize: 1 << 18 };
  const stream = format === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  pipeline(Readable.from(copyChunks(data)), stream, () => {});
  return explainErrors(format, stream);
}

/** Streams ask for more before they are done with what they have. */
async function* copyChunks(data: Bytes): AsyncGenerator<Buffer> {
  for await (const chunk of data) yield Buffer.from(chunk);
}

async function* explainErrors(format: Compression, stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!/^Z(STD)?_/.test(code)) throw error;
    throw new BadImage(`the data looks like ${format} but cannot be decompressed: ${message}`, { cause: error });
  }
}

async function* throughXz(data: Bytes, signal: AbortSignal): AsyncGenerator<Buffer> {
  const child = spawn('xz', ['--decompress', '--stdout', XZ_MEMORY], { signal, stdio: 'pipe' });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  exit.catch(() => {});
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, 500);
  });
  let failure: unknown;
  pipeline(Readable.from(copyChunks(data)), child.stdin, (error) => {
    // How xz ended explains better that nobody reads any more.
    if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') failure = error;
  });
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    const code = await exit;
    if (failure) throw failure;
    if (code !== 0)
      throw new BadImage(`the data looks like xz but cannot be decompressed: ${stderr.trim() || `exit code ${code}`}`);
  } finally {
    child.kill('SIGKILL');
  }
}
