import type { PersistentVolumeClaim } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { migratedVolumes, withCurrentVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';

/** Whether a VM lists claims whose disks were to move to others. */
export const hasMoves = (vm: Vm | undefined): boolean =>
  vm?.metadata.annotations?.[VOLUME_CLAIM_TEMPLATES]?.includes('"targetVolume"') ?? false;

/**
 * The list of a VM's claims once disks have moved: it names the claims that they are on now. Without this, a claim that
 * somebody deletes after its disk has left it would be made again. Undefined where nothing has ended.
 */
export function movedTemplates(
  vm: Vm,
  vmi: Vmi | undefined,
  claimOf: (name: string) => PersistentVolumeClaim | undefined,
): string | undefined {
  const templates = parse(vm.metadata.annotations?.[VOLUME_CLAIM_TEMPLATES]);
  if (!templates) return undefined;
  const wanted = claimsOf(vm.spec.template.spec?.volumes);
  const isMoving = vmi
    ? migratedVolumes(vmi).length > 0
    : vm.status?.volumeUpdateState?.volumeMigrationState !== undefined;
  const arrived = vmi ? claimsOf(withCurrentVolumes(vmi).spec.volumes) : wanted;
  let isChanged = false;
  const next = templates.map((template) => {
    if (!isObject(template) || typeof template.targetVolume !== 'string') return template;
    const { targetVolume, ...rest } = template;
    const isCancelled = !wanted.has(targetVolume);
    if (!isCancelled && (isMoving || !arrived.has(targetVolume))) return template;
    isChanged = true;
    const claim = claimOf(targetVolume);
    return isCancelled || !claim ? rest : { metadata: { name: targetVolume }, spec: specOf(claim) };
  });
  return isChanged ? JSON.stringify(next) : undefined;
}

/** What of a claim its owner asks for, and not what it was given. */
const specOf = ({ spec }: PersistentVolumeClaim): PersistentVolumeClaim['spec'] => {
  const { accessModes, resources, storageClassName, volumeMode } = spec ?? {};
  return { accessModes, resources, storageClassName, volumeMode };
};

const claimsOf = (volumes: readonly Volume[] = []): ReadonlySet<string> =>
  new Set(volumes.flatMap((volume) => claimNameOf(volume) ?? []));

function parse(text: string | undefined): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
