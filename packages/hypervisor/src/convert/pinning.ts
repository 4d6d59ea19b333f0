import { dedicatedCpuCount, emulatorCpus, supplementalThreads } from '../dedicatedCpus.ts';
import { bytesOf, guestMemoryBytes, vcpusOf } from '../domainSpec.ts';
import { formatCpuList, type HostTopology, parseCpuList } from '../hostTopology.ts';
import { el, type XmlElement } from '../xml.ts';
import type { Conversion, Topic } from './conversion.ts';
import { ConversionError } from './error.ts';
import { ioThreads } from './iothreads.ts';
import { placeVcpus } from './placeVcpus.ts';
import { maxTopology, startTopology } from './topology.ts';

const DEDICATED = 'spec.domain.cpu.dedicatedCpuPlacement';
const NUMA = 'spec.domain.cpu.numa.guestMappingPassthrough';

/** The CPUs of the host that the threads of a guest run on. */
export interface Pinning {
  /** All that the guest has. */
  readonly all: readonly number[];
  /** One for each virtual CPU. */
  readonly vcpus: readonly number[];
  readonly emulator: readonly number[];
  /** For each I/O thread, from the first on. */
  readonly ioThreads: readonly (readonly number[])[];
}

/** Where the threads of a VMI with dedicated CPUs run; undefined for one that shares them. */
export function pinning(conversion: Conversion): Pinning | undefined {
  const { vmi, domain, context } = conversion;
  if (!domain.cpu?.dedicatedCpuPlacement) return undefined;
  const all = context.dedicatedCpus ?? [];
  const wanted = dedicatedCpuCount(vmi);
  if (all.length < wanted)
    throw new ConversionError(DEDICATED, `needs ${wanted} dedicated CPUs, but the node assigned ${all.length}`);
  const isNuma = domain.cpu.numa?.guestMappingPassthrough !== undefined;
  const placement = placeVcpus(startTopology(conversion), hostTopology(conversion), all, !isNuma);
  if (!placement) {
    const cpus = formatCpuList(all);
    throw new ConversionError(
      isNuma ? NUMA : DEDICATED,
      `the cores of the guest do not fit on the CPUs ${cpus} without crossing NUMA cells`,
    );
  }
  const { vcpus, rest } = placement;
  const pool = supplementalThreads(domain);
  const isolated = rest.slice(pool, pool + emulatorCpus(vmi));
  return {
    all,
    vcpus,
    emulator: isolated.length > 0 ? isolated : vcpus,
    ioThreads: [...rest.slice(0, pool).map((cpu) => [cpu]), ...sharedThreads(conversion, pool, isolated, vcpus)],
  };
}

/** A host that says nothing of its cores and cells has one cell, and every CPU is a core. */
const hostTopology = ({ context }: Conversion): HostTopology =>
  context.hostTopology ?? { cells: [{ id: 0, cores: (context.dedicatedCpus ?? []).map((cpu) => [cpu]) }] };

/** I/O threads without CPUs of their own run beside the emulator if that is isolated, else spread over the vCPUs'. */
function sharedThreads(
  conversion: Conversion,
  pool: number,
  isolated: readonly number[],
  vcpus: readonly number[],
): (readonly number[])[] {
  const count = ioThreads(conversion).count - pool;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    isolated.length > 0 ? isolated : shareOf(vcpus, index, count),
  );
}

/** The part of some CPUs that is for the thread of that number: as even as possible, at least one. */
function shareOf(cpus: readonly number[], index: number, count: number): readonly number[] {
  if (count >= cpus.length) return [cpus[(index + 1) % cpus.length]!];
  const [size, larger] = [Math.floor(cpus.length / count), cpus.length % count];
  const start = index * size + Math.min(index, larger);
  return cpus.slice(start, start + size + (index < larger ? 1 : 0));
}

/** Pins every virtual CPU to one of the host's, and the emulator and I/O threads to some. */
export const cpuPinning: Topic = (conversion) => {
  const pins = pinning(conversion);
  if (!pins) {
    if (conversion.domain.cpu?.realtime)
      throw new ConversionError('spec.domain.cpu.realtime', 'needs dedicatedCpuPlacement: true');
    return [];
  }
  return [
    el(
      'cputune',
      {},
      ...pins.vcpus.map((cpu, vcpu) => el('vcpupin', { vcpu, cpuset: cpu })),
      el('emulatorpin', { cpuset: formatCpuList(pins.emulator) }),
      ...pins.ioThreads.map((cpus, index) => el('iothreadpin', { iothread: index + 1, cpuset: formatCpuList(cpus) })),
      realtimeVcpus(conversion),
    ),
    numaTune(conversion),
  ].filter((element) => element !== undefined);
};

/** Virtual CPUs that run before everything else on theirs: those of the mask, or all. */
function realtimeVcpus(conversion: Conversion): XmlElement | undefined {
  const { realtime } = conversion.domain.cpu ?? {};
  if (!realtime) return undefined;
  const count = vcpusOf(startTopology(conversion));
  const mask = realtime.mask || `0-${count - 1}`;
  const vcpus = parseCpuList(mask);
  if (!vcpus || vcpus.length === 0 || vcpus.some((vcpu) => vcpu >= count)) {
    throw new ConversionError(
      'spec.domain.cpu.realtime.mask',
      `${JSON.stringify(mask)} names none or not only vCPUs from 0 to ${count - 1}`,
    );
  }
  return el('vcpusched', { vcpus: formatCpuList(vcpus), scheduler: 'fifo', priority: 1 });
}

/** A NUMA cell of the guest, and the host's whose CPUs and memory it is made of. */
export interface GuestCell {
  readonly hostCell: number;
  readonly vcpus: readonly number[];
  readonly memoryBytes: bigint;
}

/** The cells that a VMI with `guestMappingPassthrough` sees: those of the host that its CPUs are in. */
export function guestCells(conversion: Conversion): readonly GuestCell[] | undefined {
  const { domain } = conversion;
  if (!domain.cpu?.numa?.guestMappingPassthrough) return undefined;
  const pins = pinning(conversion);
  if (!pins) throw new ConversionError(NUMA, 'needs dedicatedCpuPlacement: true');
  const page = bytesOf(domain.memory?.hugepages?.pageSize);
  if (!page) throw new ConversionError(NUMA, 'needs memory.hugepages');
  const involved = hostTopology(conversion)
    .cells.map(({ id, cores }) => {
      const cpus = new Set(cores.flat());
      return { hostCell: id, vcpus: pins.vcpus.flatMap((cpu, vcpu) => (cpus.has(cpu) ? [vcpu] : [])) };
    })
    .filter(({ vcpus }) => vcpus.length > 0);
  const pages = (guestMemoryBytes(domain) ?? 0n) / page;
  const [each, larger] = [pages / BigInt(involved.length), pages % BigInt(involved.length)];
  if (each === 0n)
    throw new ConversionError(NUMA, `the memory of the guest is less than a page for each of ${involved.length} cells`);
  const later = Array.from({ length: vcpusOf(maxTopology(conversion)) }, (_, id) => id).slice(pins.vcpus.length);
  return involved.map(({ hostCell, vcpus }, index) => ({
    hostCell,
    // vCPUs that can be added must be somewhere, too.
    vcpus: index === 0 ? [...vcpus, ...later] : vcpus,
    memoryBytes: (each + (BigInt(index) < larger ? 1n : 0n)) * page,
  }));
}

function numaTune(conversion: Conversion): XmlElement | undefined {
  const cells = guestCells(conversion);
  return (
    cells &&
    el(
      'numatune',
      {},
      el('memory', { mode: 'strict', nodeset: formatCpuList(cells.map(({ hostCell }) => hostCell)) }),
      ...cells.map(({ hostCell }, cellid) => el('memnode', { cellid, mode: 'strict', nodeset: hostCell })),
    )
  );
}
