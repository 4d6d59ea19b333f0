/** The kinds that controllers deal with, and what instances say of themselves. */
import type { KubeObject, ObjectMeta } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

export type Vm = VirtualMachine;
export type Vmi = VirtualMachineInstance;
export const Vm = VirtualMachine;
export const Vmi = VirtualMachineInstance;

export type VmStatus = NonNullable<Vm['status']>;
export type VmiStatus = NonNullable<Vmi['status']>;

export const isFinal = ({ status }: Vmi): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const isDeleting = ({ metadata }: { metadata: ObjectMeta }): boolean => metadata.deletionTimestamp !== undefined;

/** Whether the guest has run at some time, so that its end is no failed start. */
export const hasEverRun = ({ status }: Vmi): boolean =>
  status?.phase === 'Running' || (status?.phaseTransitionTimestamps ?? []).some(({ phase }) => phase === 'Running');

/** Whether `owner` is the controller of the object. */
export const isControlledBy = ({ metadata }: { metadata: ObjectMeta }, owner: { metadata: ObjectMeta }): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === owner.metadata.uid) ?? false;

/** For indexes of informers: the uids of an object's owners. */
export const ownersOf = ({ metadata }: KubeObject): string[] => (metadata.ownerReferences ?? []).map(({ uid }) => uid);
