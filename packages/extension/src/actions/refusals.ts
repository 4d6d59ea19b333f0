import { ApiError, badRequest, conflict, type GroupResource, notFound } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Action, ActionResource } from './action.ts';
import { DIALECTS } from './dialects.ts';
import { RESOURCES } from './resources.ts';

/** KubeVirt's refusals name its kinds in the singular. */
export const SINGULAR = {
  virtualmachines: { group: 'kubevirt.io', resource: 'virtualmachine' },
  virtualmachineinstances: { group: 'kubevirt.io', resource: 'virtualmachineinstance' },
} as const;

/** What refusals call a resource. */
const nameOfResource = (resource: ActionResource): GroupResource =>
  resource === 'virtualmachines' || resource === 'virtualmachineinstances'
    ? SINGULAR[resource]
    : { group: RESOURCES[resource].group, resource };

/** The object of an action is not there. Harvester's Steve API answers that in another form than other refusals. */
export class AbsentTarget extends ApiError {
  constructor(resource: ActionResource, name: string) {
    const { message, status } = notFound(nameOfResource(resource), name);
    super('NotFound', message, status.details);
  }
}

export const vmConflict = ({ metadata }: Vm, why: string): ApiError =>
  conflict(SINGULAR.virtualmachines, metadata.name, why);

export const vmiConflict = ({ metadata }: Vmi, why: string): ApiError =>
  conflict(SINGULAR.virtualmachineinstances, metadata.name, why);

/** Why nothing is plugged into a guest that moves, or taken out of it. */
export const MIGRATING = 'Cannot handle volume requests while VMI migration is in progress';

/** Part of KubeVirt's or Harvester's API, and nothing here does it. `why`: what is missing, and what there is instead. */
export function notImplemented(
  { group, resource, name: action }: Pick<Action, 'group' | 'resource' | 'name'>,
  name: string,
  why: string,
): ApiError {
  const { owner } = DIALECTS[group];
  const words = `${resource}/${action} of "${name}" is part of ${owner}'s API, but Vireo does not implement it: ${why}`;
  const { group: kindGroup, resource: kind } = nameOfResource(resource);
  return new ApiError(undefined, words, { name, group: kindGroup, kind }, 501);
}

const phaseOf = ({ status }: Vmi): string => status?.phase ?? '';

/** Why no node can be asked about the VMI; undefined while one can. */
export const unreachable = (vmi: Vmi): string | undefined =>
  phaseOf(vmi) === 'Running' || phaseOf(vmi) === 'Scheduled'
    ? undefined
    : `Unable to connect to VirtualMachineInstance because phase is ${phaseOf(vmi)} instead of Running or Scheduled`;

export function requireReachable(vmi: Vmi): void {
  const why = unreachable(vmi);
  if (why) throw badRequest(why);
}
