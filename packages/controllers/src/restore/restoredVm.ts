import { ApiError, type ControllerRevision } from '@vireo/api';
import { applyJsonPatch, JsonPatchError } from '@vireo/api/jsonPatch.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { LAST_RESTORE } from '@vireo/api/kinds/snapshot/names.ts';
import { restoredVm } from '@vireo/api/kinds/snapshot/restoredVm.ts';
import { MATCHER_FIELDS, OBJECT_LABEL } from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';
import type { Content } from '../snapshot/kinds.ts';
import { type Restore, restoreMark } from './kinds.ts';
import { type PlannedVolume, templateOf } from './plan.ts';

type Spec = Vm['spec'];
type Volume = NonNullable<NonNullable<Spec['template']['spec']>['volumes']>[number];

/** The spec that was kept, on the disks that were restored. */
export function restoredSpec(content: Content, planned: readonly PlannedVolume[]): Spec {
  const kept = content.spec.source.virtualMachine?.spec;
  if (!kept) throw new TypeError(`VirtualMachineSnapshotContent ${content.metadata.name} does not contain a VM`);
  const restoredOf = (volume: Volume) => planned.find(({ restored }) => restored.volumeName === volume.name)?.restored;
  const { template, dataVolumeTemplates } = kept;
  const volumes = template.spec?.volumes
    ?.filter(({ memoryDump }) => !memoryDump)
    .map((volume) => {
      const restored = restoredOf(volume);
      return restored ? onClaim(volume, restored.persistentVolumeClaim, restored.dataVolumeName) : volume;
    });
  const templates = dataVolumeTemplates?.map((each) => {
    const user = template.spec?.volumes?.find((volume) => templateOf(kept, volume) === each);
    const name = user && restoredOf(user)?.dataVolumeName;
    return name ? { ...each, metadata: { ...each.metadata, name } } : each;
  });
  return {
    ...kept,
    ...(templates && { dataVolumeTemplates: templates }),
    template: { ...template, ...(template.spec && { spec: { ...template.spec, ...(volumes && { volumes }) } }) },
  };
}

/** A volume on its restored claim; a DataVolume that nobody makes is only a claim. */
function onClaim(volume: Volume, claimName: string, dataVolumeName: string | undefined): Volume {
  const { dataVolume, persistentVolumeClaim, ...rest } = volume;
  if (dataVolumeName) return { ...rest, dataVolume: { ...dataVolume, name: dataVolumeName } };
  const { name: _, ...how } = dataVolume ?? { name: '' };
  return { ...rest, persistentVolumeClaim: { ...how, ...persistentVolumeClaim, claimName } };
}

/** Where a copy of a revision that a snapshot keeps goes for the VM that is restored. */
export const targetRevisionName = (target: string, { metadata, data }: ControllerRevision): string => {
  const labels = metadata.labels ?? {};
  const { name, uid, generation, version } = OBJECT_LABEL;
  const parts = [labels[name], labels[version], labels[uid], labels[generation]];
  if (parts.some((part) => !part)) return `${target}-${(data as { metadata?: { name?: string } })?.metadata?.name}`;
  return [target, ...parts].join('-');
};

/** The revisions of types that a VM names. */
export const revisionsOf = (spec: Spec | undefined): string[] =>
  MATCHER_FIELDS.flatMap((field) => spec?.[field]?.revisionName ?? []);

/** The spec with its types named by other revisions. */
export function withRevisions(spec: Spec, names: ReadonlyMap<string, string>): Spec {
  const matchers = MATCHER_FIELDS.flatMap((field) => {
    const matcher = spec[field];
    const revisionName = names.get(matcher?.revisionName ?? '');
    return matcher && revisionName ? [[field, { ...matcher, revisionName }]] : [];
  });
  return { ...spec, ...Object.fromEntries(matchers) };
}

/** An existing VM with the spec that was kept. Whether it is to run is its own business. */
export function restoredExisting(vm: Vm, spec: Spec): Spec {
  const { running: _, runStrategy: __, ...rest } = spec;
  if (vm.spec.running !== undefined) return { ...rest, running: false };
  return { ...rest, runStrategy: vm.spec.runStrategy };
}

/** A VM that is made from a snapshot: halted, and changed as the restore says. */
export function restoredNew(restore: Restore, content: Content, spec: Spec): Draft<Vm> {
  const { metadata = {} } = content.spec.source.virtualMachine ?? {};
  const at = { name: restore.spec.target.name, namespace: restore.metadata.namespace };
  const patched = patchedVm(restoredVm(metadata, spec, at), restore.spec.patches ?? []) as Draft<Vm>;
  const marked = { ...patched.metadata.annotations, [LAST_RESTORE]: restoreMark(restore) };
  return { ...patched, metadata: { ...patched.metadata, annotations: marked } };
}

/** Applies patches as restores carry them: one JSON object each, or a list. */
function patchedVm(vm: object, patches: readonly string[]): object {
  const operations = patches.flatMap((patch) => JSON.parse(patch) as unknown);
  try {
    return applyJsonPatch(vm, operations) as object;
  } catch (error) {
    throw error instanceof JsonPatchError
      ? new ApiError('Invalid', `spec.patches cannot be applied: ${error.why}`)
      : error;
  }
}
