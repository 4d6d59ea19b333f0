import type { PersistentVolumeClaim } from '@vireo/api';
import { CONTENT_TYPE, POPULATED_FOR } from '@vireo/api/kinds/cdi/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  LAST_RESTORE,
  RESTORE_NAME,
  RESTORED_VM_NAME,
  RESTORED_VM_NAMESPACE,
} from '@vireo/api/kinds/snapshot/names.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { Draft } from '@vireo/kube';
import type { Content } from '../snapshot/kinds.ts';
import { type Restore, restoreMark } from './kinds.ts';
import type { PlannedVolume } from './plan.ts';

/** Who filled the old claim and with what says nothing about the new one. */
const NOT_RESTORED =
  /^(cdi\.kubevirt\.io|pv\.kubernetes\.io|volume(\.beta)?\.kubernetes\.io|kubectl\.kubernetes\.io)\//;
const CLONE_MARKS = ['k8s.io/CloneRequest', 'k8s.io/CloneOf'];

/** The claim that a VolumeSnapshot is restored to; `restoreSize`: the least that it needs. */
export function restoredClaim(
  restore: Restore,
  content: Content,
  { backup, restored }: PlannedVolume,
  { vm, restoreSize }: { readonly vm: Vm | undefined; readonly restoreSize: string | undefined },
): Draft<PersistentVolumeClaim> {
  const { metadata = {}, spec = {} } = backup.persistentVolumeClaim;
  const source = content.spec.source.virtualMachine?.metadata;
  const override = restore.spec.volumeRestoreOverrides?.find(({ volumeName }) => volumeName === backup.volumeName);
  const contentType = metadata.annotations?.[CONTENT_TYPE];
  const { accessModes, volumeMode, storageClassName, resources } = spec;
  return {
    metadata: {
      name: restored.persistentVolumeClaim,
      namespace: restore.metadata.namespace,
      labels: {
        ...metadata.labels,
        [RESTORED_VM_NAME]: source?.name ?? '',
        [RESTORED_VM_NAMESPACE]: source?.namespace ?? '',
        ...override?.labels,
      },
      annotations: {
        ...keptClaimAnnotations(metadata.annotations),
        ...(contentType && { [CONTENT_TYPE]: contentType }),
        ...(restored.dataVolumeName && { [POPULATED_FOR]: restored.dataVolumeName }),
        ...override?.annotations,
        [RESTORE_NAME]: restore.metadata.name,
        [LAST_RESTORE]: restoreMark(restore),
      },
      ...(vm && isOwned(restore) && { ownerReferences: [vmOwnerReference(vm)] }),
    },
    spec: {
      accessModes,
      volumeMode,
      storageClassName,
      resources: { requests: { storage: larger(String(resources?.requests?.storage ?? '0'), restoreSize) } },
      dataSource: {
        apiGroup: 'snapshot.storage.k8s.io',
        kind: 'VolumeSnapshot',
        name: restored.volumeSnapshotName,
      },
    },
  };
}

/** The annotations of a claim that its restored self has too. */
export const keptClaimAnnotations = (annotations: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !NOT_RESTORED.test(key) && !CLONE_MARKS.includes(key)),
  );

const larger = (asked: string, least = '0'): string => (toBytes(asked) >= toBytes(least) ? asked : least);

/** Whether restored claims go with the VM. */
export const isOwned = ({ spec }: Restore): boolean => spec.volumeOwnershipPolicy !== 'None';

/** The VM as an owner that is no controller: a DataVolume may be that. */
export const vmOwnerReference = ({ metadata }: Vm) => ({
  apiVersion: `${Vm.group}/${Vm.version}`,
  kind: Vm.kind,
  name: metadata.name,
  uid: metadata.uid,
});
