import type { Node, Persisted, Pod } from '@vireo/api';
import { BACKUP_TARGET_SECRET } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_WORK_CONTAINER,
  BACKUP_WORK_NAMESPACE,
  BACKUP_WORK_PROTECTION,
  type BackupWorkRequest,
  backupWorkMetadata,
  backupWorkResult,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { isOutOfService } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { type Draft, keyOf } from '@vireo/kube';
import { namingSpec } from '../namingPod.ts';
import { isReady } from '../placement/nodes.ts';

/** On worker pods: whose they are, as `namespace/name uid`. */
const WORKS_FOR = 'vireo.io/backup-work-for';

/** A backup or a restore. */
type Owner = Pick<Persisted, 'metadata'>;

/** The worker pod of one volume of a backup or a restore. Its name follows from both, so that there is one. */
export const workerPod = (owner: Owner, index: number, node: string, request: BackupWorkRequest): Draft<Pod> => {
  const { labels, annotations } = backupWorkMetadata(request);
  return {
    metadata: {
      name: workerName(owner, index),
      namespace: BACKUP_WORK_NAMESPACE,
      labels,
      annotations: { ...annotations, [WORKS_FOR]: `${keyOf(owner)} ${owner.metadata.uid}` },
      ...(request.operation === 'upload' && { finalizers: [BACKUP_WORK_PROTECTION] }),
    },
    spec: {
      ...namingSpec(BACKUP_WORK_CONTAINER, { secrets: [BACKUP_TARGET_SECRET.name], configMaps: [] }),
      // The data is there: there is nothing for the scheduler to decide.
      nodeName: node,
      tolerations: [{ operator: 'Exists' }],
    },
  };
};

/** The name of the worker pod of a volume, by its place among the volumes. */
export const workerName = ({ metadata }: Owner, index: number): string => `backup-work-${metadata.uid}-${index}`;

/** The key of the backup or restore that a worker pod is for. */
export const workedForKey = ({ metadata }: Pod): string | undefined => metadata.annotations?.[WORKS_FOR]?.split(' ')[0];

/** The uid of the backup or restore that a worker pod is for. */
export const workedForUid = ({ metadata }: Pod): string | undefined => metadata.annotations?.[WORKS_FOR]?.split(' ')[1];

/**
 * Whether nothing more is written for a worker pod: its node says so, or nobody expects to hear of that node again, as of
 * one that was removed or whose host is off by an administrator's word.
 */
export const hasStopped = (pod: Pod, node: Node | undefined): boolean =>
  backupWorkResult(pod) !== undefined || node === undefined || (isOutOfService(node) && !isReady(node));
