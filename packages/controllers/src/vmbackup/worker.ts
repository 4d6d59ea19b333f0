import type { Persisted, Pod } from '@vireo/api';
import { BACKUP_TARGET_SECRET } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_WORK_CONTAINER,
  BACKUP_WORK_NAMESPACE,
  type BackupWorkRequest,
  backupWorkMetadata,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { type Draft, keyOf } from '@vireo/kube';
import { namingSpec } from '../namingPod.ts';

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
