import { useMemo } from 'react';
import type { FollowState } from '../../decisions/connection.ts';
import { type Member, membersOf, vmiMember, vmMember } from '../../decisions/sets/members.ts';
import { detachedFrom } from '../../decisions/sets/poolStrategy.ts';
import type { SetKind, SetRow } from '../../decisions/sets/set.ts';
import { useCollection } from '../session.tsx';

/** The machines of a set, live: instances of a replica set, VMs of a pool with the nodes of their instances. */
export function useMembers(
  kind: SetKind,
  set: SetRow,
): { members: readonly Member[]; detached: readonly Member[]; state: FollowState } {
  const below = `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(set.namespace)}`;
  const vmis = useCollection(`${below}/virtualmachineinstances`, vmiMember);
  const isPool = kind.id === 'pool';
  // A replica set has no VMs: a list that matches nothing costs nothing.
  const vms = useCollection(`${below}/virtualmachines${isPool ? '' : '?fieldSelector=metadata.name%3D-'}`, vmMember);
  const members = useMemo(() => {
    if (!isPool) return membersOf(set.uid, vmis.rows);
    const nodes = new Map(vmis.rows.map(({ name, node }) => [name, node]));
    return membersOf(set.uid, vms.rows).map((vm) => ({ ...vm, node: nodes.get(vm.name) }));
  }, [isPool, set.uid, vmis.rows, vms.rows]);
  const detached = useMemo(() => (isPool ? detachedFrom(set.name, vms.rows) : []), [isPool, set.name, vms.rows]);
  return { members, detached, state: isPool ? vms.state : vmis.state };
}
