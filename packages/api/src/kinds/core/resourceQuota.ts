import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const ScopedResourceSelectorRequirement = struct(
  'io.k8s.api.core.v1.ScopedResourceSelectorRequirement',
  'A requirement on the objects that a quota counts.',
  {
    operator: req(2, string, 'How key and values relate: In, NotIn, Exists, DoesNotExist, and for nodes Gt and Lt.'),
    scopeName: req(1, string, 'Name of the scope, such as PriorityClass.'),
    values: opt(3, list(string, 'atomic'), 'The values to compare with; empty for Exists and DoesNotExist.'),
  },
);
export interface ScopedResourceSelectorRequirement extends Infer<typeof ScopedResourceSelectorRequirement> {}

export const ScopeSelector = struct(
  'io.k8s.api.core.v1.ScopeSelector',
  'Selects the objects that a quota counts.',
  {
    matchExpressions: opt(
      1,
      list(ScopedResourceSelectorRequirement, 'atomic'),
      'Requirements that an object must all meet.',
    ),
  },
  { mapType: 'atomic' },
);
export interface ScopeSelector extends Infer<typeof ScopeSelector> {}

export const ResourceQuotaSpec = struct(
  'io.k8s.api.core.v1.ResourceQuotaSpec',
  'Limits of a quota, and the objects it counts.',
  {
    hard: opt(1, map(quantity), 'Maximum amount of each resource in the namespace.'),
    scopeSelector: opt(3, ScopeSelector, 'Scopes of the objects that the quota counts.'),
    scopes: opt(2, list(string, 'atomic'), 'Scopes of the objects that the quota counts.'),
  },
);
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpec> {}

export const ResourceQuotaStatus = struct('io.k8s.api.core.v1.ResourceQuotaStatus', 'Limits and use of a quota.', {
  hard: opt(1, map(quantity), 'Maximum amount of each resource in the namespace.'),
  used: opt(2, map(quantity), 'Amount of each resource that is used.'),
});
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatus> {}

export const ResourceQuotaSchema = struct(
  'io.k8s.api.core.v1.ResourceQuota',
  'Limits what all objects of a namespace may use together.',
  {
    ...objectFields,
    spec: opt(2, ResourceQuotaSpec, 'Desired state of the ResourceQuota.'),
    status: opt(3, ResourceQuotaStatus, 'Observed state of the ResourceQuota. The system writes it.'),
  },
);
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
      description: 'Used and allowed amounts of requests and object counts.',
      value: (quota) => usage(quota, (resource) => !isLimit(resource)),
    },
    {
      name: 'Limit',
      type: 'string',
      description: 'Used and allowed amounts of limits.',
      value: (quota) => usage(quota, isLimit),
    },
    ageColumn,
  ],
});
