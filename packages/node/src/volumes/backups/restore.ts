import { isDeleting, type Persisted, type PersistentVolumeClaim, type Pod } from '@vireo/api';
import { backupWorkOf, type RestoreRequest } from '@vireo/api/kinds/harvester/backupWork.ts';
import { Damaged, openVolume } from '@vireo/backup';
import { BadImage } from '../populate/badImage.ts';
import { expectFit, place, type Target } from '../populate/receive.ts';
import { SparseFile } from '../populate/sparseFile.ts';
import { NotReady } from '../provision/notReady.ts';
import { type TargetParts, withTarget } from './target.ts';

/**
 * What a claim is restored from. Anybody can annotate a claim; that it is to have the data of a backup is said only by a
 * worker pod that names it, which only controllers can make.
 */
export function restoreOf(
  { metadata }: Persisted<PersistentVolumeClaim>,
  workers: readonly Persisted<Pod>[],
): RestoreRequest {
  for (const pod of workers) {
    const request = backupWorkOf(pod);
    if (request?.operation === 'restore' && request.claim.uid === metadata.uid && !isDeleting(pod)) return request;
  }
  throw new NotReady('waiting for the worker pod of a restore, which says what the claim is restored from');
}

/** Fills a volume from a target. */
export async function restore(
  { target: from, prefix, sha256 }: RestoreRequest,
  target: Target,
  parts: TargetParts & { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
): Promise<void> {
  const { onProgress, signal } = parts;
  try {
    await withTarget(from, parts, async (store) => {
      const limit = target.isFitted ? {} : { mostBytes: target.sizeBytes };
      const volume = await openVolume(store, prefix, sha256, limit);
      expectFit(target, volume.sizeBytes);
      await place(target, async (path) => {
        const file = await SparseFile.create(path, { isDurable: true });
        try {
          for await (const { offset, data, share } of volume.data(signal)) {
            await file.write(data, offset);
            onProgress(share);
          }
          await file.finish(volume.sizeBytes);
        } catch (error) {
          await file.abandon();
          throw error;
        }
      });
    });
  } catch (error) {
    // The data is lost, however often it is read.
    throw error instanceof Damaged ? new BadImage(error.message, { cause: error }) : error;
  }
}
