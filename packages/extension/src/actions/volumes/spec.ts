import { badRequest, field, invalid } from '@vireo/api';
import type { AddVolumeOptions, RemoveVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { claimNameOf, isHotpluggable, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';

export type Spec = VirtualMachineInstance['spec'];
type Disk = NonNullable<NonNullable<Spec['domain']['devices']>['disks']>[number];
/** Refuses in the words of the object that is asked. */
export type Refuse = (why: string) => Error;

/** The claims behind volumes, whatever these do with them. */
export const claimNames = (volumes: readonly Volume[] = []): string[] =>
  volumes.flatMap(
    (each) => claimNameOf(each) ?? (each.ephemeral?.persistentVolumeClaim ?? each.memoryDump)?.claimName ?? [],
  );

const disksOf = ({ domain }: Spec): Disk[] => domain.devices?.disks ?? [];

/** Whether the spec has a CD-ROM drive of that name. */
export const hasDrive = (spec: Spec, name: string): boolean =>
  disksOf(spec).some((disk) => disk.name === name && disk.cdrom);

/** The spec with a volume more: as a disk of its own, or without `disk` as the disc in the CD-ROM drive of its name. */
export function withVolume(spec: Spec, options: AddVolumeOptions, refuse: Refuse): Partial<Spec> {
  const { name, disk, volumeSource } = options;
  if (!name) throw badRequest('AddVolumeOptions requires name to be set');
  const isDrive = hasDrive(spec, name);
  if (!disk && !isDrive) throw badRequest(`AddVolumeOptions requires disk to not be nil: ${whyNoDrive(spec, name)}`);
  if (disk && isDrive)
    throw badRequest(`AddVolumeOptions: CD-ROM drive [${name}] already exists; omit disk to insert a disc into it`);
  if (!volumeSource) throw badRequest('AddVolumeOptions requires VolumeSource to not be nil');
  const { persistentVolumeClaim, dataVolume } = volumeSource;
  const volume: Volume = {
    name,
    ...(persistentVolumeClaim && { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } }),
    ...(dataVolume && { dataVolume: { ...dataVolume, hotpluggable: true } }),
  };
  const before = spec.volumes?.find((each) => each.name === name);
  if (before) expectReplaceable(before, options, isDrive, refuse);
  const volumes = spec.volumes ?? [];
  const source = claimNameOf(volumeSource);
  if (source !== undefined && volumes.some((each) => claimNameOf(each) === source))
    throw refuse(`Unable to add volume source [${source}] because it already exists`);
  if (before) return { volumes: volumes.map((each) => (each === before ? volume : each)) };
  return specPatch([...volumes, volume], disk ? [...disksOf(spec), { ...disk, name }] : disksOf(spec));
}

function whyNoDrive(spec: Spec, name: string): string {
  const isDisk = disksOf(spec).some((each) => each.name === name);
  return isDisk ? `disk [${name}] is not a CD-ROM drive` : `there is no CD-ROM drive [${name}]`;
}

/** A disc makes room for another only when that is asked for; a disk never does. */
function expectReplaceable(
  before: Volume,
  { name, replace = false }: AddVolumeOptions,
  isDrive: boolean,
  refuse: Refuse,
): void {
  const why = `Unable to add volume [${name}] because volume with that name already exists`;
  if (!isDrive) throw refuse(why);
  const inside = claimNameOf(before);
  if (!isHotpluggable(before)) throw refuse(`${why}, and it is not hotpluggable; edit the VM's spec instead`);
  if (!replace) throw refuse(`${why}: disc [${inside}] is in the drive; eject it first, or set replace`);
}

/** The spec without a volume, which may be named by its claim as well. A CD-ROM drive may stay when its disc goes. */
export function withoutVolume(spec: Spec, options: RemoveVolumeOptions, refuse: Refuse): Partial<Spec> {
  const { name, diskRetentionPolicy: policy = 'delete' } = options;
  if (!name) throw badRequest('RemoveVolumeOptions requires name to be set');
  if (policy !== 'keep' && policy !== 'delete')
    throw invalid('', 'RemoveVolumeOptions', '', [
      field.notSupported('diskRetentionPolicy', policy, ['keep', 'delete']),
    ]);
  const found = findVolume(spec, name);
  if (!found) {
    const empty = hasDrive(spec, name) ? ': the CD-ROM drive is empty' : '';
    throw refuse(`Unable to remove volume [${name}] because it does not exist${empty}`);
  }
  if (policy === 'keep' && !hasDrive(spec, found.name))
    throw invalid('', 'RemoveVolumeOptions', '', [
      field.invalid(
        'diskRetentionPolicy',
        policy,
        `disk [${found.name}] is not a CD-ROM drive, and only CD-ROM drives can be empty`,
      ),
    ]);
  if (!isHotpluggable(found)) throw refuse(`Unable to remove volume [${name}] because it is not hotpluggable`);
  const disks = disksOf(spec);
  return specPatch(
    (spec.volumes ?? []).filter((each) => each !== found),
    policy === 'keep' ? disks : disks.filter((each) => each.name !== found.name),
  );
}

/** The volume of that name, or on the claim of that name. */
export const findVolume = ({ volumes = [] }: Spec, name: string): Volume | undefined =>
  volumes.find((each) => each.name === name) ?? volumes.find((each) => claimNameOf(each) === name);

const specPatch = (volumes: Volume[], disks: Disk[]): Partial<Spec> => ({ volumes, domain: { devices: { disks } } });
