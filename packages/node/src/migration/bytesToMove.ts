import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { guestMemoryBytes } from '@vireo/hypervisor/domainSpec.ts';
import type { WritableDisk } from './domainDisks.ts';
import { diskBytes } from './movedVolumes.ts';

/**
 * How much a migration has to move, by which its time is limited: the guest's memory, and disks that are copied. As in
 * KubeVirt, memory counts as far as the guest may use it, not as far as it could grow.
 */
export async function bytesToMove({ spec }: Vmi, copied: readonly WritableDisk[]): Promise<number> {
  const memory = Number(guestMemoryBytes(spec.domain) ?? 0n);
  const sizes = await Promise.all(copied.map(diskBytes));
  return memory + sizes.reduce((sum, size) => sum + size, 0);
}
