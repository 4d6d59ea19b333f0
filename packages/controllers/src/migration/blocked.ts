import type { ConditionDraft } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { UTILITY_VOLUMES_CONDITION } from './timeouts.ts';

const DUMPING = ['Associating', 'InProgress', 'Unmounting'];

/** What a VM does that a migration would disturb; undefined where it can begin. */
export function blockedBy(vm: Vm | undefined, vmi?: Vmi): ConditionDraft | undefined {
  const { snapshotInProgress, memoryDumpRequest } = vm?.status ?? {};
  const blocked = (type: string, reason: string, message: string) => ({ type, status: 'True', reason, message });
  if (snapshotInProgress)
    return blocked(
      'migrationBlockedByBackup',
      'BackupInProgress',
      `Waiting for snapshot ${snapshotInProgress} to complete`,
    );
  // Who thaws them again is the agent of the node that has frozen them.
  if (vmi?.status?.fsFreezeStatus === 'frozen')
    return blocked('migrationBlockedByBackup', 'BackupInProgress', "Waiting for the guest's file systems to be thawed");
  if (memoryDumpRequest && DUMPING.includes(memoryDumpRequest.phase)) {
    const message = `Waiting for the memory dump to PVC ${memoryDumpRequest.claimName} to complete`;
    return blocked(UTILITY_VOLUMES_CONDITION, 'UtilityVolumesPresent', message);
  }
  return undefined;
}
