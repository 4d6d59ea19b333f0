/** Restores under a short name. */
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { hasStatus } from '../conditions.ts';

export type Restore = VirtualMachineRestore;
export const Restore = VirtualMachineRestore;
export type RestoreStatus = NonNullable<Restore['status']>;
export type VolumeRestore = NonNullable<RestoreStatus['restores']>[number];

/** Whether a restore has ended well. */
export const isComplete = ({ status }: Restore): boolean => status?.complete === true;

/** Whether it has ended for good without. */
export const hasFailed = ({ status }: Restore): boolean => hasStatus(status?.conditions, 'Failure', 'True');

/** What claims and machines carry that a restore has written. */
export const restoreMark = ({ metadata }: Restore): string => `${metadata.name}-${metadata.uid}`;
