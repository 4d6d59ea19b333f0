import { fieldError } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import type { ValidatingRule } from './rule.ts';

export const migrationUpdate: ValidatingRule<VirtualMachineInstanceMigration> = {
  type: 'validating',
  webhook: 'migration-update-validator.kubevirt.io',
  path: '/migration-validate-update',
  kinds: [VirtualMachineInstanceMigration],
  operations: ['UPDATE'],
  validate: async ({ object, oldObject }) => ({
    errors:
      oldObject && !deepEqual(object.spec, oldObject.spec)
        ? [fieldError('spec', "update of Migration object's spec is restricted", 'FieldValueNotSupported')]
        : [],
  }),
};
