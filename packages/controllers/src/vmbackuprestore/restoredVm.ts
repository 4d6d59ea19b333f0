import { RUN_STRATEGY, VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import type { HarvesterVolumeRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { claimNameOf, type Volume, writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { restoredVm } from '@vireo/api/kinds/snapshot/restoredVm.ts';
import type { Draft } from '@vireo/kube';
import { withRevisions } from '../restore/restoredVm.ts';
import { LAST_RESTORE, RESTORE_NAME, type Restore, restoreMark } from './plan.ts';
import { type Renamed, withRenamed } from './renamed.ts';

type Spec = Vm['spec'];

/** The spec that was backed up, on the claims that were restored. It waits for somebody to start it. */
export function restoredSpec(
  backup: HarvesterBackup,
  restores: readonly HarvesterVolumeRestore[],
  renamed: Renamed,
): Spec {
  const kept = backup.status?.source?.spec;
  if (!kept) throw new TypeError(`VirtualMachineBackup ${backup.metadata.name} does not contain a VM`);
  const claimOf = (volume: string): string | undefined =>
    restores.find(({ volumeName }) => volumeName === volume)?.persistentVolumeClaimSpec?.metadata?.name;
  // The data is there: what templates read belongs to whoever wrote the VM, or the document at the target.
  const { template, dataVolumeTemplates: _, running: __, runStrategy: ___, ...rest } = kept;
  const volumes = (template.spec?.volumes ?? []).filter(({ memoryDump }) => !memoryDump);
  const spec = template.spec && {
    ...template.spec,
    volumes: volumes.map((volume) => onClaim(volume, claimOf(volume.name))),
  };
  const whole: Spec = {
    ...rest,
    runStrategy: 'Halted',
    template: withRenamed({ ...template, ...(spec && { spec }) }, renamed),
  };
  return withRevisions(whole, renamed.revisions);
}

/** Volumes of the VM that need data of which the backup has none. A restored VM would use whatever claims have their names. */
export const volumesWithoutData = ({ status }: HarvesterBackup): string[] => {
  const kept = new Set((status?.volumeBackups ?? []).map(({ volumeName }) => volumeName));
  return (status?.source?.spec?.template.spec?.volumes ?? []).flatMap((volume) =>
    claimNameOf(volume) !== undefined && !kept.has(volume.name) ? [volume.name] : [],
  );
};

/** A volume on its restored claim. Nothing is to make a DataVolume of it again. */
function onClaim(volume: Volume, claimName: string | undefined): Volume {
  if (!claimName) return volume;
  const { dataVolume, persistentVolumeClaim, ...rest } = volume;
  const { name: _, ...how } = dataVolume ?? { name: '' };
  return { ...rest, persistentVolumeClaim: { ...how, ...persistentVolumeClaim, claimName } };
}

/** A VM that is made of a backup. Unless it takes the place of the one that was, cards and firmware are its own. */
export function newVm(restore: Restore, backup: HarvesterBackup, spec: Spec): Draft<Vm> {
  const { target, keepMacAddress = false } = restore.spec;
  const { labels, annotations } = backup.status?.source?.metadata ?? {};
  const at = { name: target.name, namespace: restore.metadata.namespace };
  const draft = restoredVm(
    { ...(labels && { labels }), ...(annotations && { annotations }) },
    keepMacAddress ? spec : withoutIdentity(spec),
    at,
  );
  return { ...draft, metadata: { ...draft.metadata, annotations: vmAnnotations(draft.metadata.annotations, restore) } };
}

/** The annotations of a restored VM; the claims that it has are there already. */
export function vmAnnotations(
  annotations: Record<string, string> | undefined,
  restore: Restore,
): Record<string, string> {
  const { [VOLUME_CLAIM_TEMPLATES]: _, ...rest } = annotations ?? {};
  return { ...rest, [RESTORE_NAME]: restore.metadata.name, [LAST_RESTORE]: restoreMark(restore) };
}

/** Without what two VMs may not have in common. */
function withoutIdentity(spec: Spec): Spec {
  const { template } = spec;
  if (!template.spec) return spec;
  const { domain } = template.spec;
  const { interfaces } = domain.devices;
  const { uuid: _, serial: __, ...firmware } = domain.firmware ?? {};
  const devices = {
    ...domain.devices,
    ...(interfaces && { interfaces: interfaces.map(({ macAddress: ___, ...card }) => card) }),
  };
  return {
    ...spec,
    template: {
      ...template,
      spec: { ...template.spec, domain: { ...domain, devices, ...(domain.firmware && { firmware }) } },
    },
  };
}

const STARTING = ['Always', 'RerunOnFailure', 'Once', 'Manual'];

/** How a restored VM runs that is not to stay stopped: as the one that was backed up did, or once did. */
export function startedStrategy(backup: HarvesterBackup): string {
  const { metadata, spec } = backup.status?.source ?? {};
  if (spec?.running) return 'Always';
  if (spec?.runStrategy && STARTING.includes(spec.runStrategy)) return spec.runStrategy;
  const before = metadata?.annotations?.[RUN_STRATEGY];
  return before !== undefined && STARTING.includes(before) ? before : 'RerunOnFailure';
}

/** Volumes of a VM that came from DataVolumes of its own: what they are on went with the VM, and goes with it again. */
export const ownedVolumes = ({ status }: HarvesterBackup): string[] => {
  const spec = status?.source?.spec;
  const templates = new Set((spec?.dataVolumeTemplates ?? []).map(({ metadata }) => metadata?.name));
  return (spec?.template.spec?.volumes ?? []).flatMap(({ name, dataVolume }) =>
    dataVolume && templates.has(dataVolume.name) ? [name] : [],
  );
};

/** The claims that a VM names. */
export const claimsNamedBy = ({ spec }: Vm): string[] =>
  (spec.template.spec?.volumes ?? []).flatMap((volume) => writtenClaimNameOf(volume) ?? []);
