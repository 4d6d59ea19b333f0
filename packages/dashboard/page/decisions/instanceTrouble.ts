import type { FollowState } from './connection.ts';

/** Why machines are shown without what instances say; undefined if they are not, or if the VMs' own trouble says it all. */
export function instanceTrouble(vms: FollowState, instances: FollowState): string | undefined {
  if (instances.kind === vms.kind) return undefined;
  if (instances.kind === 'refused')
    return `Instances cannot be read, so addresses, nodes and use of running machines are missing, and states are those that VMs report. ${instances.reason}`;
  if (instances.kind === 'waiting')
    return `The list of instances is cut off, so addresses and nodes may be out of date. ${instances.reason}`;
  return undefined;
}
