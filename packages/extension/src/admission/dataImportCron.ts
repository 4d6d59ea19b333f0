import { type FieldError, fieldError } from '@vireo/api';
import { scheduleProblem } from '@vireo/api/cron.ts';
import { deepEqual } from '@vireo/api/json.ts';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { dataVolumeErrors } from './dataVolumeSpec.ts';
import { choiceErrors } from './references.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';

/** A name of a DataImportCron is the value of a label. */
const LONGEST_NAME = 63;
/** What a name of a DataSource leaves of that of a claim, for a part of a digest. */
const LONGEST_SOURCE = 253 - 13;

export const dataImportCronValidation: ValidatingRule<DataImportCron> = {
  type: 'validating',
  webhook: 'dataimportcron-validate.cdi.kubevirt.io',
  path: '/dataimportcron-validate',
  kinds: [DataImportCron],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }) {
    if (!oldObject) return { errors: specErrors(object) };
    if (deepEqual(object.spec, oldObject.spec)) return ALLOWED;
    return { errors: [fieldError('spec', 'Cannot update DataImportCron Spec', 'FieldValueDuplicate')] };
  },
};

/** What is wrong with a new DataImportCron. */
export function specErrors({ metadata, spec }: DataImportCron): FieldError[] {
  const { name = '' } = metadata;
  const { template, schedule, importsToKeep, garbageCollect, retentionPolicy, managedDataSource } = spec;
  const source = 'spec.template.spec.source';
  if (!template.spec.source?.registry)
    return [fieldError(source, `${source}.registry is missing: a DataImportCron imports images of a registry only`)];
  const problem = schedule === '' ? undefined : scheduleProblem(schedule);
  return [
    ...(name.length > LONGEST_NAME
      ? [
          fieldError(
            'metadata.name',
            `metadata.name: Name of data import cron cannot be more than ${LONGEST_NAME} characters`,
          ),
        ]
      : []),
    ...dataVolumeErrors(template.spec, 'spec.template.spec'),
    ...(problem === undefined
      ? []
      : [fieldError('spec.schedule', `spec.schedule: Illegal cron schedule ${JSON.stringify(schedule)}: ${problem}`)]),
    ...(importsToKeep !== undefined && importsToKeep < 0
      ? [fieldError('spec.importsToKeep', `spec.importsToKeep: Illegal ImportsToKeep value ${importsToKeep}`)]
      : []),
    ...choiceErrors('spec.garbageCollect', garbageCollect, ['Outdated', 'Never']),
    ...choiceErrors('spec.retentionPolicy', retentionPolicy, ['All', 'None']),
    ...sourceNameErrors(managedDataSource),
  ];
}

function sourceNameErrors(name: string): FieldError[] {
  const field = 'spec.managedDataSource';
  if (name === '') return [fieldError(field, `${field}: managedDataSource cannot be empty`)];
  if (name.length <= LONGEST_SOURCE) return [];
  return [fieldError(field, `${field}: managedDataSource cannot be more than ${LONGEST_SOURCE} characters`)];
}
