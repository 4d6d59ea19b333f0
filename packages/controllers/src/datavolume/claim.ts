import {
  controllerReference,
  defaultVirtStorageClass,
  type Persisted,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSourceSpec } from '@vireo/api/kinds/cdi/dataVolumeSource.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import type { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import type { Draft } from '@vireo/kube';
import { requestOf } from './source.ts';

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;

/** What fills in fields that the DataVolume leaves open. */
export interface ClaimContext {
  readonly classes: readonly StorageClass[];
  readonly profile: (storageClass: string) => StorageProfile | undefined;
  /** The size of what is copied. */
  readonly sourceSize: string | undefined;
}

/** The claim of a DataVolume: of its name, with its labels and annotations, and what it is to be filled with. */
export function claimFor(
  dataVolume: Persisted<DataVolume>,
  source: DataVolumeSourceSpec | undefined,
  context: ClaimContext,
): Draft<PersistentVolumeClaim> {
  const { metadata, spec } = dataVolume;
  const claim = claimSpec(dataVolume, context);
  const { [names.POPULATED_FOR]: _, ...annotations } = metadata.annotations ?? {};
  return {
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      labels: {
        ...metadata.labels,
        app: 'containerized-data-importer',
        'app.kubernetes.io/component': 'storage',
        'app.kubernetes.io/managed-by': 'cdi-controller',
        ...(claim.volumeMode !== 'Block' && { 'alerts.k8s.io/KubePersistentVolumeFillingUp': 'disabled' }),
      },
      annotations: {
        ...annotations,
        ...requestOf(source),
        [names.CONTENT_TYPE]: spec.contentType || 'kubevirt',
        [names.POD_RESTARTS]: '0',
        [names.CREATED_FOR]: metadata.uid,
        ...(spec.preallocation && { [names.PREALLOCATION_REQUESTED]: 'true' }),
      },
      ownerReferences: [controllerReference(dataVolume, DataVolume)],
    },
    spec: claim,
  };
}

function claimSpec({ spec }: Persisted<DataVolume>, { classes, profile, sourceSize }: ClaimContext): ClaimSpec {
  if (spec.pvc) return { ...spec.pvc };
  const { storage = {} } = spec;
  const storageClassName = storage.storageClassName ?? defaultVirtStorageClass(classes)?.metadata.name;
  const sets = profile(storageClassName ?? '')?.status?.claimPropertySets ?? [];
  const wanted = storage.volumeMode === 'FromStorageProfile' ? undefined : storage.volumeMode;
  const set = sets.find(({ volumeMode }) => wanted === undefined || volumeMode === wanted);
  const { volumeMode: _, ...rest } = storage;
  return {
    ...rest,
    accessModes: storage.accessModes ?? set?.accessModes ?? ['ReadWriteOnce'],
    volumeMode: wanted ?? set?.volumeMode ?? 'Filesystem',
    resources: {
      ...storage.resources,
      requests: { ...(sourceSize !== undefined && { storage: sourceSize }), ...storage.resources?.requests },
    },
    ...(storageClassName !== undefined && { storageClassName }),
  };
}
