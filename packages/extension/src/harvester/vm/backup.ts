import { ApiError, type Infer } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { string, struct } from '@vireo/api/schema.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { targetProblem } from '../../admission/backup.ts';
import { harvesterAction } from '../action.ts';
import { snapshotProblem } from './snapshot.ts';

const BackupInput = struct('io.harvesterhci.v1beta1.BackupInput', 'Options for a backup of a VM.', {
  name: required(string, 'Name of the VirtualMachineBackup.'),
  fsFreezeDeadline: optional(string, 'How long the snapshot may take, and the guest be frozen, such as 30s.'),
});
interface BackupInput extends Infer<typeof BackupInput> {}

export const backup = harvesterAction('virtualmachines')<BackupInput>({
  name: 'backup',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a VirtualMachineBackup, which copies the VM and its disks to the backup target.',
  body: BackupInput,
  needs: [{ apiGroups: [HarvesterBackup.group], resources: [HarvesterBackup.plural], verbs: ['create'] }],
  isListed: async (target, { client }) =>
    snapshotProblem(target) === undefined &&
    targetProblem(await client.of(Setting).find(BACKUP_TARGET_SETTING)) === undefined,
  decide(target, { body: { name, fsFreezeDeadline } }) {
    const why = snapshotProblem(target);
    if (why) throw vmConflict(target.vm, why);
    const { namespace, name: vm } = target.vm.metadata;
    return {
      type: 'lookup',
      async decide({ client }) {
        const problem = targetProblem(await client.of(Setting).find(BACKUP_TARGET_SETTING));
        if (problem !== undefined) throw new ApiError('Conflict', `no backup can be made: ${problem}`);
        const spec = {
          source: vmReference(vm),
          type: 'backup' as const,
          ...(fsFreezeDeadline && { fsFreezeDeadline }),
        };
        return { type: 'create', kind: HarvesterBackup, object: { metadata: { name, namespace }, spec } };
      },
    };
  },
});
