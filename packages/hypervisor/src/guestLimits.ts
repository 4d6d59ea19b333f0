import type { Pod } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { bytesOf, guestMemoryBytes, readQuantity, topologyOf, vcpuCount, vcpusOf } from './domainSpec.ts';

/** The most that the processes of one guest may use of their host. */
export interface GuestLimits {
  readonly memoryBytes: bigint;
  /** The part of contended CPU time: 1024 for each CPU that was requested, as Kubernetes counts. */
  readonly cpuShares: number;
  /** Thousandths of a CPU; undefined where there is no limit. */
  readonly cpuMillis?: number | undefined;
  /** Processes and threads. */
  readonly tasks: number;
}

/** What is known of the launcher pod of a guest. */
export interface LauncherFacts {
  /** Of its compute container. */
  readonly resources: NonNullable<Pod['spec']>['containers'][number]['resources'];
  readonly overheadBytes: bigint;
  readonly isEmulated: boolean;
}

const MIB = 1024n * 1024n;

/** An emulated guest was measured at 150 MB beside its memory, while it was idle. */
const EMULATOR_BYTES = 256n * MIB;
/** QEMU keeps translated code in a buffer that grows up to this size. */
const TRANSLATION_BYTES = 1024n * MIB;
/** Below this a kernel throttles a group rather than sharing time with it. */
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
/** QEMU aborts if it cannot create a thread, so there is room for its own, its helpers' and its displays'. */
const BASE_TASKS = 1024;
/** QEMU's pool of worker threads, which each I/O thread has for itself. */
const TASKS_PER_IO_THREAD = 65;

/**
 * The limits of a guest. CPU follows its launcher pod, as on a cluster. Memory is always limited: to the guest's memory
 * and the overhead of running it, or to the limit of the VMI and the overhead where that is more.
 */
export function guestLimits({ spec, status }: VirtualMachineInstance, launcher: LauncherFacts): GuestLimits {
  const { requests, limits } = launcher.resources ?? {};
  const cpuMillis = millis(limits?.cpu);
  const shares = Math.floor(((millis(requests?.cpu) ?? cpuMillis ?? 0) * 1024) / 1000);
  return {
    memoryBytes: memoryLimitBytes(spec, bytesOf(status?.memory?.guestCurrent), launcher),
    cpuShares: Math.min(MAX_SHARES, Math.max(MIN_SHARES, shares)),
    // CPUs of its own are limit enough: a quota would stop the guest now and then.
    ...(cpuMillis !== undefined && cpuMillis > 0 && !spec.domain.cpu?.dedicatedCpuPlacement && { cpuMillis }),
    tasks: BASE_TASKS + maxVcpus(spec) + TASKS_PER_IO_THREAD * mostIoThreads(spec),
  };
}

/** `currentBytes`: what the guest has, which may be more than it is to have by now. */
function memoryLimitBytes(
  { domain }: VirtualMachineInstanceSpec,
  currentBytes: bigint | undefined,
  launcher: LauncherFacts,
): bigint {
  const { overheadBytes, isEmulated } = launcher;
  // Huge pages are a resource of their own, which this limit does not count.
  const guest = domain.memory?.hugepages?.pageSize ? 0n : larger(guestMemoryBytes(domain) ?? 0n, currentBytes ?? 0n);
  const least = isEmulated && overheadBytes < EMULATOR_BYTES ? EMULATOR_BYTES : overheadBytes;
  const ofGuest = guest + least + (isEmulated ? TRANSLATION_BYTES : 0n);
  const ofVmi = (bytesOf(domain.resources?.limits?.memory) ?? 0n) + overheadBytes;
  if (ofVmi > ofGuest) return ofVmi;
  return ofGuest;
}

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

function millis(cpu: string | number | undefined): number | undefined {
  const quantity = readQuantity(cpu);
  return quantity && Number((quantity.nano + 999_999n) / 1_000_000n);
}

/** With those that can be plugged in. */
function maxVcpus({ domain }: VirtualMachineInstanceSpec): number {
  const { cpu } = domain;
  const topology = topologyOf(cpu);
  return Math.max(vcpuCount(domain), vcpusOf({ ...topology, sockets: cpu?.maxSockets ?? topology.sockets }));
}

/** No policy gives a guest more of them than one for each disk, or as many as it asks for. */
const mostIoThreads = ({ domain }: VirtualMachineInstanceSpec): number =>
  (domain.devices?.disks ?? []).length + (domain.ioThreads?.supplementalPoolThreadCount ?? 0);
