import {
  type ControllerRevision,
  controllerReference,
  isConditionTrue,
  type ObjectMeta,
  type Persisted,
} from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { CONTENT_PROTECTION, SOURCE_VM_NAME, SOURCE_VM_NAMESPACE } from '@vireo/api/kinds/snapshot/names.ts';
import { TAKEN_WITH, TAKEN_WITH_COUNT } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { MATCHER_FIELDS } from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';
import { withRevisionNames } from '../instancetypes/revisionNames.ts';
import { Content, contentNameOf, type Snapshot, type VolumeBackup } from './kinds.ts';
import type { SourceVolume } from './volumes.ts';

/** The content of a snapshot: the VM as it is, and the VolumeSnapshots of its claims. */
export function contentFor(
  snapshot: Snapshot,
  vm: Vm,
  volumes: readonly SourceVolume[],
  started: Vm['spec'] | undefined,
): Draft<Content> {
  const { name, namespace, uid } = snapshot.metadata;
  const volumeBackups = volumes.flatMap(({ volume, claim, snapshotClass }): VolumeBackup[] =>
    claim && snapshotClass
      ? [
          {
            volumeName: volume,
            persistentVolumeClaim: { metadata: keptMetadata(claim.metadata), spec: claim.spec },
            volumeSnapshotName: `vmsnapshot-${uid}-volume-${volume}`,
          },
        ]
      : [],
  );
  return {
    metadata: { name: contentNameOf(snapshot), namespace, finalizers: [CONTENT_PROTECTION] },
    spec: {
      virtualMachineSnapshotName: name,
      source: {
        virtualMachine: { metadata: keptMetadata(vm.metadata), spec: specOf(snapshot, vm, started), status: vm.status },
      },
      volumeBackups,
    },
  };
}

const keptMetadata = ({ name, namespace, uid, labels, annotations }: ObjectMeta): ObjectMeta => ({
  name,
  namespace,
  uid,
  ...(labels && { labels: { ...labels } }),
  ...(annotations && { annotations: { ...annotations } }),
});

/** What the VM runs as: what it was started from, with the disks and cards that it has by now. Types are named by our copies. */
function specOf(snapshot: Snapshot, vm: Vm, started: Vm['spec'] | undefined): Vm['spec'] {
  const spec = started ? withDevicesOf(started, vm) : withRevisionNames(vm);
  const matchers = MATCHER_FIELDS.flatMap((field) => {
    const matcher = spec[field];
    if (!matcher?.revisionName) return [];
    return [[field, { ...matcher, revisionName: revisionCopyName(snapshot, matcher.revisionName) }]];
  });
  return { ...spec, ...Object.fromEntries(matchers) };
}

function withDevicesOf(started: Vm['spec'], vm: Vm): Vm['spec'] {
  const { dataVolumeTemplates, template: now } = vm.spec;
  const { template } = started;
  if (!template.spec || !now.spec) return started;
  const { domain } = template.spec;
  const { disks, interfaces } = now.spec.domain.devices;
  // Cards of a template that waits for a restart may be others than those of the guest.
  const hasCards = !isConditionTrue(vm, 'RestartRequired');
  const devices = { ...domain.devices, disks, ...(hasCards && { interfaces }) };
  const { networks, volumes } = now.spec;
  const spec = { ...template.spec, volumes, ...(hasCards && { networks }), domain: { ...domain, devices } };
  return { ...started, dataVolumeTemplates, template: { ...template, spec } };
}

/** The name of a snapshot's own copy of a revision. */
const revisionCopyName = ({ metadata }: Snapshot, revision: string): string => `${metadata.name}-${revision}`;

/** The revisions that a VM names, in the words of the VM as it is or was started. */
export const revisionNames = (vm: Vm, started: Vm['spec'] | undefined): string[] =>
  MATCHER_FIELDS.flatMap((field) => (started ?? withRevisionNames(vm))[field]?.revisionName ?? []);

/** A copy of a revision that stays as long as the content does. */
export const revisionCopy = (
  snapshot: Snapshot,
  content: Content,
  { metadata, data, revision }: Persisted<ControllerRevision>,
): Draft<ControllerRevision> => ({
  metadata: {
    name: revisionCopyName(snapshot, metadata.name),
    namespace: metadata.namespace,
    labels: { ...metadata.labels },
    ownerReferences: [controllerReference(content, Content)],
  },
  data,
  revision,
});

/** What keeps the state of one claim. Those of a VM that runs are to be of one moment. */
export function volumeSnapshotFor(
  content: Content,
  { volumeSnapshotName, persistentVolumeClaim }: VolumeBackup,
  { snapshotClass, together }: { readonly snapshotClass: string; readonly together: number },
): Draft<VolumeSnapshot> {
  const vm = content.spec.source.virtualMachine?.metadata;
  return {
    metadata: {
      name: volumeSnapshotName,
      namespace: content.metadata.namespace,
      labels: { [SOURCE_VM_NAME]: vm?.name ?? '', [SOURCE_VM_NAMESPACE]: vm?.namespace ?? '' },
      ...(together > 1 && {
        annotations: { [TAKEN_WITH]: content.metadata.uid, [TAKEN_WITH_COUNT]: String(together) },
      }),
      ownerReferences: [controllerReference(content, Content)],
    },
    spec: {
      source: { persistentVolumeClaimName: persistentVolumeClaim.metadata?.name },
      volumeSnapshotClassName: snapshotClass,
    },
  };
}
