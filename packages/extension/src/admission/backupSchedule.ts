import { type FieldError, fieldError } from '@vireo/api';
import { scheduleProblem } from '@vireo/api/cron.ts';
import { deepEqual } from '@vireo/api/json.ts';
import { ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { backupSpecErrors } from './backup.ts';
import type { ValidatingRule } from './rule.ts';

/** With the time behind it, it is the name of a backup. */
const LONGEST_NAME = 180;

/** Schedules of backups: at times that there are, of VMs that are there. */
export const backupScheduleValidation: ValidatingRule<ScheduleVmBackup> = {
  type: 'validating',
  webhook: 'schedulevmbackups-validator.harvesterhci.io',
  path: '/schedulevmbackups-validate',
  kinds: [ScheduleVmBackup],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }, { client }) {
    const { name = '', namespace } = object.metadata;
    const { cron, vmbackup } = object.spec;
    const errors: FieldError[] = [...cronErrors(cron), ...backupSpecErrors('spec.vmbackup', vmbackup)];
    if (name.length > LONGEST_NAME)
      errors.push(fieldError('metadata.name', `metadata.name must have no more than ${LONGEST_NAME} characters`));
    if (oldObject && !deepEqual(vmbackup, oldObject.spec.vmbackup))
      errors.push(fieldError('spec.vmbackup', 'spec.vmbackup is immutable after creation', 'FieldValueNotSupported'));
    if (oldObject || errors.length > 0) return { errors };
    const { source } = vmbackup;
    if (await client.of(VirtualMachine).find(source.name, { namespace })) return { errors };
    const text = `VirtualMachine ${JSON.stringify(source.name)} does not exist`;
    return { errors: [fieldError('spec.vmbackup.source.name', text, 'FieldValueNotFound')] };
  },
};

function cronErrors(cron: string): FieldError[] {
  const why = cron.includes('TZ=') ? 'times are in UTC' : scheduleProblem(cron);
  return why === undefined ? [] : [fieldError('spec.cron', `spec.cron is ${JSON.stringify(cron)}: ${why}`)];
}
