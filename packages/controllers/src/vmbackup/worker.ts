import type { Persisted, Pod } from '@vireo/api';
import { BACKUP_TARGET_SECRET } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_WORK_CONTAINER,
  BACKUP_WORK_NAMESPACE,
  type BackupWorkRequest,
  backupWorkMetadata,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { QEMU_USER } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Draft, keyOf } from '@vireo/kube';
import { objectsVolume } from '../vmi/namedObjects.ts';

/** On worker pods: whose they are, as `namespace/name uid`. */
const WORKS_FOR = 'vireo.io/backup-work-for';
/** Nominal: the node works by itself. */
const IMAGE = 'vireo/backup-worker';
/** Nothing runs in it. The amounts are named for quotas that want to see some. */
const NOTHING = { cpu: '0', memory: '0' };

/** A backup or a restore. */
type Owner = Pick<Persisted, 'metadata'>;

/** The worker pod of one volume of a backup or a restore. Its name follows from both, so that there is one. */
export const workerPod = (owner: Owner, index: number, node: string, request: BackupWorkRequest): Draft<Pod> => {
  const { labels, annotations } = backupWorkMetadata(request);
  const volume = objectsVolume([BACKUP_TARGET_SECRET.name], []);
  return {
    metadata: {
      name: workerName(owner, index),
      namespace: BACKUP_WORK_NAMESPACE,
      labels,
      annotations: { ...annotations, [WORKS_FOR]: `${keyOf(owner)} ${owner.metadata.uid}` },
    },
    spec: {
      // The data is there: there is nothing for the scheduler to decide.
      nodeName: node,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [{ operator: 'Exists' }],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: QEMU_USER,
        runAsGroup: QEMU_USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: BACKUP_WORK_CONTAINER,
          image: IMAGE,
          imagePullPolicy: 'IfNotPresent',
          resources: { requests: { ...NOTHING }, limits: { ...NOTHING } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
      volumes: volume ? [volume] : [],
    },
  };
};

/** The name of the worker pod of a volume, by its place among the volumes. */
export const workerName = ({ metadata }: Owner, index: number): string => `backup-work-${metadata.uid}-${index}`;

/** The key of the backup or restore that a worker pod is for. */
export const workedForKey = ({ metadata }: Pod): string | undefined => metadata.annotations?.[WORKS_FOR]?.split(' ')[0];

/** The uid of the backup or restore that a worker pod is for. */
export const workedForUid = ({ metadata }: Pod): string | undefined => metadata.annotations?.[WORKS_FOR]?.split(' ')[1];
