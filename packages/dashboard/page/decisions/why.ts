import type { Vm, Vmi } from '../data/kinds.ts';
import { whyOf } from './conditions.ts';
import type { FoldedEvent } from './events.ts';
import type { Machine } from './machine.ts';

/** Why a machine is as it is, in one sentence, whatever its state. */
export function sentenceOf(
  machine: Machine,
  vm: Vm | undefined,
  vmi: Vmi | undefined,
  events: readonly FoldedEvent[],
): string {
  const { state, node, isVm } = machine;
  const conditions = [...(vm?.status?.conditions ?? []), ...(vmi?.status?.conditions ?? [])];
  const why = whyOf(state, conditions, events);
  const name = `${state.label}${why ? `: ${why}` : ''}`;
  const strategy = vm?.spec.runStrategy ?? (vm?.spec.running ? 'Always' : 'Halted');
  switch (state.group) {
    case 'running':
      return `Running${node ? ` on node ${node}` : ''}.`;
    case 'paused':
      return 'Paused: the guest keeps its memory and does nothing until it is resumed.';
    case 'off':
      if (!isVm) return 'The instance has ended and does not start again.';
      return `Stopped: the run strategy is ${strategy}${STRATEGIES[strategy] ? `, ${STRATEGIES[strategy]}` : ''}.`;
    default:
      return name.endsWith('.') ? name : `${name}.`;
  }
}

const STRATEGIES: Readonly<Record<string, string>> = {
  Halted: 'so it stays off until somebody starts it',
  Manual: 'so it runs only when somebody starts it',
  RerunOnFailure: 'so it does not start again after the guest has shut down by itself',
  Once: 'so it runs one time only',
  Always: 'so it is about to start',
};
