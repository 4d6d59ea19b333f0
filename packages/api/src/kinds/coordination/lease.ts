import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, microTime, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const LeaseSpec = struct('io.k8s.api.coordination.v1.LeaseSpec', 'Holder and duration of a lease.', {
  acquireTime: opt(3, microTime, 'Time at which the current holder acquired the lease.'),
  holderIdentity: opt(1, string, { pointer: true, doc: 'Identity of the current holder.' }),
  leaseDurationSeconds: opt(2, int32, {
    pointer: true,
    doc: 'Number of seconds that the lease is valid after a renewal.',
  }),
  leaseTransitions: opt(5, int32, { pointer: true, doc: 'Number of times that the lease got another holder.' }),
  preferredHolder: opt(7, string, { pointer: true, doc: 'Identity of the preferred holder.' }),
  renewTime: opt(4, microTime, 'When the holder last renewed it.'),
  strategy: opt(6, string, { pointer: true, doc: 'How the holder is chosen.' }),
});
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

export const LeaseSchema = struct(
  'io.k8s.api.coordination.v1.Lease',
  'A lock with a time limit, used for leader election and heartbeats.',
  {
    ...objectFields,
    spec: opt(2, LeaseSpec, 'Holder and duration of the lease.'),
  },
);
export interface Lease extends Infer<typeof LeaseSchema> {}

export const Lease = defineKind<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  schema: LeaseSchema,
  columns: [
    {
      name: 'Holder',
      type: 'string',
      description: 'Identity of the current holder.',
      value: ({ spec }) => spec?.holderIdentity ?? '',
    },
    ageColumn,
  ],
});
