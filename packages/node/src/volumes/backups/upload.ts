import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Persisted } from '@vireo/api';
import type { StoredVolume, UploadRequest } from '@vireo/api/kinds/harvester/backupWork.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type DiskData, discardVolume, writeVolume } from '@vireo/backup';
import type { VolumeContext } from '../context.ts';
import { NotReady } from '../provision/notReady.ts';
import { snapshotSource } from '../snapshots/index.ts';
import { type TargetParts, withTarget } from './target.ts';

export interface UploadParts extends TargetParts {
  readonly content: Persisted<VolumeSnapshotContent> | undefined;
  readonly onProgress: (share: number) => void;
  /** Whether the worker pod is gone altogether, as with its Node: then nobody waits for the work to end. */
  readonly isForgotten: () => boolean;
  readonly signal: AbortSignal;
}

/** Copies the data of a snapshot on this node to a target. */
export async function upload(
  { target, prefix, volumeSnapshotContent: name }: UploadRequest,
  context: Pick<VolumeContext, 'stores' | 'node'>,
  { content, onProgress, isForgotten, signal, ...parts }: UploadParts,
): Promise<StoredVolume> {
  if (!content) throw new NotReady(`VolumeSnapshotContent ${name} does not exist`);
  const source = snapshotSource(content, name, Number.POSITIVE_INFINITY, context);
  await source.store.expectUsable();
  return withDisk(source.store.disk(source.name), (disk) =>
    withTarget(target, parts, async (store) => {
      try {
        return await writeVolume(store, prefix, disk, { onProgress, signal });
      } catch (error) {
        if (isForgotten()) await discardVolume(store, prefix);
        throw error;
      }
    }),
  );
}

async function withDisk<T>(path: string, act: (disk: DiskData) => Promise<T>): Promise<T> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat();
    return await act({
      sizeBytes: size,
      read: async (offset, length) => {
        const bytes = Buffer.allocUnsafe(length);
        let read = 0;
        while (read < length) {
          const { bytesRead } = await file.read(bytes, read, length - read, offset + read);
          if (bytesRead === 0) break;
          read += bytesRead;
        }
        return bytes.subarray(0, read);
      },
    });
  } finally {
    await file.close();
  }
}
