import { type FieldError, field, type IPAddress } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { invalidFor, requiredText } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { ipErrors } from '../names.ts';

export const ipAddressStrategy = defineStrategy<IPAddress>({
  // An IPv6 address has colons, which other names may not have.
  nameRule: 'path',
  validate: ({ metadata, spec }) => [
    ...invalidFor('metadata.name', metadata.name ?? '', ipErrors(metadata.name ?? '')),
    ...validateParent(spec?.parentRef),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable('spec.parentRef', spec?.parentRef, old?.parentRef),
});

function validateParent(parent: NonNullable<IPAddress['spec']>['parentRef']): FieldError[] {
  if (!parent) return [field.required('spec.parentRef')];
  return [
    ...requiredText('spec.parentRef.resource', parent.resource),
    ...requiredText('spec.parentRef.name', parent.name),
  ];
}
