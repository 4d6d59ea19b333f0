import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

/** The run strategy of a machine; `running` is its old form. */
export const runStrategyOf = ({ spec }: VirtualMachine): string =>
  spec.runStrategy ?? (spec.running ? 'Always' : 'Halted');

export const isRunning = ({ status }: VirtualMachineInstance): boolean => status?.phase === 'Running';

export const isFinal = ({ status }: VirtualMachineInstance): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether there is an instance that has not ended. */
export const isLive = (vmi: VirtualMachineInstance | undefined): vmi is VirtualMachineInstance =>
  vmi !== undefined && !isFinal(vmi);

interface WithConditions {
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

export const conditionOf = ({ status }: WithConditions, type: string) =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

export const isPaused = (vmi: VirtualMachineInstance): boolean => conditionOf(vmi, 'Paused') !== undefined;
