/** Restores under a short name. */
import { isConditionTrue, type Persisted } from '@vireo/api';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';

export type Restore = Persisted<VirtualMachineRestore>;
export const Restore = VirtualMachineRestore;
export type RestoreStatus = NonNullable<Restore['status']>;
export type VolumeRestore = NonNullable<RestoreStatus['restores']>[number];

/** Whether a restore has ended well. */
export const isComplete = ({ status }: Restore): boolean => status?.complete === true;

/** Whether it has ended for good without. */
export const hasFailed = (restore: Restore): boolean => isConditionTrue(restore, 'Failure');

/** What claims and VMs carry that a restore has written. */
export const restoreMark = ({ metadata }: Restore): string => `${metadata.name}-${metadata.uid}`;
