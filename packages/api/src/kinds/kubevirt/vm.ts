/** Predicates and accessors of VMs. */
import type { Persisted } from '../../meta.ts';
import { VirtualMachine } from './virtualMachine.ts';

export type Vm = Persisted<VirtualMachine>;
export const Vm = VirtualMachine;
export type VmStatus = NonNullable<Vm['status']>;

/** A reference to a VM, as snapshots, restores and clones have it. */
export const vmReference = (name: string) => ({ apiGroup: VirtualMachine.group, kind: VirtualMachine.kind, name });

/** The run strategy of a VM; `running` is its old form. */
export const runStrategyOf = ({ spec }: VirtualMachine): string =>
  spec.runStrategy ?? (spec.running ? 'Always' : 'Halted');
