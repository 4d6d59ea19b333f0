import { conditionOf } from '@vireo/api';
import {
  HOT_MEMORY_CHANGE,
  HOT_VCPU_CHANGE,
  type HotChange,
  isGranted,
  isReleased,
  MEMORY_IN_USE,
  RELEASED,
} from '@vireo/api/kinds/kubevirt/liveUpdate.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { bytesQuantity, formatBytes } from '@vireo/api/quantity.ts';
import { bytesOf, guestMemoryBytes, topologyOf, vcpuCount, vcpusOf } from '@vireo/hypervisor/domainSpec.ts';
import type { DomainView, MemoryView } from './domainView.ts';

type Statement = Omit<VmiCondition, 'type'>;

/** What a running guest is to have from now on. */
export interface SizePlan {
  /** Virtual CPUs; missing where it has as many as it should. */
  readonly vcpus?: number;
  /** Bytes beyond those at boot; missing where it was asked to use as many. */
  readonly pluggedBytes?: number;
}

/** Why CPUs or memory are not as the spec says. */
export interface SizeProblems {
  readonly vcpus?: Statement | undefined;
  readonly memory?: Statement | undefined;
}

/** Bytes that the guest has at boot. */
const bootBytes = ({ spec, status }: VirtualMachineInstance): bigint =>
  bytesOf(status?.memory?.guestAtBoot) ?? guestMemoryBytes(spec.domain) ?? 0n;

/** Bytes that the guest should have beyond those at boot. */
function wantedBytes(vmi: VirtualMachineInstance): bigint {
  const bytes = (guestMemoryBytes(vmi.spec.domain) ?? 0n) - bootBytes(vmi);
  return bytes > 0n ? bytes : 0n;
}

const requestedBytes = (memory: MemoryView | undefined): bigint => BigInt(memory?.requestedBytes ?? 0);

const lacksVcpus = (vmi: VirtualMachineInstance, { vcpuCount: now }: DomainView): boolean =>
  now !== undefined && vcpuCount(vmi.spec.domain) > now;

const hasOtherMemory = (vmi: VirtualMachineInstance, { memory }: DomainView): boolean =>
  wantedBytes(vmi) !== requestedBytes(memory);

/** What separates the CPUs and the memory of a guest from those of its VMI, as far as that may be changed now. */
export function sizePlan(vmi: VirtualMachineInstance, view: DomainView): SizePlan {
  const wanted = wantedBytes(vmi);
  // Memory that is given back needs nobody's consent.
  const mayChange = wanted < requestedBytes(view.memory) || isGranted(vmi, HOT_MEMORY_CHANGE);
  return {
    ...(lacksVcpus(vmi, view) && isGranted(vmi, HOT_VCPU_CHANGE) && { vcpus: vcpuCount(vmi.spec.domain) }),
    ...(hasOtherMemory(vmi, view) && mayChange && { pluggedBytes: Number(wanted) }),
  };
}

/** Whether the guest gets more than it has, so that its node needs room for it. */
export const isGrowing = ({ vcpus, pluggedBytes }: SizePlan, { memory }: DomainView): boolean =>
  vcpus !== undefined || (pluggedBytes !== undefined && pluggedBytes > Number(requestedBytes(memory)));

/** The conditions that tell of changes that are not made yet. What was said of one stays until there is news. */
export function sizeConditions(
  vmi: VirtualMachineInstance,
  view: DomainView,
  problems: SizeProblems = {},
): Record<HotChange, Statement | undefined> {
  const said = (type: HotChange): Statement | undefined => {
    const { status, reason, message } = conditionOf(vmi, type) ?? {};
    return status ? { status, reason, message } : undefined;
  };
  return {
    [HOT_VCPU_CHANGE]:
      lacksVcpus(vmi, view) || isReleased(vmi, HOT_VCPU_CHANGE) ? (problems.vcpus ?? said(HOT_VCPU_CHANGE)) : undefined,
    [HOT_MEMORY_CHANGE]: hasOtherMemory(vmi, view)
      ? (problems.memory ?? said(HOT_MEMORY_CHANGE))
      : releaseCondition(view.memory, problems.memory ?? said(HOT_MEMORY_CHANGE)),
  };
}

/** A guest gives memory back when it can; its launcher requests less after that. */
function releaseCondition(memory: MemoryView | undefined, said: Statement | undefined): Statement | undefined {
  const { requestedBytes = 0, currentBytes = 0 } = memory ?? {};
  if (currentBytes > requestedBytes && said?.reason !== undefined) {
    const message = `the guest still uses ${formatBytes(currentBytes - requestedBytes)} more than it should`;
    return { status: 'True', reason: MEMORY_IN_USE, message };
  }
  const wasShrinking = [MEMORY_IN_USE, RELEASED].includes(said?.reason ?? '');
  return wasShrinking ? { status: 'True', reason: RELEASED } : undefined;
}

/** The CPUs and the memory that the guest has, for its status. */
export function sizeStatus(
  vmi: VirtualMachineInstance,
  view: DomainView,
): Pick<VmiStatus, 'currentCPUTopology' | 'memory'> {
  const { status = {}, spec } = vmi;
  const topology = topologyOf(spec.domain.cpu);
  const perSocket = vcpusOf({ ...topology, sockets: 1 });
  const { vcpuCount: count } = view;
  const known = status.currentCPUTopology ?? topology;
  const current =
    count === undefined || vcpusOf(topologyOf(known)) === count ? known : { ...topology, sockets: count / perSocket };
  return { currentCPUTopology: current, memory: memoryStatus(vmi, view) };
}

function memoryStatus(vmi: VirtualMachineInstance, { memory }: DomainView): VmiStatus['memory'] {
  const { status = {}, spec } = vmi;
  const guest = spec.domain.memory?.guest ?? spec.domain.resources?.requests?.memory;
  const known = status.memory?.guestAtBoot
    ? status.memory
    : {
        ...status.memory,
        ...(guest !== undefined && { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest }),
      };
  const boot = bootBytes(vmi);
  // A size that is the same is written as it was.
  const amount = (before: string | number | undefined, plugged: number): string | number =>
    before !== undefined && bytesOf(before) === boot + BigInt(plugged) ? before : bytesQuantity(Number(boot) + plugged);
  if (known.guestAtBoot === undefined) return known;
  return {
    ...known,
    guestCurrent: amount(known.guestCurrent, memory?.currentBytes ?? 0),
    guestRequested: amount(known.guestRequested, memory?.requestedBytes ?? 0),
  };
}
