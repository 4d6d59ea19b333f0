import { backupValidation, settingValidation } from './backup.ts';
import { backupRestoreValidation } from './backupRestore.ts';
import { backupScheduleValidation } from './backupSchedule.ts';
import { claimSpaceWarning } from './claimSpace.ts';
import { cloneDefaults, cloneValidation } from './clone.ts';
import { dataImportCronValidation } from './dataImportCron.ts';
import { dataSourceValidation } from './dataSource.ts';
import { dataVolumeValidation } from './dataVolume.ts';
import { propagateDeletionGrace } from './deletionGrace.ts';
import { attachmentEvictions, launcherEvictions } from './eviction/index.ts';
import { exportValidation } from './export.ts';
import { templateValidation, templateVersionDefaults, templateVersionValidation } from './harvesterTemplate.ts';
import { hypervisorChoice } from './hypervisorChoice.ts';
import { imageDefaults, imageValidation } from './image.ts';
import { instancetypeValidation, preferenceValidation } from './instancetype.ts';
import { keyPairValidation } from './keyPair.ts';
import { kubeVirtCreation, kubeVirtDeletion } from './kubeVirt.ts';
import { migrationCreation, migrationDefaults, migrationPolicyValidation, migrationUpdate } from './migration.ts';
import { nodeLimits } from './nodeLimits/index.ts';
import { poolValidation } from './pool.ts';
import { quantityDefaults } from './quantities.ts';
import { replicaSetValidation } from './replicaSet.ts';
import { restoreValidation } from './restore.ts';
import type { AdmissionRule } from './rule.ts';
import { contentValidation, snapshotValidation } from './snapshot.ts';
import { quotaValidation, volumeSnapshotQuota } from './snapshotQuota.ts';
import { unsupportedKinds } from './unsupportedKinds.ts';
import { vmDefaults, vmValidation } from './virtualMachine.ts';
import { vmiCreation, vmiDefaults, vmiUpdate } from './virtualMachineInstance.ts';
import { vmTemplateRequestValidation, vmTemplateValidation } from './vmTemplate.ts';

/** Every webhook of the extension. */
export const RULES: readonly AdmissionRule[] = [
  vmDefaults,
  vmiDefaults,
  quantityDefaults,
  cloneDefaults,
  migrationDefaults,
  vmValidation,
  vmiCreation,
  vmiUpdate,
  propagateDeletionGrace,
  replicaSetValidation,
  poolValidation,
  ...instancetypeValidation,
  ...preferenceValidation,
  migrationCreation,
  migrationUpdate,
  migrationPolicyValidation,
  kubeVirtCreation,
  kubeVirtDeletion,
  hypervisorChoice,
  dataImportCronValidation,
  dataSourceValidation,
  dataVolumeValidation,
  imageDefaults,
  imageValidation,
  templateVersionDefaults,
  templateVersionValidation,
  templateValidation,
  vmTemplateValidation,
  vmTemplateRequestValidation,
  keyPairValidation,
  quotaValidation,
  volumeSnapshotQuota,
  snapshotValidation,
  contentValidation,
  restoreValidation,
  backupValidation,
  backupRestoreValidation,
  backupScheduleValidation,
  settingValidation,
  cloneValidation,
  exportValidation,
  claimSpaceWarning,
  nodeLimits,
  launcherEvictions,
  attachmentEvictions,
  unsupportedKinds,
];
