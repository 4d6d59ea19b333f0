import type { Node } from '@vireo/api';
import type { Host } from '../host/host.ts';

/** The Node of this host's name is another host's. */
export class OtherHostError extends Error {
  constructor(name: string, theirs: string, own: string) {
    super(`the Node ${name} is that of another host: its machine ID is ${theirs}, and that of this host ${own}`);
  }
}

/** Why a host may not report as this Node; undefined where the Node is the host's, or does not say whose it is. */
export function otherHostProblem(
  node: Pick<Node, 'status'> | undefined,
  { name, machineId, formerMachineIds = [] }: Pick<Host, 'name' | 'machineId' | 'formerMachineIds'>,
): OtherHostError | undefined {
  const theirs = node?.status?.nodeInfo?.machineID;
  return !theirs || theirs === machineId || formerMachineIds.includes(theirs)
    ? undefined
    : new OtherHostError(name, theirs, machineId);
}
