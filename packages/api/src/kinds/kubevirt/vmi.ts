/** What a VirtualMachineInstance says of itself. */

import { isConditionTrue } from '../../conditions.ts';
import type { Persisted } from '../../meta.ts';
import { isDeleting } from '../../objects.ts';
import { VirtualMachineInstance } from './virtualMachineInstance.ts';

export type Vmi = Persisted<VirtualMachineInstance>;
export const Vmi = VirtualMachineInstance;
export type VmiStatus = NonNullable<Vmi['status']>;
export type VmiCondition = NonNullable<VmiStatus['conditions']>[number];

export const isRunning = (vmi: VirtualMachineInstance | undefined): boolean => vmi?.status?.phase === 'Running';

/** Whether the guest has ended. */
export const isFinal = (vmi: VirtualMachineInstance | undefined): boolean =>
  vmi?.status?.phase === 'Succeeded' || vmi?.status?.phase === 'Failed';

/** Whether there is a VMI that has not ended. */
export const isLive = <T extends VirtualMachineInstance>(vmi: T | undefined): vmi is T =>
  vmi !== undefined && !isFinal(vmi);

/** Whether there is a VMI that has not ended and is to stay. */
export const isActive = <T extends VirtualMachineInstance>(vmi: T | undefined): vmi is T =>
  isLive(vmi) && !isDeleting(vmi);

export const isPaused = (vmi: VirtualMachineInstance | undefined): boolean => isConditionTrue(vmi, 'Paused');

/** Whether the VMI is its node's to speak for: the guest runs or is about to. Until then it is its controller's. */
export const isHandedOver = ({ status }: VirtualMachineInstance): boolean =>
  !['', 'Pending', 'Scheduling'].includes(status?.phase ?? '');

/** Whether the guest has run at some time, so that its end is no failed start. */
export const hasEverRun = ({ status }: VirtualMachineInstance): boolean =>
  status?.phase === 'Running' || (status?.phaseTransitionTimestamps ?? []).some(({ phase }) => phase === 'Running');
