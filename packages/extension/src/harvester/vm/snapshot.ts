import { type Infer, isDeleting, notFound } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { boolean, string, struct } from '@vireo/api/schema.ts';
import type { Client } from '@vireo/kube';
import type { PlanContext, Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { harvesterAction } from '../action.ts';

type Target = Targets['virtualmachines'];

const SnapshotInput = struct('io.harvesterhci.v1beta1.SnapshotInput', 'How to keep a machine as it is.', {
  name: optional(string, 'Name of the VirtualMachineSnapshot; without it nothing is made.'),
});
interface SnapshotInput extends Infer<typeof SnapshotInput> {}

const RestoreInput = struct('io.harvesterhci.v1beta1.RestoreInput', 'What to bring a machine back to.', {
  name: required(string, 'Name of the VirtualMachineRestore.'),
  backupName: required(string, 'The VirtualMachineSnapshot, in the namespace of the machine.'),
  keepMacAddress: optional(boolean, 'Makes no difference: a machine that is restored keeps its addresses.'),
  haltAfterRestore: optional(boolean, 'Makes no difference: a machine that is restored stays off.'),
});
interface RestoreInput extends Infer<typeof RestoreInput> {}

export const vmReference = ({ metadata }: Vm) => ({
  apiGroup: VirtualMachine.group,
  kind: VirtualMachine.kind,
  name: metadata.name,
});

/** Why no snapshot of a VM can be taken now; undefined when one can. */
function snapshotProblem({ vm, vmi }: Target): string | undefined {
  const { snapshotInProgress } = vm.status ?? {};
  if (snapshotInProgress) return `snapshot "${snapshotInProgress}" is in progress`;
  if (isDeleting(vm) || isDeleting(vmi)) return 'it is being deleted or stopped';
  const phase = vmi?.status?.phase ?? '';
  return vmi && !['Running', 'Succeeded'].includes(phase) ? `its instance is ${phase || 'starting'}` : undefined;
}

export const snapshot = harvesterAction('virtualmachines')<SnapshotInput>({
  name: 'snapshot',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Keeps the machine and its disks as they are, as a VirtualMachineSnapshot of the name that is given.',
  body: SnapshotInput,
  needs: [{ apiGroups: [VirtualMachineSnapshot.group], resources: [VirtualMachineSnapshot.plural], verbs: ['create'] }],
  offered: (target) => snapshotProblem(target) === undefined,
  decide(target, { body: { name } }) {
    const why = snapshotProblem(target);
    if (why) throw vmConflict(target.vm, why);
    // Harvester's clients ask only whether they may, and make the object themselves.
    if (!name) return { type: 'write', writes: [] };
    const source = vmReference(target.vm);
    const { namespace } = target.vm.metadata;
    const object = { metadata: { name, namespace }, spec: { source } };
    return { type: 'create', kind: VirtualMachineSnapshot, object };
  },
});

/** Why a VM cannot be brought back now; undefined when it can. */
function unrestorable({ vm, vmi }: Target): string | undefined {
  const { snapshotInProgress, restoreInProgress } = vm.status ?? {};
  if (vmi) return 'it must be stopped before it can be restored';
  if (snapshotInProgress) return `snapshot "${snapshotInProgress}" is in progress`;
  return restoreInProgress ? `restore "${restoreInProgress}" is in progress` : undefined;
}

export const restore = harvesterAction('virtualmachines')<RestoreInput>({
  name: 'restore',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Brings a machine that is off back to what a VirtualMachineSnapshot has of it.',
  body: RestoreInput,
  needs: [
    { apiGroups: [VirtualMachineSnapshot.group], resources: [VirtualMachineSnapshot.plural], verbs: ['get', 'list'] },
    { apiGroups: [VirtualMachineRestore.group], resources: [VirtualMachineRestore.plural], verbs: ['create'] },
  ],
  offered: async (target, context) => unrestorable(target) === undefined && (await hasSnapshot(target.vm, context)),
  decide(target, { body }) {
    const why = unrestorable(target);
    if (why) throw vmConflict(target.vm, why);
    const { namespace } = target.vm.metadata;
    const spec = { target: vmReference(target.vm), virtualMachineSnapshotName: body.backupName };
    return {
      type: 'lookup',
      async decide({ client }) {
        await expectSnapshot(client, namespace, body.backupName);
        const object = { metadata: { name: body.name, namespace }, spec };
        return { type: 'create', kind: VirtualMachineRestore, object };
      },
    };
  },
});

async function expectSnapshot(client: Client, namespace: string | undefined, name: string): Promise<void> {
  const { group, plural } = VirtualMachineSnapshot;
  const snapshot = await client.of(VirtualMachineSnapshot).find(name, { namespace });
  if (!snapshot) throw notFound({ group, resource: plural }, name);
}

async function hasSnapshot({ metadata }: Vm, { client }: Pick<PlanContext, 'client'>): Promise<boolean> {
  const { items } = await client.of(VirtualMachineSnapshot).list({ namespace: metadata.namespace });
  return items.some(({ status }) => status?.readyToUse && status.sourceUID === metadata.uid);
}
