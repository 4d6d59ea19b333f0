import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const ScopedResourceSelectorRequirement = struct('io.k8s.api.core.v1.ScopedResourceSelectorRequirement', '', {
  operator: req(2, string),
  scopeName: req(1, string),
  values: opt(3, list(string, 'atomic')),
});
export interface ScopedResourceSelectorRequirement extends Infer<typeof ScopedResourceSelectorRequirement> {}

export const ScopeSelector = struct(
  'io.k8s.api.core.v1.ScopeSelector',
  '',
  {
    matchExpressions: opt(1, list(ScopedResourceSelectorRequirement, 'atomic')),
  },
  { mapType: 'atomic' },
);
export interface ScopeSelector extends Infer<typeof ScopeSelector> {}

export const ResourceQuotaSpec = struct('io.k8s.api.core.v1.ResourceQuotaSpec', '', {
  hard: opt(1, map(quantity)),
  scopeSelector: opt(3, ScopeSelector),
  scopes: opt(2, list(string, 'atomic')),
});
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpec> {}

export const ResourceQuotaStatus = struct('io.k8s.api.core.v1.ResourceQuotaStatus', '', {
  hard: opt(1, map(quantity)),
  used: opt(2, map(quantity)),
});
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatus> {}

export const ResourceQuotaSchema = struct('io.k8s.api.core.v1.ResourceQuota', '', {
  ...objectFields,
  spec: opt(2, ResourceQuotaSpec),
  status: opt(3, ResourceQuotaStatus),
});
export interface ResourceQuota extends Infer<typeof ResourceQuotaSchema> {}

function usage({ status }: ResourceQuota, isShown: (resource: string) => boolean): string {
  return Object.keys(status?.hard ?? {})
    .filter(isShown)
    .sort()
    .map((resource) => `${resource}: ${status?.used?.[resource] ?? 0}/${status?.hard?.[resource]}`)
    .join(', ');
}

const isLimit = (resource: string): boolean => resource.startsWith('limits');

export const ResourceQuota = defineKind<ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
  shortNames: ['quota'],
  schema: ResourceQuotaSchema,
  generation: false,
  columns: [
    {
      name: 'Request',
      type: 'string',
      description: 'What is used and allowed of requests and object counts.',
      value: (quota) => usage(quota, (resource) => !isLimit(resource)),
    },
    {
      name: 'Limit',
      type: 'string',
      description: 'What is used and allowed of limits.',
      value: (quota) => usage(quota, isLimit),
    },
    ageColumn,
  ],
});
