import { isConditionTrue, type PersistentVolumeClaim } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, isHotpluggable, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { MIGRATION_STRATEGY, migratedVolumes, volumeMoveRefusal } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import type { PersistentVolumeClaimInfo, StorageMigratedVolumeInfo } from '@vireo/api/kinds/kubevirt/volumeStatus.ts';
import type { ClaimLookup } from '../claims.ts';
import { drivesOf } from './hotplug.ts';

type Spec = Vm['spec'];
type TemplateSpec = NonNullable<Spec['template']['spec']>;

/** What becomes of volumes that a VM has on other claims than its VMI. */
export type VolumeUpdate =
  | { readonly action: 'none' }
  /** They move: the VMI gets the volumes, and its guest a migration that copies them. */
  | {
      readonly action: 'migrate';
      readonly volumes: readonly Volume[];
      readonly migrated: readonly StorageMigratedVolumeInfo[];
    }
  /** They stay: the VMI gets the volumes back that its guest has. */
  | { readonly action: 'cancel'; readonly volumes: readonly Volume[] }
  /** What they are to move to is not there. */
  | { readonly action: 'wait'; readonly message: string }
  /** They change with the next start only. */
  | { readonly action: 'refuse'; readonly message: string }
  /** While volumes move, only the way back is open. */
  | { readonly action: 'fail'; readonly message: string };

const NONE: VolumeUpdate = { action: 'none' };

export const movesVolumes = ({ updateVolumesStrategy }: Spec): boolean => updateVolumesStrategy === MIGRATION_STRATEGY;

/** A volume that is on one claim and is to be on another. */
interface ChangedVolume {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly wanted: Volume;
}

/** The volumes that both have, on different claims. Discs are exchanged, not moved. */
function changedVolumes(wanted: TemplateSpec | undefined, current: Vmi['spec']): ChangedVolume[] {
  const drives = drivesOf(current.domain.devices?.disks);
  return (wanted?.volumes ?? []).flatMap((volume) => {
    const before = current.volumes?.find(({ name }) => name === volume.name);
    const [from, to] = [before && claimNameOf(before), claimNameOf(volume)];
    if (from === undefined || to === undefined || from === to) return [];
    if (drives.has(volume.name) && isHotpluggable(volume)) return [];
    return [{ name: volume.name, from, to, wanted: volume }];
  });
}

/** Decides what becomes of them, for a VMI that runs. */
export function decideVolumeUpdate(vm: Spec, vmi: Vmi, claimOf: ClaimLookup): VolumeUpdate {
  const template = vm.template.spec;
  const moving = migratedVolumes(vmi);
  if (moving.length > 0) return whileMoving(vm, vmi, moving);
  const changed = changedVolumes(template, vmi.spec);
  if (!movesVolumes(vm) || changed.length === 0) return NONE;
  const refusal = volumeMoveRefusal(vmi, changed, claimOf);
  if (refusal !== undefined) return { action: 'refuse', message: refusal };
  // A guest that has just started: its node says soon whether it can move.
  if (!isConditionTrue(vmi, 'StorageLiveMigratable')) return NONE;
  const missing = changed.filter(({ to }) => !claimOf(to)).map(({ to }) => to);
  if (missing.length > 0)
    return { action: 'wait', message: `One of the destination volumes doesn't exist: ${missing.join(', ')}` };
  return {
    action: 'migrate',
    volumes: replaced(vmi, (volume) => changed.find(({ name }) => name === volume.name)?.wanted ?? volume),
    migrated: changed.map(({ name, from, to }) => ({
      volumeName: name,
      sourcePVCInfo: claimInfo(from, claimOf(from)),
      destinationPVCInfo: claimInfo(to, claimOf(to)),
    })),
  };
}

function whileMoving(vm: Spec, vmi: Vmi, moving: readonly StorageMigratedVolumeInfo[]): VolumeUpdate {
  const wanted = vm.template.spec?.volumes ?? [];
  const isBack = (volume: Volume): boolean => {
    const source = moving.find(({ volumeName }) => volumeName === volume.name)?.sourcePVCInfo?.claimName;
    return source !== undefined && claimNameOf(volume) === source;
  };
  const changed = changedVolumes(vm.template.spec, vmi.spec);
  const isCancelled = changed.length === moving.length && changed.every((each) => isBack(each.wanted));
  // Whoever wants the change with the next start wants the guest to stay as it is.
  if (isCancelled || !movesVolumes(vm)) {
    const former = (volume: Volume): Volume => {
      const source = moving.find(({ volumeName }) => volumeName === volume.name)?.sourcePVCInfo?.claimName;
      if (source === undefined) return volume;
      const given = wanted.find((each) => each.name === volume.name && claimNameOf(each) === source);
      return given ?? { name: volume.name, persistentVolumeClaim: { claimName: source } };
    };
    return { action: 'cancel', volumes: replaced(vmi, former) };
  }
  if (changed.length === 0) return NONE;
  return { action: 'fail', message: 'The volume can only be reverted to the previous version during the update' };
}

const replaced = ({ spec }: Vmi, replace: (volume: Volume) => Volume): Volume[] => (spec.volumes ?? []).map(replace);

function claimInfo(claimName: string, claim: PersistentVolumeClaim | undefined): PersistentVolumeClaimInfo {
  const { accessModes, resources, volumeMode } = claim?.spec ?? {};
  const { capacity } = claim?.status ?? {};
  return {
    claimName,
    ...(accessModes && { accessModes }),
    ...(volumeMode && { volumeMode }),
    ...(resources?.requests && { requests: resources.requests }),
    ...(capacity && { capacity }),
  } as PersistentVolumeClaimInfo;
}

/** The settings that a VMI was started with, on the claims that it has by now: volumes that move need no restart. */
export function withMovedVolumes(started: Spec, current: Spec, vmi: Pick<Vmi, 'spec'>): Spec {
  const { spec } = started.template;
  const now = current.template.spec?.volumes ?? [];
  const claimIn = (volumes: readonly Volume[] | undefined, of: string): string | undefined => {
    const found = volumes?.find(({ name }) => name === of);
    return found && claimNameOf(found);
  };
  const volumes = spec?.volumes?.map((volume) => {
    const same = now.find(({ name }) => name === volume.name);
    const claim = same && claimNameOf(same);
    if (!same || claim === undefined || [undefined, claim].includes(claimNameOf(volume))) return volume;
    return movesVolumes(current) || claimIn(vmi.spec.volumes, volume.name) === claim ? same : volume;
  });
  return volumes
    ? { ...started, template: { ...started.template, spec: { ...spec, volumes } as TemplateSpec } }
    : started;
}

/**
 * The volumes that a VM without a guest has between two claims: the guest ended while they moved. Undefined once the VM
 * has its former claims again, or wants the others as they are.
 */
export function strandedVolumes(vm: Vm, vmi: Vmi | undefined): readonly StorageMigratedVolumeInfo[] | undefined {
  const moving = vmi
    ? migratedVolumes(vmi)
    : (vm.status?.volumeUpdateState?.volumeMigrationState?.migratedVolumes ?? []);
  if (moving.length === 0 || !movesVolumes(vm.spec)) return undefined;
  const volumes = vm.spec.template.spec?.volumes ?? [];
  const isBack = moving.every(({ volumeName, sourcePVCInfo }) => {
    const volume = volumes.find(({ name }) => name === volumeName);
    return !volume || claimNameOf(volume) === sourcePVCInfo?.claimName;
  });
  return isBack ? undefined : moving;
}

const RECOVERY_REASON = 'VMI was removed or was final during the volume migration';

/** What to say of such a VM. */
export function recoveryText(stranded: readonly StorageMigratedVolumeInfo[]): { reason: string; message: string } {
  const moves = stranded.map(
    ({ volumeName, sourcePVCInfo, destinationPVCInfo }) =>
      `volume ${volumeName} is on claim ${sourcePVCInfo?.claimName}, and only in part on ${destinationPVCInfo?.claimName}`,
  );
  return {
    reason: RECOVERY_REASON,
    message:
      `${RECOVERY_REASON}: ${moves.join('; ')}. Set the volumes back to their former claims, ` +
      'or set updateVolumesStrategy to Replacement to start with the new claims as they are',
  };
}
