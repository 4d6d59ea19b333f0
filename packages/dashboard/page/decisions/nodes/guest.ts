import type { MovingVmi } from '../../data/nodeKinds.ts';
import type { Movable } from '../actions.ts';
import { type VmiRow, vmiRow } from '../machine.ts';
import { type State, stateOf, wordOfPhase } from '../states.ts';

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
