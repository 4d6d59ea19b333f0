import type { MovingVmi } from '../../data/nodeKinds.ts';
import type { Movable } from '../actions.ts';
import { type VmiRow, vmiRow } from '../machine.ts';
import { type State, stateOf, wordOfPhase } from '../states.ts';

export const ALL_GUESTS = '/apis/kubevirt.io/v1/virtualmachineinstances';

/** Labels have room for this many characters; names of nodes may be longer. */
const MOST_OF_LABEL = 63;

/** The list of the guests of a node, as their labels say; of all guests for a node whose name is no label. */
export const guestsOfPath = (node: string): string =>
  node.length > MOST_OF_LABEL
    ? ALL_GUESTS
    : `${ALL_GUESTS}?labelSelector=${encodeURIComponent(`kubevirt.io/nodeName=${node}`)}`;

/** A guest with what decides whether it can move. */
export interface Guest extends VmiRow, Movable {
  readonly state: State;
  /** It is to leave its node. */
  readonly isEvacuating: boolean;
}

export function guestRow(vmi: MovingVmi): Guest {
  const row = vmiRow(vmi);
  return {
    ...row,
    state: stateOf(row.isDeleting ? 'Terminating' : wordOfPhase(row.phase, row.isPaused, row.move !== undefined)),
    isVm: vmi.metadata.ownerReferences?.some(({ kind }) => kind === 'VirtualMachine') ?? false,
    liveMigratable: vmi.status?.conditions?.find(({ type }) => type === 'LiveMigratable'),
    isMigrating: row.move !== undefined,
    isEvacuating: Boolean(vmi.status?.evacuationNodeName),
  };
}
