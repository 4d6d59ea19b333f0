import { MigrateOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { vmAction } from '../action.ts';
import { AbsentTarget, vmConflict } from '../refusals.ts';

const MIGRATIONS = {
  apiGroups: [VirtualMachineInstanceMigration.group],
  resources: [VirtualMachineInstanceMigration.plural],
};
export const CREATE_MIGRATIONS = { ...MIGRATIONS, verbs: ['create'] };

/** Asks for a migration. Whether the VMI can move is checked where migrations are admitted. */
export const migrate = vmAction<MigrateOptions>({
  name: 'migrate',
  method: 'PUT',
  minimumRole: 'migrate',
  summary: 'Moves the running VM to another node.',
  body: MigrateOptions,
  needs: [CREATE_MIGRATIONS],
  decide({ vm, vmi }, { body: { addedNodeSelector } }) {
    const { name, namespace } = vm.metadata;
    if (!vmi) throw new AbsentTarget('virtualmachineinstances', name);
    if (!isRunning(vmi)) throw vmConflict(vm, 'VM is not running');
    return {
      type: 'create',
      kind: VirtualMachineInstanceMigration,
      object: {
        metadata: { generateName: 'kubevirt-migrate-vm-', namespace },
        spec: { vmiName: name, ...(addedNodeSelector && { addedNodeSelector }) },
      } as object as never,
    };
  },
});
