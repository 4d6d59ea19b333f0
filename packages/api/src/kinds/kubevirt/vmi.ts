/** Predicates and accessors of VMIs. */

import { isConditionTrue } from '../../conditions.ts';
import type { Persisted } from '../../meta.ts';
import { isDeleting } from '../../objects.ts';
import { VirtualMachineInstance } from './virtualMachineInstance.ts';
import type { Volume } from './volume.ts';

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

/** Whether a migration of the guest has begun and not ended. */
export function isMigrating({ status }: VirtualMachineInstance): boolean {
  const { startTimestamp, endTimestamp, completed, failed } = status?.migrationState ?? {};
  return startTimestamp !== undefined && !endTimestamp && !completed && !failed;
}

/** The user and group that launcher pods run as, KubeVirt's `qemu`. */
export const QEMU_USER = 107;

export const DEFAULT_GRACE_PERIOD_SECONDS = 30;

/** How long the guest may take to shut down before it is switched off. */
export const gracePeriodSecondsOf = ({ spec }: VirtualMachineInstance): number =>
  spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_PERIOD_SECONDS;

/** Whether the VMI is its node's to speak for: the guest runs or is about to. Until then it is its controller's. */
export const isHandedOver = ({ status }: VirtualMachineInstance): boolean =>
  !['', 'Pending', 'Scheduling'].includes(status?.phase ?? '');

/** Whether the guest has run at some time, so that its end is no failed start. */
export const hasEverRun = ({ status }: VirtualMachineInstance): boolean =>
  status?.phase === 'Running' || (status?.phaseTransitionTimestamps ?? []).some(({ phase }) => phase === 'Running');

/** The volumes that the guest gets as directories, by virtiofs, and not as disks. */
export function sharedVolumes({ spec }: VirtualMachineInstance): Volume[] {
  const names = new Set(spec.domain.devices?.filesystems?.map(({ name }) => name));
  return (spec.volumes ?? []).filter(({ name }) => names.has(name));
}
