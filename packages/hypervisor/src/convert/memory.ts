import { SHARED_MEMORY_ANNOTATION } from '@vireo/api/kinds/kubevirt/mounts.ts';
import { bytesOf, guestMemoryBytes, vcpusOf } from '../domainSpec.ts';
import { formatCpuList } from '../hostTopology.ts';
import { el, type XmlElement } from '../xml.ts';
import { type Conversion, type Topic, virtioModel } from './conversion.ts';
import { ConversionError } from './error.ts';
import { guestCells } from './pinning.ts';
import { isOnRootComplex } from './rootComplex.ts';
import { maxTopology } from './topology.ts';

const KIB = 1024n;
const MIB = 1024n * KIB;

const GIB = 1024n * MIB;

/** virtio-mem hands memory out in pieces of this size: a huge page at least. */
const hotplugBlock = ({ domain }: Conversion): bigint =>
  bytesOf(domain.memory?.hugepages?.pageSize) === GIB ? GIB : 2n * MIB;

/** What the guest has at boot: what is plugged in later is a device of its own. */
const guestBytes = ({ domain, vmi }: Conversion): bigint => {
  const bytes = bytesOf(vmi.status?.memory?.guestAtBoot) ?? guestMemoryBytes(domain);
  if (bytes === undefined) throw new ConversionError('spec.domain.memory.guest', 'the VMI has no memory');
  if (bytes < MIB) throw new ConversionError('spec.domain.memory.guest', `${bytes} bytes are too small for a guest`);
  if (bytes > 1n << 50n)
    throw new ConversionError('spec.domain.memory.guest', `${bytes} bytes are more than any host has`);
  return bytes;
};

/** Bytes that can be plugged in while the VMI runs; none where the spec leaves no room. */
function hotpluggableBytes(conversion: Conversion): bigint {
  const { domain, devices, architecture } = conversion;
  const most = bytesOf(domain.memory?.maxGuest);
  if (most === undefined || architecture === 's390x') return 0n;
  // The device is plugged in when it is needed first, which takes a PCIe port.
  if (devices.disableHotplug || isOnRootComplex(conversion)) return 0n;
  const room = most - guestBytes(conversion);
  if (room <= 0n) return 0n;
  if (domain.cpu?.numa?.guestMappingPassthrough) {
    throw new ConversionError(
      'spec.domain.memory.maxGuest',
      'memory hotplug is not compatible with guest mapping passthrough',
    );
  }
  const block = hotplugBlock(conversion);
  if (room % block !== 0n) {
    const text = `must exceed guest by a multiple of ${block === GIB ? '1Gi' : '2Mi'}`;
    throw new ConversionError('spec.domain.memory.maxGuest', text);
  }
  return room;
}

export const memory: Topic = (conversion) => {
  const guest = guestBytes(conversion);
  const room = hotpluggableBytes(conversion);
  return [
    room > 0n ? el('maxMemory', { slots: 1, unit: 'b' }, String(guest + room)) : undefined,
    el('memory', { unit: 'b' }, String(guest)),
    memoryBacking(conversion),
  ].filter((element) => element !== undefined);
};

/**
 * Huge pages, and memory that virtiofsd can share. Both come as a memfd: a hugetlbfs would have to be mounted, and open
 * to the user of each guest.
 */
function memoryBacking(conversion: Conversion): XmlElement | undefined {
  const { domain } = conversion;
  const pageSize = domain.memory?.hugepages?.pageSize;
  const isShared = sharesMemory(conversion);
  if (!pageSize && !isShared) return undefined;
  const cells = guestCells(conversion);
  return el(
    'memoryBacking',
    {},
    pageSize ? el('hugepages', {}, ...pageElements(pageSize, cells?.length)) : undefined,
    domain.cpu?.realtime && el('nosharepages'),
    el('source', { type: 'memfd' }),
    isShared && el('access', { mode: 'shared' }),
    // Pages of other cells are of no use: a guest that does not get its own fails at the start, not later.
    cells && el('allocation', { mode: 'immediate' }),
  );
}

/** Whether virtiofsd works on the guest's memory, or may have to later. */
const sharesMemory = ({ devices, vmi }: Conversion): boolean =>
  (devices.filesystems ?? []).length > 0 || vmi.metadata?.annotations?.[SHARED_MEMORY_ANNOTATION] === 'true';

function pageElements(pageSize: string, cellCount: number | undefined): XmlElement[] {
  const page = { size: pageKib(pageSize), unit: 'KiB' };
  if (cellCount === undefined) return [el('page', page)];
  return Array.from({ length: cellCount }, (_, nodeset) => el('page', { ...page, nodeset }));
}

function pageKib(pageSize: string): bigint {
  const bytes = bytesOf(pageSize);
  if (bytes === undefined || bytes < KIB || bytes % KIB !== 0n) {
    throw new ConversionError(
      'spec.domain.memory.hugepages.pageSize',
      `${JSON.stringify(pageSize)} is not a page size`,
    );
  }
  return bytes / KIB;
}

/** The NUMA cells that the guest sees: those that mirror the host's, or one that memory can be plugged into. */
export function numaCells(conversion: Conversion): XmlElement | undefined {
  const cells = guestCells(conversion)?.map(({ vcpus, memoryBytes }) => ({
    cpus: formatCpuList(vcpus),
    memory: memoryBytes,
  }));
  if (cells) return el('numa', {}, ...cells.map((cell, id) => el('cell', { id, ...cell, unit: 'b' })));
  if (hotpluggableBytes(conversion) === 0n) return undefined;
  const last = vcpusOf(maxTopology(conversion)) - 1;
  return el('numa', {}, el('cell', { id: 0, cpus: `0-${last}`, memory: guestBytes(conversion), unit: 'b' }));
}

/** Whether memory can be plugged in later, which takes a PCIe port. */
export const canGrow = (conversion: Conversion): boolean => hotpluggableBytes(conversion) > 0n;

/** By how much the guest is to have more memory than at boot. */
function pluggedBytes(conversion: Conversion): bigint {
  const bytes = (guestMemoryBytes(conversion.domain) ?? 0n) - guestBytes(conversion);
  return bytes > 0n ? bytes : 0n;
}

/** The device through which memory is plugged in. A guest has none before it is given more than at boot. */
export const memoryDevice: Topic = (conversion) => {
  const room = hotpluggableBytes(conversion);
  if (room === 0n) return [];
  return [
    el(
      'memory',
      { model: 'virtio-mem' },
      el(
        'target',
        {},
        el('size', { unit: 'b' }, String(room)),
        el('node', {}, '0'),
        el('block', { unit: 'b' }, String(hotplugBlock(conversion))),
        el('requested', { unit: 'b' }, String(pluggedBytes(conversion))),
      ),
      el('alias', { name: MEMORY_ALIAS }),
    ),
  ];
};

/** libvirt's name for the device through which memory is plugged in. */
export const MEMORY_ALIAS = 'ua-virtiomem';

/** Lets the host take memory back, and tells how much the guest uses. */
export const balloon: Topic = (conversion) => {
  const { devices, context, domain } = conversion;
  if (devices.autoattachMemBalloon === false) return [el('memballoon', { model: 'none' })];
  const period = context.memBalloonStatsPeriodSeconds ?? 10;
  // Huge and dedicated memory is never handed back.
  const reports =
    context.freePageReporting !== false && !domain.memory?.hugepages && !domain.cpu?.dedicatedCpuPlacement;
  return [
    el(
      'memballoon',
      { model: virtioModel(conversion), freePageReporting: reports ? 'on' : 'off' },
      period > 0 && el('stats', { period }),
    ),
  ];
};
