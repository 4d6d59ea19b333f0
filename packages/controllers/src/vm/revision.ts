import type { ControllerRevision } from '@vireo/api';
import type { Draft } from '@vireo/kube';
import type { Vm } from '../kinds.ts';

const PREFIX = 'revision-start-vm-';

/** The name of the ControllerRevision that keeps what a machine was started from. */
export const startRevisionName = ({ metadata }: Vm): string => `${PREFIX}${metadata.uid}-${metadata.generation}`;

/** Whether the revision keeps an earlier start of the machine, which nobody asks for any more. */
export const isOldStart = ({ metadata }: ControllerRevision, vm: Vm): boolean =>
  (metadata.name ?? '').startsWith(`${PREFIX}${vm.metadata.uid}-`) && metadata.name !== startRevisionName(vm);

/** What the machine is started from now. */
export const startRevision = (vm: Vm): Draft<ControllerRevision> => ({
  metadata: {
    name: startRevisionName(vm),
    namespace: vm.metadata.namespace,
    ownerReferences: [controllerReference(vm)],
  },
  revision: vm.metadata.generation ?? 0,
  data: { spec: vm.spec },
});

export const controllerReference = ({ apiVersion, kind, metadata }: Vm) => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/** The spec that a revision keeps. */
export const specOf = ({ data }: ControllerRevision): Vm['spec'] | undefined => (data as { spec?: Vm['spec'] })?.spec;
