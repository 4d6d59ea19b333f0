import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const ScopedResourceSelectorRequirement = struct(
  'io.k8s.api.core.v1.ScopedResourceSelectorRequirement',
  'One requirement on objects that count.',
  {
    operator: req(2, string, 'How key and values relate: In, NotIn, Exists, DoesNotExist, and for nodes Gt and Lt.'),
    scopeName: req(1, string, 'The scope.'),
    values: opt(3, list(string, 'atomic'), 'The values to compare with; empty for Exists and DoesNotExist.'),
  },
);
export interface ScopedResourceSelectorRequirement extends Infer<typeof ScopedResourceSelectorRequirement> {}

export const ScopeSelector = struct(
  'io.k8s.api.core.v1.ScopeSelector',
  'Which objects count towards a quota.',
  {
    matchExpressions: opt(1, list(ScopedResourceSelectorRequirement, 'atomic'), 'Requirements that all must hold.'),
  },
  { mapType: 'atomic' },
);
export interface ScopeSelector extends Infer<typeof ScopeSelector> {}

export const ResourceQuotaSpec = struct('io.k8s.api.core.v1.ResourceQuotaSpec', 'How much of what.', {
  hard: opt(1, map(quantity), 'The most of each resource.'),
  scopeSelector: opt(3, ScopeSelector, 'Which objects count, by scope and value.'),
  scopes: opt(2, list(string, 'atomic'), 'Which objects count.'),
});
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpec> {}

export const ResourceQuotaStatus = struct('io.k8s.api.core.v1.ResourceQuotaStatus', 'How much is used.', {
  hard: opt(1, map(quantity), 'The most of each resource.'),
  used: opt(2, map(quantity), 'What is used of each.'),
});
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatus> {}

export const ResourceQuotaSchema = struct('io.k8s.api.core.v1.ResourceQuota', 'What a namespace may use in all.', {
  ...objectFields,
  spec: opt(2, ResourceQuotaSpec, 'Desired state of the ResourceQuota.'),
  status: opt(3, ResourceQuotaStatus, 'Observed state of the ResourceQuota. The system writes it.'),
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
