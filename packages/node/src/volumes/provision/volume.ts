import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import {
  PROVISIONED_BY,
  PROVISIONER_FINALIZER,
  SHARED_ID,
  SHARED_PROVISIONER,
  sharedLabel,
  VOLUME_MANAGER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { formatQuantity, parseQuantity } from '@vireo/api/quantity.ts';
import type { Draft } from '@vireo/kube';
import { HOSTNAME_LABEL } from '../names.ts';

/** The volume object for a claim whose directory is made. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  made: { readonly name: string; readonly path: string; readonly sizeBytes: number; readonly node: string },
): Draft<PersistentVolume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const { accessModes, volumeMode } = claim.spec ?? {};
  const sharedId =
    storageClass.provisioner === SHARED_PROVISIONER ? storageClass.metadata.annotations?.[SHARED_ID] : '';
  const place = sharedId
    ? { key: sharedLabel(sharedId), operator: 'Exists' }
    : { key: HOSTNAME_LABEL, operator: 'In', values: [made.node] };
  return {
    metadata: {
      name: made.name,
      annotations: { [PROVISIONED_BY]: storageClass.provisioner, ...(sharedId && { [VOLUME_MANAGER]: made.node }) },
      finalizers: [PROVISIONER_FINALIZER],
    },
    spec: {
      accessModes,
      capacity: { storage: sizeText(made.sizeBytes) },
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', name, namespace, uid, resourceVersion },
      local: { path: made.path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [place] }],
        },
      },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode,
    },
  };
}

/** Whole MiB in Kubernetes' words: `5Gi`. */
export const sizeText = (sizeBytes: number): string => formatQuantity(parseQuantity(`${sizeBytes / 1024 ** 2}Mi`));
