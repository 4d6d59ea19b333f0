import { conditionOf } from '../../conditions.ts';
import type { Vmi } from './vmi.ts';

/** Conditions of a VMI whose guest has fewer or more CPUs, or less or more memory, than its spec says by now. */
export const HOT_VCPU_CHANGE = 'HotVCPUChange';
export const HOT_MEMORY_CHANGE = 'HotMemoryChange';
export const HOT_CHANGES = [HOT_VCPU_CHANGE, HOT_MEMORY_CHANGE] as const;
export type HotChange = (typeof HOT_CHANGES)[number];

/**
 * How far a change is, as the reason of its condition. Without one the launcher pod has to be resized first, so that
 * quotas and the scheduler count what the guest is about to get.
 */
export const LAUNCHER_RESIZED = 'LauncherResized';
/** The launcher cannot be resized: a quota is used up, or the server cannot do it. */
export const RESIZE_REFUSED = 'LauncherResizeRefused';
/** The node has no room for the change. */
export const NODE_FULL = 'InsufficientNodeResources';
/** The guest was told to use less memory, and still uses it. */
export const MEMORY_IN_USE = 'MemoryInUse';
/** The guest does not have, or never got, what its launcher requests: the launcher can shrink. */
export const RELEASED = 'Released';
/** KubeVirt's word for memory that cannot be plugged in. */
export const MEMORY_HOTPLUG_FAILED = 'Memory Hotplug Failed';
/** CPUs that cannot be plugged in. */
export const VCPU_HOTPLUG_FAILED = 'VCPUHotplugFailed';

/** Whether the launcher of the VMI has been given what a change needs, so that its node may carry the change out. */
export function isGranted(vmi: Pick<Vmi, 'status'>, change: HotChange): boolean {
  const { status, reason = '' } = conditionOf(vmi, change) ?? {};
  // A node that is full may have room later, and another node may have it now.
  return status === 'True' && [LAUNCHER_RESIZED, NODE_FULL].includes(reason);
}

/** Whether a change has to wait for its launcher to be resized. */
export function isAskedFor(vmi: Pick<Vmi, 'status'>, change: HotChange): boolean {
  const { status, reason = '' } = conditionOf(vmi, change) ?? {};
  return status === 'True' && ['', RESIZE_REFUSED].includes(reason);
}

/** Whether the guest has given back, or did not get, what its launcher may still request. */
export const isReleased = (vmi: Pick<Vmi, 'status'>, change: HotChange): boolean =>
  conditionOf(vmi, change)?.reason === RELEASED;

/** Whether a change cannot be made where the guest is: a migration would make it. */
export function needsOtherNode(vmi: Pick<Vmi, 'status'>, change: HotChange): boolean {
  const { status, reason = '' } = conditionOf(vmi, change) ?? {};
  return status === 'True' && [NODE_FULL, RESIZE_REFUSED].includes(reason);
}
