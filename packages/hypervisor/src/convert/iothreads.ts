import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import { vcpuCount } from '../domainSpec.ts';
import { el } from '../xml.ts';
import { type Conversion, oneOf, type Topic, wholeNumber } from './conversion.ts';

const POLICIES = ['shared', 'auto', 'supplementalPool'] as const;

/** How many I/O threads there are, and which disk uses which. */
export interface IoThreads {
  readonly count: number;
  /** Thread of a disk, by the disk's name. Only virtio disks can have one. */
  readonly byDisk: ReadonlyMap<string, number>;
}

const isVirtio = (disk: Disk): boolean => (disk.disk ?? disk.lun)?.bus === 'virtio';

/** Shared threads come first, then one for each disk that asked for its own. */
export function ioThreads(conversion: Conversion): IoThreads {
  const { domain, devices } = conversion;
  const disks = (devices.disks ?? []).filter(isVirtio);
  const dedicated = disks.filter((disk) => disk.dedicatedIOThread);
  if (!domain.ioThreadsPolicy && dedicated.length === 0) return { count: 0, byDisk: new Map() };
  const sharing = disks.filter((disk) => !disk.dedicatedIOThread);
  const shared = sharedThreads(conversion, sharing.length, dedicated.length);
  const byDisk = new Map([
    ...sharing.map((disk, index) => [disk.name, (index % Math.max(1, shared)) + 1] as const),
    ...dedicated.map((disk, index) => [disk.name, shared + index + 1] as const),
  ]);
  return { count: shared + dedicated.length, byDisk };
}

function sharedThreads({ domain }: Conversion, sharing: number, dedicated: number): number {
  const policy = oneOf(domain.ioThreadsPolicy || 'shared', POLICIES, 'spec.domain.ioThreadsPolicy');
  if (policy === 'supplementalPool') {
    const count = domain.ioThreads?.supplementalPoolThreadCount ?? 1;
    return wholeNumber(count, 1, 1024, 'spec.domain.ioThreads.supplementalPoolThreadCount');
  }
  if (policy === 'shared' || sharing === 0) return Math.min(1, sharing);
  return Math.max(1, Math.min(sharing, vcpuCount(domain) * 2 - dedicated));
}

export const ioThreadCount: Topic = (conversion) => {
  const { count } = ioThreads(conversion);
  return count > 0 ? [el('iothreads', {}, String(count))] : [];
};
