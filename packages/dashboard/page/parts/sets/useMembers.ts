import { useMemo } from 'react';
import type { FollowState } from '../../decisions/connection.ts';
import { type Member, membersOf, vmiMember, vmMember } from '../../decisions/sets/members.ts';
import { detachedFrom } from '../../decisions/sets/poolStrategy.ts';
import { memberPaths, type SetKind, type SetRow } from '../../decisions/sets/set.ts';
import { useCollection, useCollections } from '../session.tsx';

/** The machines of a set, live: instances of a replica set, VMs of a pool with the nodes of their instances. */
export function useMembers(
  kind: SetKind,
  set: SetRow,
): { members: readonly Member[]; detached: readonly Member[]; state: FollowState } {
  const paths = memberPaths(kind, set);
  const vmis = useCollection(paths.vmis, vmiMember);
  const vms = useCollections(paths.vms === undefined ? [] : [paths.vms], vmMember);
  const isPool = paths.vms !== undefined;
  const members = useMemo(() => {
    if (!isPool) return membersOf(set.uid, vmis.rows);
    const nodes = new Map(vmis.rows.map(({ name, node }) => [name, node]));
    return membersOf(set.uid, vms.rows).map((vm) => ({ ...vm, node: nodes.get(vm.name) }));
  }, [isPool, set.uid, vmis.rows, vms.rows]);
  const detached = useMemo(() => (isPool ? detachedFrom(set.name, vms.rows) : []), [isPool, set.name, vms.rows]);
  return { members, detached, state: isPool ? vms.state : vmis.state };
}
