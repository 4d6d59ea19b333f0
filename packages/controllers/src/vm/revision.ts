import { type ControllerRevision, controllerReference, type Persisted } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { withRevisionNames } from '../instancetypes/revisionNames.ts';

const PREFIX = 'revision-start-vm-';

/** The name of the ControllerRevision that keeps what a VM was started from. */
export const startRevisionName = ({ metadata }: Vm): string => `${PREFIX}${metadata.uid}-${metadata.generation}`;

/** Whether the revision keeps an earlier start of the VM, which nobody asks for any more. */
export const isOldStart = ({ metadata }: Persisted<ControllerRevision>, vm: Vm): boolean =>
  metadata.name.startsWith(`${PREFIX}${vm.metadata.uid}-`) && metadata.name !== startRevisionName(vm);

/** What the VM is started from now. */
export const startRevision = (vm: Vm): Draft<ControllerRevision> => ({
  metadata: {
    name: startRevisionName(vm),
    namespace: vm.metadata.namespace,
    ownerReferences: [controllerReference(vm, Vm)],
  },
  revision: vm.metadata.generation ?? 0,
  data: { spec: withRevisionNames(vm) },
});

/** What a VMI was started from, as far as it is known. */
export function startedSpec(
  { status }: Vmi,
  revisions: readonly Persisted<ControllerRevision>[],
): Vm['spec'] | undefined {
  const revision = revisions.find(({ metadata }) => metadata.name === status?.virtualMachineRevisionName);
  return (revision?.data as { spec?: Vm['spec'] } | undefined)?.spec;
}
