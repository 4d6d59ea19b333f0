import { field, type Lease } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { nonNegative } from '../fields.ts';

export const leaseStrategy = defineStrategy<Lease>({
  createOnUpdate: true,
  unconditionalUpdate: false,
  validate: ({ spec }) => [
    ...(spec?.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0
      ? [field.invalid('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0')]
      : []),
    ...nonNegative('spec.leaseTransitions', spec?.leaseTransitions),
  ],
});
