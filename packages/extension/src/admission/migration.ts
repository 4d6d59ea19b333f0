import { badRequest, conditionOf, type FieldError, fieldError } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import {
  isFinalMigration,
  MIGRATION_FINALIZER,
  selectMigrationsOf,
  VMI_NAME_LABEL,
  vmiNameLabel,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isVolumeMigratable } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { isControllers } from '../identity.ts';
import { type AdmissionContext, ALLOWED, type MutatingRule, type ValidatingRule } from './rule.ts';

type Migration = VirtualMachineInstanceMigration;

/** Migrations are found by their VMI, and stay until the controller has ended them. */
export const migrationDefaults: MutatingRule<Migration> = {
  type: 'mutating',
  webhook: 'migrations-mutator.kubevirt.io',
  path: '/migration-mutate-create',
  kinds: [VirtualMachineInstanceMigration],
  operations: ['CREATE'],
  async mutate({ object }) {
    const { metadata, spec } = object;
    const finalizers = metadata.finalizers ?? [];
    return {
      ...object,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, ...vmiNameLabel(spec?.vmiName ?? '') },
        finalizers: finalizers.includes(MIGRATION_FINALIZER) ? finalizers : [...finalizers, MIGRATION_FINALIZER],
      },
    };
  },
};

const PRIORITIES = ['system-critical', 'user-triggered', 'system-maintenance'];

export const migrationCreation: ValidatingRule<Migration> = {
  type: 'validating',
  webhook: 'migration-create-validator.kubevirt.io',
  path: '/migration-validate-create',
  kinds: [VirtualMachineInstanceMigration],
  operations: ['CREATE'],
  async validate({ object, user }, context) {
    const errors = specErrors(object, isControllers(user));
    if (errors.length > 0) return { errors };
    await requireMigratable(object, context);
    return ALLOWED;
  },
};

function specErrors({ spec }: Migration, isOurs: boolean): FieldError[] {
  const { vmiName, priority } = spec;
  if (!vmiName) return [fieldError('spec.vmiName', 'vmiName is missing', 'FieldValueRequired')];
  if (priority === undefined) return [];
  // The field is called so in KubeVirt's answer.
  const text = 'Migration priority queue, only virt-controller is allowed to set priority field';
  if (!isOurs) return [fieldError('spec.migrationPriority', text)];
  return PRIORITIES.includes(priority)
    ? []
    : [fieldError('spec.priority', `spec.priority is "${priority}": it must be one of ${PRIORITIES.join(', ')}`)];
}

/** Refuses, with KubeVirt's words, what could not succeed. */
async function requireMigratable({ metadata, spec }: Migration, { client }: AdmissionContext): Promise<void> {
  const { namespace } = metadata;
  const { vmiName = '', sendTo, receive } = spec;
  if (sendTo || receive)
    throw badRequest('DecentralizedLiveMigration feature gate is not enabled in kubevirt resource');
  const vmi = await client.of(Vmi).find(vmiName, { namespace });
  if (!vmi) throw badRequest(`the VMI "${namespace}/${vmiName}" does not exist`);
  if (isFinal(vmi)) throw badRequest('Cannot migrate VMI in finalized state.');
  const migratable = conditionOf(vmi, 'LiveMigratable');
  // Volumes that a guest cannot take along are no hindrance where it leaves them behind for others.
  if (migratable?.status === 'False' && !isVolumeMigratable(vmi))
    throw badRequest(`Cannot migrate VMI, Reason: ${migratable.reason ?? ''}, Message: ${migratable.message ?? ''}`);
  const migrations = client.of(VirtualMachineInstanceMigration).listAll({
    namespace,
    ...selectMigrationsOf(vmiName),
  });
  for await (const each of migrations)
    if (each.spec.vmiName === vmiName && !isFinalMigration(each))
      throw badRequest(
        `in-flight migration detected. Active migration job (${each.metadata.uid}) is currently already in progress for VMI ${vmiName}.`,
      );
}

export const migrationUpdate: ValidatingRule<Migration> = {
  type: 'validating',
  webhook: 'migration-update-validator.kubevirt.io',
  path: '/migration-validate-update',
  kinds: [VirtualMachineInstanceMigration],
  operations: ['UPDATE'],
  async validate({ object, oldObject }) {
    if (!oldObject) return ALLOWED;
    if (!deepEqual(object.spec, oldObject.spec))
      return {
        errors: [fieldError('spec', "update of Migration object's spec is restricted", 'FieldValueNotSupported')],
      };
    return { errors: isFinalMigration(oldObject) ? [] : labelErrors(object, oldObject) };
  },
};

function labelErrors(object: Migration, oldObject: Migration): FieldError[] {
  const [now, before] = [object, oldObject].map(({ metadata }) => metadata.labels?.[VMI_NAME_LABEL]);
  if (before === undefined || now === before) return [];
  const text =
    now === undefined
      ? "selector label can't be removed from an in-flight migration"
      : "selector label can't be modified on an in-flight migration";
  return [fieldError('metadata.labels', text, 'FieldValueNotSupported')];
}

const STALL_GATE = 'MigrationStallDetection';

export const migrationPolicyValidation: ValidatingRule<MigrationPolicy> = {
  type: 'validating',
  webhook: 'migration-policy-validator.kubevirt.io',
  path: '/migration-policy-validate-create',
  kinds: [MigrationPolicy],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object }, { config }) {
    const { completionTimeoutPerGiB, maxDowntimeMs, experimental } = object.spec;
    const { gates } = await config();
    const gated = (field: string) =>
      fieldError(`spec.${field}`, `${field} cannot be modified without enabling the ${STALL_GATE} feature gate`);
    return {
      errors: [
        ...(completionTimeoutPerGiB !== undefined && completionTimeoutPerGiB < 0
          ? [fieldError('spec.completionTimeoutPerGiB', 'must not be negative')]
          : []),
        ...(maxDowntimeMs !== undefined && !gates.has(STALL_GATE) ? [gated('maxDowntimeMs')] : []),
        ...(experimental?.stallDetector && !gates.has(STALL_GATE) ? [gated('experimental.stallDetector')] : []),
      ],
    };
  },
};
