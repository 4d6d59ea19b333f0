import { conditionOf } from '../../conditions.ts';
import { isObject } from '../../json.ts';
import type { Pod } from '../core/pod.ts';
import type { BackupTarget } from './backupTarget.ts';

/**
 * A backup's controller has nodes move the data of volumes: for each volume it makes a worker pod on the node that has
 * the data. Nothing runs in the pod. It says what is to be done and names the Secret of the target, which lets the node
 * read that; the node writes into its status how far the work is, and how it has ended. Who deletes it cancels the work.
 * A pod that uploads stays until its node says that the work has ended: only then can what it wrote be removed for good.
 */

/** Where worker pods are: only controllers may make pods there, so nobody else can have nodes read and write targets. */
export const BACKUP_WORK_NAMESPACE = 'kubevirt';
/** The label of worker pods, whose value is the operation, and the selector that finds them. */
export const BACKUP_WORK = 'vireo.io/backup-work';
export const BACKUP_WORK_SELECTOR = BACKUP_WORK;
/** The annotation with the request, in JSON. */
export const BACKUP_WORK_REQUEST = 'vireo.io/backup-work-request';
/** The container of worker pods. */
export const BACKUP_WORK_CONTAINER = 'worker';
/** Keeps worker pods that upload until their nodes have said how the work has ended, which it has for deleted ones, too. */
export const BACKUP_WORK_PROTECTION = 'vireo.io/backup-work-protection';
/** The condition whose message says how far the work is, such as `42`, in percent. */
export const BACKUP_WORK_PROGRESS = 'vireo.io/Progress';

/** The value of `cdi.kubevirt.io/storage.import.source` on claims that a worker pod restores. */
export const BACKUP_IMPORT_SOURCE = 'backup';

/** Copies the data of a VolumeSnapshotContent to the target. */
export interface UploadRequest {
  readonly operation: 'upload';
  readonly target: BackupTarget;
  /** Of the volume on the target, as `volumePrefix` says it. */
  readonly prefix: string;
  /** Its name. */
  readonly volumeSnapshotContent: string;
}

/** Fills a claim, which asks for it by its import source, from the target. */
export interface RestoreRequest {
  readonly operation: 'restore';
  readonly target: BackupTarget;
  readonly prefix: string;
  /** What the upload said. */
  readonly sha256: string;
  readonly claim: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/** What a worker pod asks for. */
export type BackupWorkRequest = UploadRequest | RestoreRequest;

/** What a volume on the target is known by. */
export interface StoredVolume {
  /** Of the disk. */
  readonly sizeBytes: number;
  /** On the target. */
  readonly storedBytes: number;
  /** Of its manifest, which has the digests of the data. */
  readonly sha256: string;
}

/** How the work of a pod has ended. */
export type BackupWorkResult = StoredVolume | { readonly error: string };

/** The labels and annotations by which a pod asks for work. */
export const backupWorkMetadata = (
  request: BackupWorkRequest,
): { readonly labels: Record<string, string>; readonly annotations: Record<string, string> } => ({
  labels: { [BACKUP_WORK]: request.operation },
  annotations: { [BACKUP_WORK_REQUEST]: JSON.stringify(request) },
});

/** What a pod asks for; undefined where it is no worker pod. */
export function backupWorkOf({ metadata }: Pod): BackupWorkRequest | undefined {
  const { namespace, labels = {}, annotations = {} } = metadata;
  const operation = labels[BACKUP_WORK];
  const request = parse(annotations[BACKUP_WORK_REQUEST]);
  const isWork = namespace === BACKUP_WORK_NAMESPACE && operation !== undefined && request?.operation === operation;
  // Controllers alone write them, by the function above.
  return isWork ? (request as unknown as BackupWorkRequest) : undefined;
}

/** How far the work of a pod is, in percent. */
export function backupWorkProgress(pod: Pod): number {
  if (pod.status?.phase === 'Succeeded') return 100;
  const percent = Number(conditionOf(pod, BACKUP_WORK_PROGRESS)?.message ?? 0);
  return Number.isInteger(percent) ? Math.min(Math.max(percent, 0), 99) : 0;
}

/** How the work of a pod has ended; undefined while it has not. */
export function backupWorkResult({ status }: Pod): BackupWorkResult | undefined {
  const { phase } = status ?? {};
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const { message = '' } = status?.containerStatuses?.[0]?.state?.terminated ?? {};
  const said = parse(message);
  if (phase === 'Failed')
    return { error: typeof said?.error === 'string' ? said.error : status?.message || 'the worker pod failed' };
  const isStored = typeof said?.sizeBytes === 'number' && typeof said.sha256 === 'string';
  return isStored ? (said as unknown as StoredVolume) : { error: `the worker pod has said ${JSON.stringify(message)}` };
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
