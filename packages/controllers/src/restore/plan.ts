import { createHash } from 'node:crypto';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Content, VolumeBackup } from '../snapshot/kinds.ts';
import { stateVolumeOf } from '../snapshot/volumes.ts';
import type { Restore, VolumeRestore } from './kinds.ts';

/** One volume that is to be restored: what is kept of it, and what it becomes. */
export interface PlannedVolume {
  readonly backup: VolumeBackup;
  readonly restored: VolumeRestore;
}

type Volume = NonNullable<NonNullable<Vm['spec']['template']['spec']>['volumes']>[number];

/** The volumes that a restore brings back, under the names that they get. Follows from the objects alone. */
export function planVolumes(restore: Restore, { spec: { source, volumeBackups = [] } }: Content): PlannedVolume[] {
  const vm = source.virtualMachine;
  const volumes = vm?.spec?.template.spec?.volumes ?? [];
  return volumeBackups.flatMap((backup) => {
    const { volumeName, volumeSnapshotName = '' } = backup;
    const volume = volumes.find(({ name }) => name === volumeName);
    const isState = volumeName === stateVolumeOf(vm?.metadata?.name ?? '');
    // Dumps of memory are of the guest that was: the one that is restored has none.
    if (volume ? volume.memoryDump : !isState) return [];
    const claim = claimNameFor(restore, backup);
    const isTemplated = volume !== undefined && templateOf(vm?.spec, volume) !== undefined;
    const dataVolume = isTemplated ? { dataVolumeName: claim } : {};
    return [{ backup, restored: { volumeName, persistentVolumeClaim: claim, volumeSnapshotName, ...dataVolume } }];
  });
}

/** The template that the DataVolume of a volume is made from. */
export const templateOf = (spec: Vm['spec'] | undefined, { dataVolume }: Volume) =>
  dataVolume && spec?.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === dataVolume.name);

function claimNameFor({ metadata, spec }: Restore, { volumeName, persistentVolumeClaim }: VolumeBackup): string {
  const { volumeRestoreOverrides = [], volumeRestorePolicy = 'RandomizeNames', target } = spec;
  const given = volumeRestoreOverrides.find((each) => each.volumeName === volumeName)?.restoreName;
  if (given) return given;
  if (volumeRestorePolicy === 'InPlace') return persistentVolumeClaim.metadata?.name ?? '';
  if (volumeRestorePolicy === 'PrefixTargetName') return shorten(`${target.name}-${volumeName}`);
  return `restore-${metadata.uid}-${volumeName}`;
}

const LONGEST = 63;

/** A name that is no longer than labels may be, and that no other long one becomes. */
function shorten(name: string): string {
  if (name.length <= LONGEST) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST - hash.length - 1)}-${hash}`;
}

/** DataVolumes of a VM that its restored self has no use for. */
export function replacedDataVolumes(vm: Vm | undefined, planned: readonly PlannedVolume[]): string[] {
  const kept = new Set(planned.map(({ restored }) => restored.dataVolumeName));
  const restored = new Set(planned.map(({ restored: { volumeName } }) => volumeName));
  return (vm?.spec.template.spec?.volumes ?? [])
    .filter((volume) => restored.has(volume.name) && vm && templateOf(vm.spec, volume))
    .flatMap(({ dataVolume }) => (dataVolume && !kept.has(dataVolume.name) ? [dataVolume.name] : []))
    .sort();
}
