import { type BackupStore, Damaged } from '../store.ts';
import {
  CHUNK_BYTES,
  type Chunk,
  chunkKey,
  digestOf,
  IN_FLIGHT,
  MOST_DISK_BYTES,
  manifestKey,
  mostManifestBytes,
  mostPackedBytes,
  parseManifest,
  unpack,
} from './manifest.ts';

/** A disk at a target. */
export interface StoredDisk {
  readonly sizeBytes: number;
  readonly storedBytes: number;
  /** What is not zero, from first to last byte, each piece verified. */
  data(
    signal?: AbortSignal,
  ): AsyncGenerator<{ readonly offset: number; readonly data: Buffer; readonly share: number }>;
}

/**
 * Opens a disk that was stored. `sha256`: of its manifest. `mostBytes`: how large the disk may be, by which its manifest is
 * limited. Throws `Damaged` for what is not what was written.
 */
export async function openVolume(
  store: BackupStore,
  prefix: string,
  sha256: string,
  { mostBytes = MOST_DISK_BYTES }: { readonly mostBytes?: number } = {},
): Promise<StoredDisk> {
  const key = manifestKey(prefix);
  const most = mostManifestBytes(mostBytes);
  const stored = await verified(store, key, sha256, most);
  const text = await unpacked(stored, key, most, store);
  const manifest = parseManifest(text.toString(), `${key} in ${store.description}`);
  return {
    sizeBytes: manifest.sizeBytes,
    storedBytes: manifest.chunks.reduce((sum, chunk) => sum + chunk.storedBytes, stored.length),
    async *data(signal) {
      const { chunks, sizeBytes } = manifest;
      const underway: Promise<Buffer>[] = [];
      let next = 0;
      for (const [position, { index }] of chunks.entries()) {
        for (; next < chunks.length && underway.length < IN_FLIGHT; next++) {
          const reading = readChunk(store, prefix, chunks[next] as Chunk, sizeBytes);
          // It is waited for in its turn; one before it may end this.
          reading.catch(() => {});
          underway.push(reading);
        }
        signal?.throwIfAborted();
        const data = (await underway.shift()) as Buffer;
        yield { offset: index * CHUNK_BYTES, data, share: (position + 1) / chunks.length };
      }
    },
  };
}

async function readChunk(
  store: BackupStore,
  prefix: string,
  { index, sha256 }: Chunk,
  sizeBytes: number,
): Promise<Buffer> {
  const key = chunkKey(prefix, index);
  const length = Math.min(CHUNK_BYTES, sizeBytes - index * CHUNK_BYTES);
  const data = await unpacked(await verified(store, key, sha256, length), key, length, store);
  if (data.length !== length)
    throw new Damaged(`${key} in ${store.description} has ${data.length} bytes, not ${length}`);
  return data;
}

/** What is stored of at most so many bytes. */
async function verified(store: BackupStore, key: string, sha256: string, mostBytes: number): Promise<Buffer> {
  const stored = await store.get(key, mostPackedBytes(mostBytes));
  if (stored === undefined) throw new Damaged(`${key} is missing in ${store.description}`);
  const found = await digestOf(stored);
  if (found !== sha256)
    throw new Damaged(`${key} in ${store.description} is damaged: its SHA-256 is ${found}, but ${sha256} was written`);
  return stored;
}

async function unpacked(stored: Buffer, key: string, maxBytes: number, store: BackupStore): Promise<Buffer> {
  try {
    return await unpack(stored, maxBytes);
  } catch (error) {
    throw new Damaged(`${key} in ${store.description} cannot be decompressed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
