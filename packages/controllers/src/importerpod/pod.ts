import { controllerReference, type Persisted, PersistentVolumeClaim, type Pod } from '@vireo/api';
import { IMPORTER_LABELS, type ImportObjects } from '@vireo/api/kinds/cdi/importerPod.ts';
import type { Draft } from '@vireo/kube';
import { namingSpec } from '../namingPod.ts';

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
