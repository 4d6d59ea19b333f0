import { controllerReference, type Persisted, Pod } from '@vireo/api';
import {
  ATTACHMENT_LABELS,
  type PluggedClaim,
  PROVISIONING_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { QEMU_USER } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { LAUNCHER_IMAGE } from './launcherPod.ts';

const PREFIX = 'hp-volume-';

/** Nothing runs in it. The amounts are named for quotas that want to see some. */
const NOTHING = { cpu: '0', memory: '0' };

/**
 * Its node finishes the deletion when the disks are out of the guest. With KubeVirt's grace of nothing the server would
 * not wait for the node.
 */
const GRACE_SECONDS = 30;

/** The guest is there already, so what is plugged into it may still come when the node is to take no new pods. */
const COMES_TO_CORDONED_NODES = {
  key: 'node.kubernetes.io/unschedulable',
  operator: 'Exists',
  effect: 'NoSchedule',
} as const;

export interface AttachmentOptions {
  /** It only makes claims that wait for their first consumer be bound. */
  readonly toBind?: boolean;
  /** All its claims are on volumes of the launcher's node: there is nothing left for the scheduler to decide. */
  readonly isPlaced?: boolean;
}

/** The pod that names claims for as long as they are plugged into the guest of a launcher pod. */
export function attachmentPod(
  launcher: Persisted<Pod>,
  claims: readonly PluggedClaim[],
  { toBind = false, isPlaced = false }: AttachmentOptions = {},
): Draft<Pod> {
  const { namespace } = launcher.metadata;
  const { nodeName = '', tolerations = [] } = launcher.spec ?? {};
  return {
    metadata: {
      generateName: PREFIX,
      namespace,
      labels: { ...ATTACHMENT_LABELS },
      ...(toBind && { annotations: { [PROVISIONING_ANNOTATION]: 'true' } }),
      ownerReferences: [controllerReference(launcher, Pod)],
    },
    spec: {
      ...(isPlaced && { nodeName }),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: GRACE_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
          },
        },
      },
      tolerations: [...tolerations, COMES_TO_CORDONED_NODES],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: QEMU_USER,
        runAsGroup: QEMU_USER,
        fsGroup: QEMU_USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'hotplug-disk',
          image: LAUNCHER_IMAGE,
          imagePullPolicy: 'IfNotPresent',
          command: ['/usr/bin/container-disk'],
          resources: { requests: { ...NOTHING }, limits: { ...NOTHING } },
          securityContext: {
            runAsNonRoot: true,
            runAsUser: QEMU_USER,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
      volumes: claims.map(({ volume, claim }) => ({ name: volume, persistentVolumeClaim: { claimName: claim } })),
    },
  };
}
