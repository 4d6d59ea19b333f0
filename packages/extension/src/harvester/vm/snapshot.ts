import { type Infer, isDeleting, notFound } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { type Vm, vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { boolean, string, struct } from '@vireo/api/schema.ts';
import type { Client } from '@vireo/kube';
import type { PlanContext, Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { harvesterAction } from '../action.ts';

type Target = Targets['virtualmachines'];

const SnapshotInput = struct('io.harvesterhci.v1beta1.SnapshotInput', 'Options for a snapshot of a VM.', {
  name: optional(string, 'Name of the VirtualMachineSnapshot. If empty, nothing is created.'),
});
interface SnapshotInput extends Infer<typeof SnapshotInput> {}

const RestoreInput = struct('io.harvesterhci.v1beta1.RestoreInput', 'Options for restoring a VM.', {
  name: required(string, 'Name of the VirtualMachineRestore.'),
  backupName: required(string, "VirtualMachineBackup, or else VirtualMachineSnapshot, in the VM's namespace."),
  keepMacAddress: optional(boolean, 'Has no effect: a restored VM keeps its MAC addresses.'),
  haltAfterRestore: optional(
    boolean,
    'Whether the VM stays stopped. One that is restored from a VirtualMachineSnapshot always does.',
  ),
});
interface RestoreInput extends Infer<typeof RestoreInput> {}

/** Why no snapshot of a VM can be taken now; undefined when one can. */
export function snapshotProblem({ vm, vmi }: Target): string | undefined {
  const { snapshotInProgress } = vm.status ?? {};
  if (snapshotInProgress) return `snapshot "${snapshotInProgress}" is in progress`;
  if (isDeleting(vm) || isDeleting(vmi)) return 'it is being deleted or stopped';
  const phase = vmi?.status?.phase ?? '';
  return vmi && !['Running', 'Succeeded'].includes(phase) ? `its VMI is ${phase || 'starting'}` : undefined;
}

export const snapshot = harvesterAction('virtualmachines')<SnapshotInput>({
  name: 'snapshot',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a VirtualMachineSnapshot with the given name.',
  body: SnapshotInput,
  needs: [{ apiGroups: [VirtualMachineSnapshot.group], resources: [VirtualMachineSnapshot.plural], verbs: ['create'] }],
  isListed: (target) => snapshotProblem(target) === undefined,
  decide(target, { body: { name } }) {
    const why = snapshotProblem(target);
    if (why) throw vmConflict(target.vm, why);
    // Harvester's clients ask only whether they may, and make the object themselves.
    if (!name) return { type: 'write', writes: [] };
    const source = vmReference(target.vm.metadata.name);
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
  summary: 'Restores a stopped VM from a VirtualMachineBackup or a VirtualMachineSnapshot.',
  body: RestoreInput,
  needs: [
    { apiGroups: [VirtualMachineSnapshot.group], resources: [VirtualMachineSnapshot.plural], verbs: ['get', 'list'] },
    { apiGroups: [VirtualMachineRestore.group], resources: [VirtualMachineRestore.plural], verbs: ['create'] },
    { apiGroups: [HarvesterRestore.group], resources: [HarvesterRestore.plural], verbs: ['create'] },
  ],
  isListed: async (target, context) => unrestorable(target) === undefined && (await hasSnapshot(target.vm, context)),
  decide(target, { body }) {
    const why = unrestorable(target);
    if (why) throw vmConflict(target.vm, why);
    const { namespace } = target.vm.metadata;
    const spec = { target: vmReference(target.vm.metadata.name), virtualMachineSnapshotName: body.backupName };
    return {
      type: 'lookup',
      async decide({ client }) {
        const backup = await client.of(HarvesterBackup).find(body.backupName, { namespace });
        if (backup) return { type: 'create', kind: HarvesterRestore, object: backupRestore(target.vm, body) };
        await expectSnapshot(client, namespace, body.backupName);
        const object = { metadata: { name: body.name, namespace }, spec };
        return { type: 'create', kind: VirtualMachineRestore, object };
      },
    };
  },
});

const backupRestore = ({ metadata }: Vm, { name, backupName, keepMacAddress, haltAfterRestore }: RestoreInput) => ({
  metadata: { name, namespace: metadata.namespace },
  spec: {
    target: vmReference(metadata.name),
    virtualMachineBackupName: backupName,
    virtualMachineBackupNamespace: metadata.namespace,
    newVM: false,
    ...(keepMacAddress !== undefined && { keepMacAddress }),
    ...(haltAfterRestore !== undefined && { haltAfterRestore }),
  },
});

async function expectSnapshot(client: Client, namespace: string | undefined, name: string): Promise<void> {
  const { group, plural } = VirtualMachineSnapshot;
  const snapshot = await client.of(VirtualMachineSnapshot).find(name, { namespace });
  if (!snapshot) throw notFound({ group, resource: plural }, name);
}

async function hasSnapshot({ metadata }: Vm, { client }: Pick<PlanContext, 'client'>): Promise<boolean> {
  const at = { namespace: metadata.namespace };
  const lists = await Promise.all([client.of(VirtualMachineSnapshot).list(at), client.of(HarvesterBackup).list(at)]);
  return lists.some(({ items }) => items.some(({ status }) => status?.readyToUse && status.sourceUID === metadata.uid));
}
