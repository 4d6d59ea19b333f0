import { webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { isObject } from '@vireo/api/json.ts';
import { Damaged } from '../store.ts';

/** The disk is kept in pieces of so many bytes, of which those that are all zero are left out. */
export const CHUNK_BYTES = 1 << 22;
/** How many chunks are under way at once. */
export const IN_FLIGHT = 4;
const VERSION = 1;

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

/** Reads a manifest. `key`: what errors call it. */
export function parseManifest(text: string, key: string): Manifest {
  const [first = '', ...lines] = text.split('\n');
  const head: unknown = JSON.parse(first);
  if (!isObject(head)) throw new Damaged(`${key} is no manifest`);
  const { version, sizeBytes, chunkBytes, compression, chunks: count } = head;
  if (version !== VERSION || chunkBytes !== CHUNK_BYTES || compression !== 'zstd')
    throw new Damaged(`${key} has version ${version}, which a newer Vireo has written`);
  const most = Math.ceil(Number(sizeBytes) / CHUNK_BYTES);
  const chunks = lines.map((line): Chunk => {
    const [, index, storedBytes, sha256 = ''] = /^(\d+) (\d+) ([0-9a-f]{64})$/.exec(line) ?? [];
    return { index: Number(index), storedBytes: Number(storedBytes), sha256 };
  });
  const isWhole = typeof sizeBytes === 'number' && chunks.length === count;
  if (!isWhole || !chunks.every(({ index }) => index < most)) throw new Damaged(`${key} is no manifest`);
  return { sizeBytes, chunks };
}
