import { timestamp } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

export type VmiStatus = NonNullable<VirtualMachineInstance['status']>;
export type VmiCondition = NonNullable<VmiStatus['conditions']>[number];

/** The conditions with one type said anew, or taken away. What says the same as before stays as it was. */
export function withStatement(
  conditions: readonly VmiCondition[],
  type: string,
  said: Omit<VmiCondition, 'type' | 'lastTransitionTime'> | undefined,
  now: Date,
): VmiCondition[] {
  const before = conditions.find((condition) => condition.type === type);
  if (!said) return conditions.filter((condition) => condition !== before);
  const { status, reason, message } = said;
  if (before && before.status === status && before.reason === reason && before.message === message)
    return [...conditions];
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timestamp(now);
  const after: VmiCondition = {
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    lastProbeTime: null,
    lastTransitionTime,
  } as VmiCondition;
  return before ? conditions.map((each) => (each === before ? after : each)) : [...conditions, after];
}
