import { ApiError, badRequest, conflict, type GroupResource, notFound } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { ActionResource } from './action.ts';

/** KubeVirt's refusals name its kinds in the singular. */
export const SINGULAR: Readonly<Record<ActionResource, GroupResource>> = {
  virtualmachines: { group: 'kubevirt.io', resource: 'virtualmachine' },
  virtualmachineinstances: { group: 'kubevirt.io', resource: 'virtualmachineinstance' },
};

export const absent = (resource: ActionResource, name: string): ApiError => notFound(SINGULAR[resource], name);

export const vmConflict = ({ metadata }: VirtualMachine, why: string): ApiError =>
  conflict(SINGULAR.virtualmachines, metadata.name ?? '', why);

export const vmiConflict = ({ metadata }: VirtualMachineInstance, why: string): ApiError =>
  conflict(SINGULAR.virtualmachineinstances, metadata.name ?? '', why);

/** Part of KubeVirt's API, and nothing here does it. */
export const notImplemented = (resource: ActionResource, name: string, action: string): ApiError =>
  new ApiError(
    undefined,
    `${resource}/${action} of "${name}" is part of KubeVirt's API, but Vireo does not do it yet`,
    { name, group: 'kubevirt.io', kind: SINGULAR[resource].resource },
    501,
  );

const phaseOf = ({ status }: VirtualMachineInstance): string => status?.phase ?? '';

/** Why no node can be asked about the instance; undefined while one can. */
export const unreachable = (vmi: VirtualMachineInstance): string | undefined =>
  phaseOf(vmi) === 'Running' || phaseOf(vmi) === 'Scheduled'
    ? undefined
    : `Unable to connect to VirtualMachineInstance because phase is ${phaseOf(vmi)} instead of Running or Scheduled`;

export function requireReachable(vmi: VirtualMachineInstance): void {
  const why = unreachable(vmi);
  if (why) throw badRequest(why);
}
