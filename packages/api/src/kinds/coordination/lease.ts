import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, microTime, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const LeaseSpec = struct('io.k8s.api.coordination.v1.LeaseSpec', '', {
  acquireTime: opt(3, microTime),
  holderIdentity: opt(1, string),
  leaseDurationSeconds: opt(2, int32),
  leaseTransitions: opt(5, int32),
  preferredHolder: opt(7, string),
  renewTime: opt(4, microTime),
  strategy: opt(6, string),
});
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

export const LeaseSchema = struct('io.k8s.api.coordination.v1.Lease', '', {
  ...objectFields,
  spec: opt(2, LeaseSpec),
});
export interface Lease extends Infer<typeof LeaseSchema> {}

export const Lease = defineKind<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  schema: LeaseSchema,
  columns: [
    { name: 'Holder', type: 'string', description: 'Who holds it.', value: ({ spec }) => spec?.holderIdentity ?? '' },
    ageColumn,
  ],
});
