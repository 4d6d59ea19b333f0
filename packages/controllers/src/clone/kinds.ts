import type { Persisted } from '@vireo/api';
/** Clones under a short name. */
import { VirtualMachineClone } from '@vireo/api/kinds/clone/virtualMachineClone.ts';

export type Clone = Persisted<VirtualMachineClone>;
export const Clone = VirtualMachineClone;
export type CloneStatus = NonNullable<Clone['status']>;

/** Whether what is copied is a snapshot, and not a VM. */
export const isOfSnapshot = ({ spec }: Clone): boolean => spec.source.kind === 'VirtualMachineSnapshot';

/** The snapshot that the copy is made from: one of its own, or the one that it is a copy of. */
export const snapshotNameOf = (clone: Clone): string =>
  isOfSnapshot(clone) ? clone.spec.source.name : `tmp-snapshot-${clone.metadata.uid}`;

export const restoreNameOf = ({ metadata }: Clone): string => `tmp-restore-${metadata.uid}`;

/** The name of the copy; admission gives one to clones that name none. */
export const targetNameOf = ({ metadata, spec }: Clone): string => spec.target?.name || `clone-${metadata.uid}`;
