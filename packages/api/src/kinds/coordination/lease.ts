import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, microTime, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const LeaseSpec = struct('io.k8s.api.coordination.v1.LeaseSpec', 'Who holds the lease.', {
  acquireTime: opt(3, microTime, 'When the holder got it.'),
  holderIdentity: opt(1, string, { pointer: true, doc: 'Who holds it.' }),
  leaseDurationSeconds: opt(2, int32, { pointer: true, doc: 'How long it holds after a renewal.' }),
  leaseTransitions: opt(5, int32, { pointer: true, doc: 'How often it changed hands.' }),
  preferredHolder: opt(7, string, { pointer: true, doc: 'Who should hold it.' }),
  renewTime: opt(4, microTime, 'When the holder last renewed it.'),
  strategy: opt(6, string, { pointer: true, doc: 'How the holder is chosen.' }),
});
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

export const LeaseSchema = struct('io.k8s.api.coordination.v1.Lease', 'Says who is in charge, and until when.', {
  ...objectFields,
  spec: opt(2, LeaseSpec, 'Desired state of the Lease.'),
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
