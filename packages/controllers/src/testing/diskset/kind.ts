import { defineKind, objectFields, schema } from '@vireo/api';
import { int, optional, required } from '@vireo/api/kinds/customResource.ts';

const Spec = schema.struct('io.example.v1.DiskSetSpec', 'Desired state of the set.', {
  count: required(int, 'Number of claims.'),
  sizeFrom: required(schema.string, 'ConfigMap whose key `size` is the size of each claim.'),
});
const Status = schema.struct('io.example.v1.DiskSetStatus', 'Observed state of the set. The system writes it.', {
  bound: optional(int, 'Number of claims that have a volume.'),
});
const Schema = schema.struct('io.example.v1.DiskSet', 'Claims of one size.', {
  ...objectFields,
  spec: required(Spec, 'Desired state of the DiskSet.'),
  status: optional(Status, 'Observed state of the DiskSet.'),
});

const names = { group: 'example.io', version: 'v1', kind: 'DiskSet', plural: 'disksets', namespaced: true };
export interface DiskSet extends schema.Infer<typeof Schema> {}
export const DiskSet = defineKind<DiskSet>({ ...names, schema: Schema, columns: [] });
