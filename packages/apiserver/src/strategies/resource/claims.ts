import type { ResourceClaim, ResourceClaimTemplate } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { immutable, restore } from '../immutable.ts';
import { validateClaimSpec } from './deviceRequests.ts';

export const resourceClaimStrategy = defineStrategy<ResourceClaim>({
  prepareForCreate(claim) {
    claim.status = {};
  },
  prepareForUpdate(claim, old, { subresource }) {
    if (subresource === '') restore(claim, old, 'status');
  },
  validate: ({ spec }, { subresource }) => (subresource === 'status' ? [] : validateClaimSpec(spec, 'spec')),
  validateUpdate: ({ spec }, { spec: old }, { subresource }) =>
    subresource === 'status' ? [] : immutable('spec', spec, old),
});

export const resourceClaimTemplateStrategy = defineStrategy<ResourceClaimTemplate>({
  validate: ({ spec }) => validateClaimSpec(spec?.spec, 'spec.spec'),
  validateUpdate: ({ spec }, { spec: old }) => immutable('spec', spec, old),
});
