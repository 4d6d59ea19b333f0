import { type FieldError, field, type StorageClass } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { invalidFor, oneOf } from '../fields.ts';
import { immutable, sameValue } from '../immutable.ts';

const MAX_PARAMETERS = 512;

export const storageClassStrategy = defineStrategy<StorageClass>({
  validate: (storageClass) => [
    ...(storageClass.provisioner
      ? invalidFor('provisioner', storageClass.provisioner, qualifiedNameErrors(storageClass.provisioner.toLowerCase()))
      : [field.required('provisioner')]),
    ...validateParameters(storageClass.parameters ?? {}),
    ...oneOf('reclaimPolicy', storageClass.reclaimPolicy, ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', storageClass.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
  ],

  validateUpdate: (storageClass, old) => [
    ...(['parameters', 'provisioner', 'reclaimPolicy'] as const)
      .filter((name) => !sameValue(storageClass[name], old[name]))
      .map((name) => field.forbidden(name, `updates to ${name} are forbidden.`)),
    ...immutable('volumeBindingMode', storageClass.volumeBindingMode, old.volumeBindingMode),
  ],
});

function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(parameters);
  return [
    ...(names.length > MAX_PARAMETERS ? [field.tooLong('parameters', MAX_PARAMETERS)] : []),
    ...(names.includes('') ? [field.invalid('parameters', '', 'field can not be empty.')] : []),
  ];
}
