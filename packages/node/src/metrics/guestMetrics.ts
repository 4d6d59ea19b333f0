import type { MetricSpec } from '@vireo/kube';
import type { TypedParameters } from '@vireo/libvirt';
import type { InterfaceCounter } from './agentReport.ts';
import { type MeasuredGuest, PLACE } from './guest.ts';

/** One series of a guest: the values of the labels after its place, and how much. */
export type Series = readonly [labels: readonly string[], value: number];

/** A metric of guests that run. */
export interface GuestMetric extends MetricSpec {
  series(guest: MeasuredGuest): Iterable<Series>;
}

/** Divided by, for whole numbers keep their few digits so. */
const NANOSECONDS = 1e9;
const KIBIBYTES = 1 / 1024;

/** A value that there is one of, as libvirt calls it. */
const single = (name: string, help: string, type: MetricSpec['type'], stat: string, per = 1): GuestMetric => ({
  name: `kubevirt_vmi_${name}`,
  help,
  type,
  labels: PLACE,
  *series({ stats }) {
    const value = stats.number(stat);
    if (value !== undefined) yield [[], value / per];
  },
});

const cpu = (name: string, help: string, stat: string): GuestMetric =>
  single(`cpu_${name}`, help, 'counter', `cpu.${stat}`, NANOSECONDS);

const memory = (name: string, help: string, stat: string): GuestMetric =>
  single(`memory_${name}`, help, 'gauge', `balloon.${stat}`, KIBIBYTES);

/** The entries of a list of libvirt's, by how they are called there and what they have of a statistic. */
function* entries(
  stats: TypedParameters,
  list: string,
  stat: string,
): Iterable<readonly [name: string, value: number]> {
  const count = stats.number(`${list}.count`) ?? 0;
  for (let index = 0; index < count; index++) {
    const [name, value] = [stats.string(`${list}.${index}.name`), stats.number(`${list}.${index}.${stat}`)];
    if (name !== undefined && value !== undefined) yield [name, value];
  }
}

/** What a card has carried, as the guest sees it. Of cards behind QEMU's own network only the guest knows. */
const network = (name: string, help: string, stat: InterfaceCounter): GuestMetric => ({
  name: `kubevirt_vmi_network_${name}`,
  help,
  type: 'counter',
  labels: [...PLACE, 'interface'],
  *series({ stats, view, counters, report }) {
    const interfaces = Object.entries(view.interfaces);
    const counted = new Set<string>();
    for (const [device, value] of entries(stats, 'net', stat)) {
      const iface = interfaces.find(([, each]) => each.device === device)?.[0] ?? device;
      counted.add(iface);
      yield [[iface], counters.get(device)?.[stat] ?? value];
    }
    for (const [iface, { mac }] of interfaces) {
      const value = report.interfaces.get(mac.toLowerCase())?.[stat];
      if (value !== undefined && !counted.has(iface)) yield [[iface], value];
    }
  },
});

const storage = (name: string, help: string, stat: string, per = 1): GuestMetric => ({
  name: `kubevirt_vmi_storage_${name}`,
  help,
  type: 'counter',
  labels: [...PLACE, 'drive'],
  *series({ stats, view }) {
    for (const [target, value] of entries(stats, 'block', stat)) {
      const disk = Object.entries(view.diskTargets).find(([, each]) => each === target)?.[0] ?? target;
      yield [[disk], value / per];
    }
  },
});

const VCPU_STATES = ['offline', 'running', 'blocked'] as const;

const vcpu = (name: string, help: string, stat: string, hasState: boolean): GuestMetric => ({
  name: `kubevirt_vmi_vcpu_${name}`,
  help,
  type: 'counter',
  labels: [...PLACE, 'id', ...(hasState ? ['state'] : [])],
  *series({ stats }) {
    const count = stats.number('vcpu.maximum') ?? 0;
    for (let id = 0; id < count; id++) {
      const value = stats.number(`vcpu.${id}.${stat}`);
      const state = VCPU_STATES[stats.number(`vcpu.${id}.state`) ?? -1] ?? 'unknown';
      if (value !== undefined) yield [hasState ? [String(id), state] : [String(id)], value / NANOSECONDS];
    }
  },
});

const filesystem = (name: string, help: string, of: 'totalBytes' | 'usedBytes'): GuestMetric => ({
  name: `kubevirt_vmi_filesystem_${name}`,
  help,
  type: 'gauge',
  labels: [...PLACE, 'disk_name', 'mount_point', 'file_system_type'],
  *series({ report: { filesystems } }) {
    const seen = new Set<string>();
    for (const { diskName, mountPoint, fileSystemType, [of]: value } of filesystems) {
      const labels = [diskName, mountPoint, fileSystemType];
      const key = labels.join('\n');
      // A device can be mounted twice at one place; the text has room for one of them.
      if (!seen.has(key)) yield [labels, value];
      seen.add(key);
    }
  },
});

/** What is known of guests that run: all of it from libvirt's bulk statistics, but the filesystems. */
export const GUEST_METRICS: readonly GuestMetric[] = [
  cpu('usage_seconds_total', 'Total CPU time spent in all modes (sum of both vcpu and hypervisor usage).', 'time'),
  cpu('user_usage_seconds_total', 'Total CPU time spent in user mode.', 'user'),
  cpu('system_usage_seconds_total', 'Total CPU time spent in system mode.', 'system'),
  vcpu(
    'seconds_total',
    'Total amount of time spent in each state by each vcpu (cpu_time excluding hypervisor time).',
    'time',
    true,
  ),
  vcpu('wait_seconds_total', 'Amount of time spent by each vcpu while waiting on I/O.', 'wait', false),
  vcpu(
    'delay_seconds_total',
    'Amount of time spent by each vcpu waiting in the queue instead of running.',
    'delay',
    false,
  ),
  memory('domain_bytes', 'The amount of memory in bytes allocated to the domain.', 'maximum'),
  memory('resident_bytes', 'Resident set size of the process running the domain.', 'rss'),
  memory('available_bytes', 'Amount of usable memory as seen by the domain.', 'available'),
  memory(
    'usable_bytes',
    'The amount of memory which can be reclaimed by balloon without pushing the guest system to swap.',
    'usable',
  ),
  memory('unused_bytes', 'The amount of memory left completely unused by the system.', 'unused'),
  memory('cached_bytes', 'The amount of memory that is being used to cache I/O and can be reclaimed.', 'disk_caches'),
  memory('actual_balloon_bytes', 'Current balloon size in bytes.', 'current'),
  memory('swap_in_traffic_bytes', 'The total amount of data read from swap space of the guest in bytes.', 'swap_in'),
  memory(
    'swap_out_traffic_bytes',
    'The total amount of memory written out to swap space of the guest in bytes.',
    'swap_out',
  ),
  single(
    'memory_pgmajfault_total',
    'The number of page faults when disk IO was required.',
    'counter',
    'balloon.major_fault',
  ),
  single(
    'memory_pgminfault_total',
    'The number of other page faults, when disk IO was not required.',
    'counter',
    'balloon.minor_fault',
  ),
  network('receive_bytes_total', 'Total network traffic received in bytes.', 'rx.bytes'),
  network('transmit_bytes_total', 'Total network traffic transmitted in bytes.', 'tx.bytes'),
  network('receive_packets_total', 'Total network traffic received packets.', 'rx.pkts'),
  network('transmit_packets_total', 'Total network traffic transmitted packets.', 'tx.pkts'),
  network('receive_errors_total', 'Total network received error packets.', 'rx.errs'),
  network('transmit_errors_total', 'Total network transmitted error packets.', 'tx.errs'),
  network('receive_packets_dropped_total', 'The total number of rx packets dropped on vNIC interfaces.', 'rx.drop'),
  network('transmit_packets_dropped_total', 'The total number of tx packets dropped on vNIC interfaces.', 'tx.drop'),
  storage('read_traffic_bytes_total', 'Total number of bytes read from storage.', 'rd.bytes'),
  storage('write_traffic_bytes_total', 'Total number of written bytes.', 'wr.bytes'),
  storage('iops_read_total', 'Total number of I/O read operations.', 'rd.reqs'),
  storage('iops_write_total', 'Total number of I/O write operations.', 'wr.reqs'),
  storage('read_times_seconds_total', 'Total time spent on read operations.', 'rd.times', NANOSECONDS),
  storage('write_times_seconds_total', 'Total time spent on write operations.', 'wr.times', NANOSECONDS),
  storage('flush_requests_total', 'Total storage flush requests.', 'fl.reqs'),
  storage('flush_times_seconds_total', 'Total time spent on cache flushing.', 'fl.times', NANOSECONDS),
  filesystem('capacity_bytes', 'Total VM filesystem capacity in bytes.', 'totalBytes'),
  filesystem('used_bytes', 'Used VM filesystem capacity in bytes.', 'usedBytes'),
];
