import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { Condition } from '../meta/condition.ts';

export const ServiceCIDRSpec = struct(
  'io.k8s.api.networking.v1.ServiceCIDRSpec',
  'Ranges that the addresses of Services come from.',
  { cidrs: opt(1, list(string, 'atomic'), 'Ranges in CIDR notation, one of each IP family. Cannot be changed.') },
);
export interface ServiceCIDRSpec extends Infer<typeof ServiceCIDRSpec> {}

export const ServiceCIDRStatus = struct(
  'io.k8s.api.networking.v1.ServiceCIDRStatus',
  'Whether addresses can be allocated from the ranges.',
  {
    conditions: opt(1, list(Condition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
  },
);
export interface ServiceCIDRStatus extends Infer<typeof ServiceCIDRStatus> {}

export const ServiceCIDRSchema = struct(
  'io.k8s.api.networking.v1.ServiceCIDR',
  'Ranges of IP addresses that Services get their cluster IPs from.',
  {
    ...objectFields,
    spec: opt(2, ServiceCIDRSpec, 'Desired state of the ServiceCIDR.'),
    status: opt(3, ServiceCIDRStatus, 'Observed state of the ServiceCIDR. The system writes it.'),
  },
);
export interface ServiceCIDR extends Infer<typeof ServiceCIDRSchema> {}

export const ServiceCIDR = defineKind<ServiceCIDR>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  schema: ServiceCIDRSchema,
  generation: false,
  columns: [
    {
      name: 'CIDRs',
      type: 'string',
      description: 'Ranges that addresses are allocated from.',
      value: ({ spec }) => (spec?.cidrs ?? []).join(','),
    },
    ageColumn,
  ],
});
