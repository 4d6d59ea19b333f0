import { isDeleting, type Persisted, type PersistentVolumeClaim, type Pod } from '@vireo/api';
import { IMPORT_FATAL, POD_PHASE, PROGRESS, RUNNING_MESSAGE, RUNNING_REASON } from '@vireo/api/kinds/cdi/names.ts';
import { hasEnded } from '@vireo/api/kinds/core/pod.ts';
import {
  type BackupWorkResult,
  backupWorkOf,
  backupWorkProgress,
  type RestoreRequest,
  type UploadRequest,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { type Informer, keyOf, type Result, runController, WorkQueue, watch } from '@vireo/kube';
import type { VolumeContext } from '../context.ts';
import { Progress } from '../populate/progress.ts';
import { NotReady } from '../provision/notReady.ts';
import { endedStatus, reportPod, runningStatus } from './podReport.ts';
import { upload } from './upload.ts';

/** How many volumes are copied to a target at once. */
const CONCURRENCY = 2;
const WAIT_MS = 5_000;

export interface BackupParts {
  /** The worker pods of this node. */
  readonly workers: Informer<Pod>;
  readonly contents: Informer<VolumeSnapshotContent>;
  /** Where file systems of targets are mounted. */
  readonly runtimeDirectory: string;
}

/** Copies to targets what worker pods ask for, and tells the pods of restores how far their claims are. */
export async function runBackups(context: VolumeContext, parts: BackupParts, signal: AbortSignal): Promise<void> {
  const { workers } = parts;
  const { claims, clock } = context;
  /** Of the uploads that go on, by the pod's uid. */
  const jobs = new Map<string, AbortController>();
  const cancel = ({ metadata }: Persisted<Pod>): undefined => {
    jobs.get(metadata.uid)?.abort();
  };
  const stopped = new WorkQueue({ clock });
  const stopping = runController(
    {
      name: 'cancelled-backups',
      for: workers,
      queue: stopped,
      // Of its own: others may be copied for hours, or wait for a target that does not answer.
      reconcile: async (key) => {
        const pod = workers.get(key);
        if (pod && isCancelled(pod) && !jobs.has(pod.metadata.uid)) await confirm(pod, context);
      },
    },
    context,
    signal,
  );
  const copying = runController(
    {
      name: 'backups',
      concurrency: CONCURRENCY,
      for: workers,
      watches: [
        // Who deletes a pod cancels its work.
        watch(workers, { updated: (_, pod) => (isDeleting(pod) ? cancel(pod) : undefined), deleted: cancel }),
        watch(claims, ({ metadata: { uid } }) =>
          workers
            .list()
            .filter((pod) => restoredUid(pod) === uid)
            .map(keyOf),
        ),
      ],
      reads: [parts.contents],
      reconcile: async (key) => {
        const pod = workers.get(key);
        const request = pod && !isDeleting(pod) && !hasEnded(pod) ? backupWorkOf(pod) : undefined;
        if (!pod || !request) return undefined;
        if (request.operation === 'restore') {
          await follow(pod, request, context);
          return undefined;
        }
        const job = new AbortController();
        jobs.set(pod.metadata.uid, job);
        try {
          return await carryOut(pod, request, context, parts, AbortSignal.any([signal, job.signal]));
        } finally {
          jobs.delete(pod.metadata.uid);
          stopped.add(key);
        }
      },
    },
    context,
    signal,
  );
  await Promise.all([stopping, copying]);
}

const isCancelled = (pod: Persisted<Pod>): boolean =>
  isDeleting(pod) && !hasEnded(pod) && backupWorkOf(pod)?.operation === 'upload';

/** Says that nothing more is written for a pod that was deleted. */
const confirm = (pod: Persisted<Pod>, { kubelet, clock }: VolumeContext): Promise<void> =>
  reportPod(kubelet, pod, endedStatus(pod, { error: 'the work was cancelled' }, new Date(clock.now())));

const restoredUid = (pod: Pod): string | undefined => {
  const request = backupWorkOf(pod);
  return request?.operation === 'restore' ? request.claim.uid : undefined;
};

async function carryOut(
  pod: Persisted<Pod>,
  request: UploadRequest,
  context: VolumeContext,
  { contents, workers, runtimeDirectory }: BackupParts,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { kubelet, clock, log } = context;
  const now = (): Date => new Date(clock.now());
  const report = (share: number): Promise<void> =>
    reportPod(kubelet, pod, runningStatus(pod, Math.floor(Math.min(share, 0.99) * 100), now()));
  let result: BackupWorkResult;
  try {
    await report(0);
    await using progress = new Progress(report, clock);
    const content = contents.get(request.volumeSnapshotContent);
    const onProgress = (share: number): void => progress.set(share);
    const isForgotten = (): boolean => workers.get(keyOf(pod))?.metadata.uid !== pod.metadata.uid;
    result = await upload(request, context, { kubelet, runtimeDirectory, content, onProgress, isForgotten, signal });
  } catch (error) {
    if (signal.aborted) {
      // Whoever comes after this agent begins anew.
      if (error !== signal.reason) log.warn('a volume that is not copied any more', pod, { error });
      return undefined;
    }
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof NotReady) {
      await reportPod(kubelet, pod, runningStatus(pod, 0, now(), message));
      return { requeueAfterMs: WAIT_MS };
    }
    log.warn('cannot copy a volume to the backup target', pod, { error });
    result = { error: message };
  }
  await reportPod(kubelet, pod, endedStatus(pod, result, now()));
  return undefined;
}

/** The claim says how its restore goes; its worker pod says the same. */
async function follow(
  pod: Persisted<Pod>,
  { claim: { namespace, name, uid }, sha256 }: RestoreRequest,
  { claims, kubelet, clock }: VolumeContext,
): Promise<void> {
  const claim = claims.get(`${namespace}/${name}`);
  if (claim?.metadata.uid !== uid) return;
  const result = restoreResult(claim, sha256);
  const now = new Date(clock.now());
  if (result) return reportPod(kubelet, pod, endedStatus(pod, result, now));
  const {
    [PROGRESS]: progress = '',
    [RUNNING_REASON]: reason,
    [RUNNING_MESSAGE]: message,
  } = claim.metadata.annotations ?? {};
  const percent = Math.min(99, Math.floor(Number.parseFloat(progress) || 0));
  const problem = reason === 'Error' || reason === 'Pending' ? message : undefined;
  const isNews = percent !== backupWorkProgress(pod) || (problem ?? '') !== (pod.status?.message ?? '');
  if (isNews || pod.status?.phase !== 'Running')
    await reportPod(kubelet, pod, runningStatus(pod, percent, now, problem));
}

function restoreResult(
  { metadata, status }: Persisted<PersistentVolumeClaim>,
  sha256: string,
): BackupWorkResult | undefined {
  const { [POD_PHASE]: phase, [IMPORT_FATAL]: isFatal, [RUNNING_MESSAGE]: error = '' } = metadata.annotations ?? {};
  if (isFatal === 'true') return { error };
  if (phase !== 'Succeeded') return undefined;
  return { sizeBytes: Number(toBytes(status?.capacity?.storage ?? '0')), storedBytes: 0, sha256 };
}
