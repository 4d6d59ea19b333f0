import { isDeleting, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import type { Client, Result } from '@vireo/kube';
import { createClaim } from './act.ts';
import { ScratchDisk } from './kind.ts';
import { remainingMs, scratchDiskStatus } from './status.ts';

export async function reconcileScratchDisk(
  disk: Persisted<ScratchDisk>, // as the server stored it: name, uid and resourceVersion are there
  claim: PersistentVolumeClaim | undefined,
  client: Client,
  nowMs: number,
): Promise<Result | undefined> {
  if (isDeleting(disk)) return undefined; // the garbage collector deletes the claim
  const requeueAfterMs = remainingMs(disk, nowMs);
  if (requeueAfterMs <= 0) {
    await client.of(ScratchDisk).deleteExactly(disk);
    return undefined;
  }
  if (!claim) await createClaim(disk, client);
  await client.of(ScratchDisk).writeStatus(disk, scratchDiskStatus(claim)); // sends only what differs
  return { requeueAfterMs }; // no object changes at the end of its time: ask to be called then
}
