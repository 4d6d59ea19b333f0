import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Version } from '@vireo/libvirt';
import { type Metric, seconds, text, whole } from './metricsXml.ts';

/** Of the kernel's clock, in which it counts CPU time for programs. */
const TICKS_PER_SECOND = 100;

/** What the kernel says of a host. */
export interface HostTexts {
  readonly stat: string;
  readonly meminfo: string;
  readonly vmstat: string;
  /** The numbers of the sockets of its CPUs. */
  readonly sockets: readonly string[];
}

/** What every guest of a node is told of it, that does not change. */
export interface HostNames {
  readonly node: string;
  /** `qemu-7.2.22`. */
  readonly product: string;
}

/** Reads what the kernel says of this host; for tests from other directories. */
export async function readHostTexts(proc = '/proc', cpus = '/sys/devices/system/cpu'): Promise<HostTexts> {
  const names = (await readdir(cpus)).filter((name) => /^cpu\d+$/.test(name));
  const [stat = '', meminfo = '', vmstat = ''] = await Promise.all(
    ['stat', 'meminfo', 'vmstat'].map((name) => readFile(join(proc, name), 'utf8')),
  );
  const sockets = await Promise.all(
    // A CPU that is off has no place.
    names.map((name) => readFile(join(cpus, name, 'topology/physical_package_id'), 'utf8').catch(() => '')),
  );
  return { stat, meminfo, vmstat, sockets: sockets.map((socket) => socket.trim()).filter((socket) => socket !== '') };
}

/** What runs guests here, with its version. */
export const productName = ({ major, minor, release }: Version): string => `qemu-${major}.${minor}.${release}`;

/** KubeVirt's list, in its order. Its guests read who virtualizes them, so it is said as there. */
export const hostNames = ({ node, product }: HostNames): Metric[] => [
  text('HostName', node),
  text('HostSystemInfo', 'linux'),
  text('VirtualizationVendor', 'kubevirt.io'),
  text('VirtProductInfo', product),
];

/** What the host has used and has left. */
export function hostMetrics({ stat, meminfo, vmstat, sockets }: HostTexts, nowMs: number, pageBytes = 4096): Metric[] {
  const [user = 0, nice = 0, system = 0] = (/^cpu +([\d ]+)$/m.exec(stat)?.[1] ?? '').split(' ').map(Number);
  const memory = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0);
  const paged = (name: string): number =>
    (Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(vmstat)?.[1] ?? 0) * pageBytes) / 1024;
  const used = memory('MemTotal') - memory('MemFree') - memory('Buffers') - memory('Cached');
  const kib = (name: string, value: number): Metric => whole('host', name, value, 'KiB');
  return [
    whole('host', 'NumberOfPhysicalCPUs', new Set(sockets).size),
    seconds('host', 'TotalCPUTime', (user + nice + system) / TICKS_PER_SECOND),
    kib('FreePhysicalMemory', memory('MemFree')),
    kib('FreeVirtualMemory', memory('MemFree') + memory('SwapFree')),
    kib('MemoryAllocatedToVirtualServers', used),
    kib('UsedVirtualMemory', used + memory('SwapTotal') - memory('SwapCached')),
    kib('PagedInMemory', paged('pswpin')),
    kib('PagedOutMemory', paged('pswpout')),
    whole('host', 'Time', Math.floor(nowMs / 1000), 's'),
  ];
}
