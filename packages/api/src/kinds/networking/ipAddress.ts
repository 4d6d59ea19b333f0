import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const ParentReference = struct(
  'io.k8s.api.networking.v1.ParentReference',
  'Refers to the object that an address belongs to.',
  {
    group: opt(1, string, 'API group of the object. Empty for the core group.'),
    name: opt(4, string, 'Name of the object.'),
    namespace: opt(3, string, 'Namespace of the object.'),
    resource: opt(2, string, 'Resource of the object, such as services.'),
  },
);
export interface ParentReference extends Infer<typeof ParentReference> {}

export const IPAddressSpec = struct('io.k8s.api.networking.v1.IPAddressSpec', 'Who an IP address belongs to.', {
  parentRef: opt(1, ParentReference, 'The object that the address belongs to.'),
});
export interface IPAddressSpec extends Infer<typeof IPAddressSpec> {}

export const IPAddressSchema = struct(
  'io.k8s.api.networking.v1.IPAddress',
  'An IP address that is in use. Its name is the address.',
  { ...objectFields, spec: opt(2, IPAddressSpec, 'Desired state of the IPAddress.') },
);
export interface IPAddress extends Infer<typeof IPAddressSchema> {}

export const IPAddress = defineKind<IPAddress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  namespaced: false,
  shortNames: ['ip'],
  schema: IPAddressSchema,
  generation: false,
  columns: [
    {
      name: 'ParentRef',
      type: 'string',
      description: 'The object that the address belongs to.',
      value: ({ spec }) => {
        const { group, resource, namespace, name } = spec?.parentRef ?? {};
        const kind = [resource, group].filter(Boolean).join('.');
        return spec?.parentRef ? [kind, namespace, name].filter(Boolean).join('/') : '<none>';
      },
    },
    ageColumn,
  ],
});
