import { createHash } from 'node:crypto';
import { controllerOf, controllerReference, isDeleting, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import { needsBackendStorage } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import { claimInfo } from '@vireo/api/kinds/kubevirt/claimInfo.ts';
import { MIGRATION_JOB_NAME_ANNOTATION, type Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi, type VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { generateName } from '@vireo/api/names.ts';
import type { ClusterConfig } from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';

/** The label by which the claim with a VM's state is found; its value is the VM's name. */
export const STATE_LABEL = 'persistent-state-for';

/** The label of a claim that the state moves to with its guest; its value is the name of the migration. */
export const MIGRATION_NAME_LABEL = 'kubevirt.io/migrationName';

/** For the index of claims: the key of the VM whose state a claim holds. */
export const backendStorageClaimKeys = ({ metadata }: Persisted<PersistentVolumeClaim>): string[] => {
  const vm = metadata.labels?.[STATE_LABEL];
  return vm === undefined ? [] : [`${metadata.namespace}/${vm}`];
};

/** Room for UEFI's variables and a TPM, which is KubeVirt's measure. */
const SIZE = '10Mi';

/** Whether the VM has firmware that remembers. */
export const hasBackendStorage = ({ spec }: Vmi): boolean => needsBackendStorage(spec);

/** The claim that holds a VM's state: the newest of those that carry its name. */
export const currentBackendStorageClaim = (
  claims: readonly Persisted<PersistentVolumeClaim>[],
): Persisted<PersistentVolumeClaim> | undefined =>
  claims.filter((claim) => !isDeleting(claim)).sort((a, b) => createdAt(b) - createdAt(a))[0];

const createdAt = ({ metadata }: Persisted<PersistentVolumeClaim>): number => Date.parse(metadata.creationTimestamp);

/**
 * The claim for a VM's state. It belongs to the VM, so that it stays from one VMI to the next and goes
 * with the VM; the claim of a VMI without a VM goes with that.
 */
export function backendStorageClaim(
  vmi: Vmi,
  { configuration }: Pick<ClusterConfig, 'configuration'>,
): Draft<PersistentVolumeClaim> {
  const { name, namespace } = vmi.metadata;
  const owner = controllerOf(vmi) ?? controllerReference(vmi, Vmi);
  const { vmStateStorageClass } = configuration;
  return {
    metadata: {
      name: generatedName(`${STATE_LABEL}-${name}-`, owner.uid),
      namespace,
      labels: { [STATE_LABEL]: name },
      ownerReferences: [owner],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      resources: { requests: { storage: SIZE } },
      ...(vmStateStorageClass && { storageClassName: vmStateStorageClass }),
    },
  };
}

/** The name of the claim that a VM's state moves to by a migration. */
export const migratedStateClaimName = ({ metadata }: Migration, vmiName: string): string =>
  generatedName(`${STATE_LABEL}-${vmiName}-`, metadata.uid);

/**
 * The claim that a VM's state moves to with its guest: like the one that it leaves, and nobody's until the guest has come.
 * It takes its label then, and the other one goes.
 */
export function migratedStateClaim(
  migration: Migration,
  vmi: Vmi,
  { metadata, spec }: Persisted<PersistentVolumeClaim>,
): Draft<PersistentVolumeClaim> {
  const { accessModes, volumeMode, resources, storageClassName } = spec ?? {};
  return {
    metadata: {
      name: migratedStateClaimName(migration, vmi.metadata.name),
      namespace: metadata.namespace,
      labels: { [MIGRATION_NAME_LABEL]: labelValue(migration.metadata.name) },
      annotations: { [MIGRATION_JOB_NAME_ANNOTATION]: migration.metadata.name },
      ownerReferences: metadata.ownerReferences,
    },
    spec: {
      accessModes,
      volumeMode,
      resources: { requests: resources?.requests },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}

/** As much of a name as a label takes. */
const labelValue = (name: string): string => name.slice(0, 63).replace(/[^a-z0-9]+$/i, '');

/** Looks generated and follows from the owner: however often it is made, there is one. */
function generatedName(prefix: string, uid: string): string {
  const bytes = createHash('sha256').update(uid).digest();
  let next = 0;
  return generateName(prefix, () => bytes.readUInt32BE(4 * next++) / 2 ** 32);
}

/** What a VMI says of its volumes, with the claim of its state among them. */
export function withBackendStorageClaim(
  volumes: VmiStatus['volumeStatus'],
  claim: Persisted<PersistentVolumeClaim>,
): NonNullable<VmiStatus['volumeStatus']> {
  const { name } = claim.metadata;
  const others = (volumes ?? []).filter((each) => each.name !== name);
  return [...others, { name, target: '', persistentVolumeClaimInfo: claimInfo(claim) }].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}
