import { controllerReference, type Persisted, PersistentVolumeClaim, type Pod } from '@vireo/api';
import { IMPORTER_LABELS, type ImportObjects } from '@vireo/api/kinds/cdi/importerPod.ts';
import { QEMU_USER } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { objectsVolume } from '../vmi/namedObjects.ts';

/** Nominal: the node imports by itself. */
const IMAGE = 'vireo/importer';
/** Nothing runs in it. The amounts are named for quotas that want to see some. */
const NOTHING = { cpu: '0', memory: '0' };
const LONGEST_NAME = 253;

/** The name of the importer pod of a claim, which follows from the claim, so that there is one. */
export const importerName = ({ metadata: { name, uid } }: Persisted<PersistentVolumeClaim>): string => {
  const full = `importer-${name}`;
  return full.length <= LONGEST_NAME ? full : `importer-${uid}`;
};

/** The pod that lets a node read what the import of a claim needs. */
export function importerPod(claim: Persisted<PersistentVolumeClaim>, node: string, objects: ImportObjects): Draft<Pod> {
  return {
    metadata: {
      name: importerName(claim),
      namespace: claim.metadata.namespace,
      labels: { ...IMPORTER_LABELS },
      ownerReferences: [controllerReference(claim, PersistentVolumeClaim)],
    },
    spec: {
      ...namingSpec('importer', objects),
      // The volume is there already: there is nothing for the scheduler to decide.
      nodeName: node,
      tolerations: [{ operator: 'Exists' }],
    },
  };
}

/** The spec of a pod that only names objects, and is gone as soon as it is deleted. */
export function namingSpec(container: string, { secrets, configMaps }: ImportObjects): NonNullable<Pod['spec']> {
  const volume = objectsVolume(secrets, configMaps);
  return {
    restartPolicy: 'Never',
    // With it goes the node's right.
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: QEMU_USER,
      runAsGroup: QEMU_USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: container,
        image: IMAGE,
        imagePullPolicy: 'IfNotPresent',
        resources: { requests: { ...NOTHING }, limits: { ...NOTHING } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: volume ? [volume] : [],
  };
}
