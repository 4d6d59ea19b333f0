import { stat } from 'node:fs/promises';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { migratedVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { deviceBytes } from '../volumes/deviceBytes.ts';
import { type WritableDisk, withDiskSizes, writableDisks } from './domainDisks.ts';

/** How large disks are that move to other claims, in bytes by volume. */
export type DiskSizes = Readonly<Record<string, number>>;

/** Whether a disk moves to another claim with its guest. */
export const isMoved = (vmi: Vmi, { volume }: Pick<WritableDisk, 'volume'>): boolean =>
  migratedVolumes(vmi).some(({ volumeName }) => volumeName === volume);

/** On the source: what the guest knows of the disks that move to other claims. */
export async function movedSizes(vmi: Vmi, disks: readonly WritableDisk[]): Promise<DiskSizes> {
  const moved = disks.filter((disk) => isMoved(vmi, disk));
  const sizes = await Promise.all(moved.map(diskBytes));
  return Object.fromEntries(moved.map(({ volume }, index) => [volume, sizes[index] ?? 0]));
}

/**
 * On the target: the domain with the disks that come to other claims, of which the guest goes on to see what it has seen.
 * Throws where a claim is too small.
 */
export async function withMovedDisks(vmi: Vmi, xml: string, sizes: DiskSizes): Promise<string> {
  const larger = new Map<string, number>();
  for (const disk of writableDisks(xml).filter((each) => isMoved(vmi, each))) {
    const { volume, path } = disk;
    const [wanted, found] = [Number(sizes[volume]), await bytesOf(path)];
    if (!Number.isSafeInteger(wanted) || wanted <= 0) throw new Error(`the size of volume ${volume} is not known`);
    if (found < wanted) throw new Error(tooSmall(vmi, volume, wanted, found));
    if (found > wanted) larger.set(volume, wanted);
  }
  return larger.size > 0 ? withDiskSizes(xml, larger) : xml;
}

/** KubeVirt's words, and which. */
function tooSmall(vmi: Vmi, volume: string, wanted: number, found: number): string {
  const claim = migratedVolumes(vmi).find(({ volumeName }) => volumeName === volume)?.destinationPVCInfo?.claimName;
  return (
    'Volume migration cannot be performed because the destination volume is smaller than the source volume: ' +
    `volume ${volume} has ${wanted} bytes, and claim ${claim} ${found}`
  );
}

/** How large a disk is for its guest. */
export const diskBytes = async ({ path, bytes }: WritableDisk): Promise<number> => bytes ?? (await bytesOf(path));

const bytesOf = async (path: string): Promise<number> => {
  const found = await stat(path);
  return found.isBlockDevice() ? deviceBytes(found.rdev) : found.size;
};
