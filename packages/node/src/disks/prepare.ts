import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluggedClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { sharedVolumes, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, isHotpluggable, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { createMetricsDisk, metricsDisk } from '../downwardMetrics/metricsDisk.ts';
import { exists } from '../exists.ts';
import { type ContainerDiskContext, containerDiskFiles, makeContainerDisk } from '../images/containerDisk.ts';
import { replaceFile } from '../replaceFile.ts';
import { hotplugClaim } from '../volumes/hotplug.ts';
import type { NodeVolumes } from '../volumes/index.ts';
import { cloudInitData, cloudInitImage } from './cloudInit.ts';
import { hostDisk } from './hostDisk.ts';
import { type ObjectReaders, objectDisc } from './objectDisc.ts';
import { publicKeys } from './publicKeys.ts';
import { createQcow2, emptyQcow2, type Qcow2Image, virtualBytes } from './qcow2.ts';
import { VolumeError } from './volumeError.ts';

export interface PrepareContext extends ContainerDiskContext, ObjectReaders {
  /** Files of this VMI, gone when it is. */
  readonly directory: string;
  readonly volumes: Pick<NodeVolumes, 'claimDisk'>;
  /** Whether an attachment pod names the claim of a volume that can come and go. */
  readonly isAttached: (plugged: PluggedClaim) => boolean;
}

/** A disk that a VM can be started with. */
export interface PreparedDisk extends DiskSource {
  /** The files that it lies on and only reads. */
  readonly backing?: readonly string[];
}

/** Makes the disks of a VM and says where they are. What is there already is kept, so it may be asked again. */
export async function prepareVolumes(vmi: Vmi, context: PrepareContext): Promise<Record<string, PreparedDisk>> {
  await mkdir(context.directory, { recursive: true, mode: 0o700 });
  const sources: Record<string, PreparedDisk> = {};
  const shared = sharedVolumes(vmi);
  // Memory is dumped to a directory, and what is plugged in comes when the VM runs.
  for (const volume of vmi.spec.volumes ?? []) {
    if (volume.memoryDump || shared.includes(volume)) continue;
    if (!isHotpluggable(volume)) sources[volume.name] = await prepareVolume(vmi, volume, context);
    else if (isInDrive(vmi, volume) && context.isAttached({ volume: volume.name, claim: hotplugClaim(volume) })) {
      const disc = await insertedDisc(vmi, volume, context);
      if (disc) sources[volume.name] = disc;
    }
  }
  return sources;
}

/** The discs that are ready for the drives of a VM, as claims by volume. */
export async function discClaims(vmi: Vmi, volumes: Pick<NodeVolumes, 'claimDisk'>): Promise<PluggedClaim[]> {
  const discs = (vmi.spec.volumes ?? []).filter((volume) => isHotpluggable(volume) && isInDrive(vmi, volume));
  const claims: PluggedClaim[] = [];
  for (const volume of discs) {
    const claim = hotplugClaim(volume);
    const isThere = await volumes.claimDisk(vmi, claim, { isReadOnly: true, isShareable: false }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof VolumeError) return false;
        throw error;
      },
    );
    if (isThere) claims.push({ volume: volume.name, claim });
  }
  return claims;
}

const isInDrive = ({ spec }: Vmi, volume: Volume): boolean =>
  spec.domain.devices.disks?.some(({ name, cdrom }) => name === volume.name && cdrom) ?? false;

/** A disc that is there is in the drive from the start, so that the VM can boot from it. One that is not comes later. */
const insertedDisc = (vmi: Vmi, volume: Volume, context: PrepareContext): Promise<PreparedDisk | undefined> =>
  prepareVolume(vmi, volume, context).catch((error: unknown) => {
    if (error instanceof VolumeError) return undefined;
    throw error;
  });

async function prepareVolume(vmi: Vmi, volume: Volume, context: PrepareContext): Promise<PreparedDisk> {
  // Names become names of files.
  if (!/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/i.test(volume.name))
    throw new VolumeError('CreateContainerConfigError', `${JSON.stringify(volume.name)} is not a valid volume name`);
  const file = (suffix: string): string => join(context.directory, `${volume.name}.${suffix}`);
  if (volume.containerDisk) {
    const files = containerDiskFiles(context.directory, volume.name);
    const backing = await makeContainerDisk(volume.containerDisk, files, context);
    return { ...disk(files.overlay, 'qcow2'), backing };
  }
  if (volume.emptyDisk) {
    const path = file('qcow2');
    if (!(await exists(path))) await createQcow2(path, emptyDisk(volume.name, String(volume.emptyDisk.capacity)));
    return disk(path, 'qcow2');
  }
  const claim = claimNameOf(volume);
  if (claim !== undefined) {
    const isShareable = vmi.spec.domain.devices.disks?.some(({ name, shareable }) => name === volume.name && shareable);
    const isReadOnly = (volume.persistentVolumeClaim?.readOnly ?? false) || isInDrive(vmi, volume);
    return context.volumes.claimDisk(vmi, claim, { isReadOnly, isShareable: isShareable ?? false });
  }
  const base = volume.ephemeral?.persistentVolumeClaim?.claimName;
  if (base !== undefined) {
    const found = await context.volumes.claimDisk(vmi, base, { isReadOnly: true, isShareable: false });
    const path = file('qcow2');
    const image = { path: found.path, format: 'raw' as const };
    if (!(await exists(path))) await createQcow2(path, emptyQcow2(await virtualBytes(image), image));
    return { ...disk(path, 'qcow2'), backing: [found.path] };
  }
  if (volume.hostDisk) return withVolumeName(volume.name, hostDisk(volume.hostDisk));
  if (volume.downwardMetrics) {
    const path = metricsDisk(context.directory, volume.name);
    await createMetricsDisk(path);
    return { ...disk(path, 'raw'), readOnly: true };
  }
  const disc = await withVolumeName(volume.name, objectDisc(vmi, volume, context));
  if (disc) return replaceDisc(file('iso'), disc);
  const cloudInit = volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive;
  if (cloudInit) {
    const method = volume.cloudInitNoCloud ? 'noCloud' : 'configDrive';
    const [data, keys] = await withVolumeName(
      volume.name,
      Promise.all([cloudInitData(cloudInit, context.readSecret), publicKeys(vmi, method, context.readSecret)]),
    );
    return replaceDisc(file('iso'), cloudInitImage(vmi, method, { ...data, publicKeys: keys }));
  }
  const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'nothing';
  throw new VolumeError(
    'CreateContainerConfigError',
    `volume ${JSON.stringify(volume.name)}: Vireo cannot attach a volume of kind ${kind} yet`,
  );
}

/** What is in the way of a volume, with the name of the volume. */
const withVolumeName = <T>(name: string, making: Promise<T>): Promise<T> =>
  making.catch((error: Error) => {
    if (error instanceof VolumeError) throw error;
    throw new VolumeError('CreateContainerConfigError', `volume ${JSON.stringify(name)}: ${error.message}`, {
      cause: error,
    });
  });

/** A disc in the place of the one before, which a guest that is just being started may be reading. */
async function replaceDisc(path: string, image: Buffer): Promise<DiskSource> {
  await replaceFile(path, image);
  return { ...disk(path, 'raw'), readOnly: true };
}

function emptyDisk(name: string, capacity: string): Qcow2Image {
  try {
    return emptyQcow2(Number(toBytes(capacity)));
  } catch (error) {
    throw new VolumeError('CreateContainerConfigError', `volume ${JSON.stringify(name)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const disk = (path: string, format: DiskSource['format']): DiskSource => ({
  kind: 'file',
  path,
  format,
  directIo: false,
});
