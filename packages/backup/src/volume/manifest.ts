import { webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import { Damaged } from '../store.ts';

/** The disk is kept in pieces of so many bytes, of which those that are all zero are left out. */
export const CHUNK_BYTES = 1 << 22;
/** How many chunks are under way at once. */
export const IN_FLIGHT = 4;
const VERSION = 1;

/** The largest disk: what is known of its chunks has to fit into memory. */
export const MOST_DISK_BYTES = 2 ** 44;
/** Of the first line of a manifest. */
const HEAD_BYTES = 256;
/** Of the line of a chunk: two numbers of seven digits, and the digest. */
const LINE_BYTES = 7 + 1 + 7 + 1 + 64 + 1;

/** How long the manifest of a disk is at most. */
export const mostManifestBytes = (sizeBytes: number): number =>
  HEAD_BYTES + chunksOf(Math.min(sizeBytes, MOST_DISK_BYTES)) * LINE_BYTES;

/** How many bytes are stored of so many at most: what cannot be compressed becomes a little longer. */
export const mostPackedBytes = (bytes: number): number => Math.ceil(bytes * (1 + 1 / 128)) + 1024;

const chunksOf = (sizeBytes: number): number => Math.ceil(sizeBytes / CHUNK_BYTES);

/** One chunk: which one it is, and what was stored of it. */
export interface Chunk {
  readonly index: number;
  readonly storedBytes: number;
  /** Of what is stored. */
  readonly sha256: string;
}

/** What is known of the disk and its chunks. Written after them. */
export interface Manifest {
  readonly sizeBytes: number;
  readonly chunks: readonly Chunk[];
}

export const manifestKey = (prefix: string): string => `${prefix}manifest`;

/** The key of a chunk. There are no more than 1,024 in one directory. */
export const chunkKey = (prefix: string, index: number): string =>
  `${prefix}chunks/${Math.floor(index / 1024)}/${index}`;

const compressed = promisify(zstdCompress);
const decompressed = promisify(zstdDecompress);

/** Bytes as they are stored. */
export const pack = (bytes: Uint8Array): Promise<Buffer> => compressed(bytes);

/** What is stored as the bytes that it was made of, which are at most so many. */
export const unpack = (stored: Uint8Array, maxBytes: number): Promise<Buffer> =>
  decompressed(stored, { maxOutputLength: maxBytes });

/** In another thread: a large chunk would keep this one busy for milliseconds. */
export const digestOf = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');

/** A manifest as text: a line for the disk, and one for each chunk. */
export const formatManifest = ({ sizeBytes, chunks }: Manifest): string =>
  [
    JSON.stringify({
      version: VERSION,
      sizeBytes,
      chunkBytes: CHUNK_BYTES,
      compression: 'zstd',
      chunks: chunks.length,
    }),
    ...chunks.map(({ index, storedBytes, sha256 }) => `${index} ${storedBytes} ${sha256}`),
  ].join('\n');

/** Reads a manifest. `key`: what errors call it. Throws `Damaged` for what is none. */
export function parseManifest(text: string, key: string): Manifest {
  const lines = linesOf(text);
  const { version, sizeBytes, chunkBytes, compression, chunks: count } = headOf(lines.next().value ?? '', key);
  if (version !== VERSION || chunkBytes !== CHUNK_BYTES || compression !== 'zstd')
    throw new Damaged(`${key} has version ${version}, which a newer Vireo has written`);
  const noManifest = (): Damaged => new Damaged(`${key} is no manifest`);
  if (!Number.isSafeInteger(sizeBytes) || Number(sizeBytes) < 0) throw noManifest();
  const most = chunksOf(Number(sizeBytes));
  const chunks: Chunk[] = [];
  for (const line of lines) {
    const [, index, storedBytes, sha256 = ''] = /^(\d{1,7}) (\d{1,7}) ([0-9a-f]{64})$/.exec(line) ?? [];
    const chunk = { index: Number(index), storedBytes: Number(storedBytes), sha256 };
    if (sha256 === '' || chunk.index >= most || chunk.index <= (chunks.at(-1)?.index ?? -1)) throw noManifest();
    chunks.push(chunk);
  }
  if (chunks.length !== count) throw noManifest();
  return { sizeBytes: Number(sizeBytes), chunks };
}

function headOf(line: string, key: string): JsonObject {
  try {
    const head: unknown = JSON.parse(line.slice(0, HEAD_BYTES));
    if (isObject(head)) return head;
  } catch {
    // As below.
  }
  throw new Damaged(`${key} is no manifest`);
}

/** One by one: as a list, the lines of a text that has nothing else would take many times its size. */
function* linesOf(text: string): Generator<string, undefined> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end < 0 ? undefined : end);
    if (end < 0) return;
    start = end + 1;
  }
}
