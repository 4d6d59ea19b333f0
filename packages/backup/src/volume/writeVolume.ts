import type { StoredVolume } from '@vireo/api/kinds/harvester/backupWork.ts';
import type { BackupStore } from '../store.ts';
import {
  CHUNK_BYTES,
  type Chunk,
  chunkKey,
  digestOf,
  formatManifest,
  IN_FLIGHT,
  MOST_DISK_BYTES,
  manifestKey,
  pack,
} from './manifest.ts';

/** A disk that can be read anywhere. */
export interface DiskData {
  readonly sizeBytes: number;
  /** So many bytes from there on. */
  read(offset: number, length: number): Promise<Buffer>;
}

export interface WriteOptions {
  /** Told shares of one. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal | undefined;
}

const ZEROS = Buffer.alloc(CHUNK_BYTES);

/** Stores a disk: its chunks, and when they are all there its manifest. What this returns is needed to read it. */
export async function writeVolume(
  store: BackupStore,
  prefix: string,
  disk: DiskData,
  { onProgress, signal }: WriteOptions = {},
): Promise<StoredVolume> {
  if (disk.sizeBytes > MOST_DISK_BYTES)
    throw new Error(`the disk has ${disk.sizeBytes} bytes, but at most ${MOST_DISK_BYTES} can be backed up`);
  const count = Math.ceil(disk.sizeBytes / CHUNK_BYTES);
  const chunks: Chunk[] = [];
  const failed = new AbortController();
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (next < count && !failed.signal.aborted) {
      signal?.throwIfAborted();
      const index = next++;
      const chunk = await writeChunk(store, prefix, disk, index);
      if (chunk) chunks.push(chunk);
      done += 1;
      onProgress?.(done / count);
    }
  };
  const workers = Array.from({ length: IN_FLIGHT }, () =>
    work().catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  // Nothing is under way any more when this has failed: what is there can be removed then.
  await Promise.allSettled(workers);
  await Promise.all(workers);
  signal?.throwIfAborted();
  chunks.sort((a, b) => a.index - b.index);
  const manifest = await pack(Buffer.from(formatManifest({ sizeBytes: disk.sizeBytes, chunks })));
  await store.put(manifestKey(prefix), manifest);
  const storedBytes = chunks.reduce((sum, chunk) => sum + chunk.storedBytes, manifest.length);
  return { sizeBytes: disk.sizeBytes, storedBytes, sha256: await digestOf(manifest) };
}

/** Undefined for a chunk of zeros, which is not stored. */
async function writeChunk(
  store: BackupStore,
  prefix: string,
  disk: DiskData,
  index: number,
): Promise<Chunk | undefined> {
  const offset = index * CHUNK_BYTES;
  const length = Math.min(CHUNK_BYTES, disk.sizeBytes - offset);
  const data = await disk.read(offset, length);
  if (data.length !== length) throw new Error(`the disk ends after ${offset + data.length} of ${disk.sizeBytes} bytes`);
  if (data.equals(ZEROS.subarray(0, length))) return undefined;
  const stored = await pack(data);
  const sha256 = await digestOf(stored);
  await store.put(chunkKey(prefix, index), stored);
  return { index, storedBytes: stored.length, sha256 };
}
