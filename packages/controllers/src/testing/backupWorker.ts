import { isDeleting, PersistentVolumeClaim, Pod } from '@vireo/api';
import { POD_PHASE } from '@vireo/api/kinds/cdi/names.ts';
import {
  BACKUP_WORK_SELECTOR,
  type BackupWorkResult,
  backupWorkOf,
  backupWorkResult,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { openStore, openVolume, writeVolume } from '@vireo/backup';
import { type Client, Informers, ignoreNotFound } from '@vireo/kube';

const SIZE_BYTES = 1 << 20;

/**
 * Stands in for the nodes, which belong to another package, and their disks: what is uploaded is the name of the snapshot,
 * and what is restored is read and checked. `isStuck`: work on these never ends. `problem`: work on these fails.
 * `isSilent`: of these nothing is heard, not even that they are cancelled.
 */
export async function startBackupWorker(
  client: Client,
  signal: AbortSignal,
  {
    isStuck = () => false,
    problem = () => undefined,
    isSilent = () => false,
  }: {
    readonly isStuck?: (request: string) => boolean;
    readonly problem?: (request: string) => string | undefined;
    readonly isSilent?: (request: string) => boolean;
  } = {},
): Promise<void> {
  const seen = new Set<string>();
  const informers = new Informers(client);

  async function work(pod: Pod): Promise<void> {
    const request = backupWorkOf(pod);
    const { uid = '' } = pod.metadata;
    if (!request || isSilent(request.prefix)) return;
    if (isDeleting(pod) && !seen.has(uid) && !backupWorkResult(pod)) await report(pod, { error: 'cancelled' });
    if (isDeleting(pod) || seen.has(uid) || isStuck(request.prefix)) return;
    seen.add(uid);
    const failure = problem(request.prefix);
    const result = failure === undefined ? await move(request) : { error: failure };
    if (request.operation === 'restore' && !('error' in result))
      await client
        .of(PersistentVolumeClaim)
        .patch(
          request.claim.name,
          { metadata: { annotations: { [POD_PHASE]: 'Succeeded' } } },
          { namespace: request.claim.namespace, type: 'merge' },
        )
        // A restore that has failed elsewhere takes its claims with it.
        .catch(ignoreNotFound);
    await report(pod, result);
  }

  async function report({ metadata: { name = '', namespace } }: Pod, result: BackupWorkResult): Promise<void> {
    const terminated = { exitCode: 0, message: JSON.stringify(result) };
    const status = {
      phase: 'error' in result ? 'Failed' : 'Succeeded',
      containerStatuses: [
        { name: 'worker', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ],
    };
    await client.of(Pod).patchStatus(name, { status }, { namespace, type: 'merge' }).catch(ignoreNotFound);
  }

  async function move(request: NonNullable<ReturnType<typeof backupWorkOf>>): Promise<BackupWorkResult> {
    const store = await openStore(request.target, {}, { runtimeDirectory: '/nowhere' });
    try {
      if (request.operation === 'upload') {
        const data = Buffer.alloc(SIZE_BYTES);
        data.write(request.volumeSnapshotContent);
        const read = async (offset: number, length: number) => data.subarray(offset, offset + length);
        return await writeVolume(store, request.prefix, { sizeBytes: SIZE_BYTES, read });
      }
      const disk = await openVolume(store, request.prefix, request.sha256);
      for await (const piece of disk.data()) void piece;
      return { sizeBytes: SIZE_BYTES, storedBytes: 0, sha256: request.sha256 };
    } catch (error) {
      return { error: (error as Error).message };
    } finally {
      await store.close();
    }
  }

  const attempt = (pod: Pod): void => {
    work(pod).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  informers.for(Pod, { labelSelector: BACKUP_WORK_SELECTOR }).on({ added: attempt, updated: (_, pod) => attempt(pod) });
  informers.start(signal);
  await informers.whenSynced();
}
