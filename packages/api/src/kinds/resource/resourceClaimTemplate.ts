import { defineKind } from '../../kind.ts';
import { ObjectMeta, objectFields } from '../../meta.ts';
import { type Infer, opt, req, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { applyClaimDefaults, ResourceClaimSpec } from './deviceClaim.ts';

export const ResourceClaimTemplateSpec = struct(
  'io.k8s.api.resource.v1.ResourceClaimTemplateSpec',
  'Metadata and spec of the claims.',
  {
    metadata: opt(1, ObjectMeta, 'Labels and annotations for the claims.'),
    spec: req(2, ResourceClaimSpec, 'Spec of the claims.'),
  },
);
export interface ResourceClaimTemplateSpec extends Infer<typeof ResourceClaimTemplateSpec> {}

export const ResourceClaimTemplateSchema = struct(
  'io.k8s.api.resource.v1.ResourceClaimTemplate',
  'A template for claims, of which each pod gets its own.',
  { ...objectFields, spec: req(2, ResourceClaimTemplateSpec, 'The claims that are made from it.') },
);
export interface ResourceClaimTemplate extends Infer<typeof ResourceClaimTemplateSchema> {}

export const ResourceClaimTemplate = defineKind<ResourceClaimTemplate>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
  schema: ResourceClaimTemplateSchema,
  columns: [ageColumn],
  applyDefaults: ({ spec }) => applyClaimDefaults(spec?.spec),
});
