import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, list, map, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatFirst } from '../columns.ts';
import { ObjectReference } from '../core/references.ts';

export const EndpointConditions = struct('io.k8s.api.discovery.v1.EndpointConditions', '', {
  ready: opt(1, boolean),
  serving: opt(2, boolean),
  terminating: opt(3, boolean),
});
export interface EndpointConditions extends Infer<typeof EndpointConditions> {}

export const ForNode = struct('io.k8s.api.discovery.v1.ForNode', '', {
  name: req(1, string),
});
export interface ForNode extends Infer<typeof ForNode> {}

export const ForZone = struct('io.k8s.api.discovery.v1.ForZone', '', {
  name: req(1, string),
});
export interface ForZone extends Infer<typeof ForZone> {}

export const EndpointHints = struct('io.k8s.api.discovery.v1.EndpointHints', '', {
  forNodes: opt(2, list(ForNode, 'atomic')),
  forZones: opt(1, list(ForZone, 'atomic')),
});
export interface EndpointHints extends Infer<typeof EndpointHints> {}

export const Endpoint = struct('io.k8s.api.discovery.v1.Endpoint', '', {
  addresses: req(1, list(string, 'set')),
  conditions: opt(2, EndpointConditions),
  deprecatedTopology: opt(5, map(string)),
  hints: opt(8, EndpointHints),
  hostname: opt(3, string),
  nodeName: opt(6, string),
  targetRef: opt(4, ObjectReference),
  zone: opt(7, string),
});
export interface Endpoint extends Infer<typeof Endpoint> {}

export const EndpointSlicePort = struct(
  'io.k8s.api.discovery.v1.EndpointPort',
  '',
  {
    appProtocol: opt(4, string),
    name: opt(1, string, { default: '' }),
    port: opt(3, int32),
    protocol: opt(2, string, { default: 'TCP' }),
  },
  { mapType: 'atomic' },
);
export interface EndpointSlicePort extends Infer<typeof EndpointSlicePort> {}

export const EndpointSliceSchema = struct('io.k8s.api.discovery.v1.EndpointSlice', '', {
  ...objectFields,
  addressType: req(4, string),
  endpoints: opt(2, list(Endpoint, 'atomic')),
  ports: opt(3, list(EndpointSlicePort, 'atomic')),
});
export interface EndpointSlice extends Infer<typeof EndpointSliceSchema> {}

export const EndpointSlice = defineKind<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  schema: EndpointSliceSchema,
  generation: true,
  columns: [
    { name: 'AddressType', type: 'string', description: 'IPv4, IPv6 or FQDN.', value: (slice) => slice.addressType },
    {
      name: 'Ports',
      type: 'string',
      description: 'The ports of every endpoint.',
      value: ({ ports = [] }) =>
        formatFirst(
          ports.map(({ port }) => String(port ?? '*')),
          3,
          '<unset>',
        ),
    },
    {
      name: 'Endpoints',
      type: 'string',
      description: 'The addresses.',
      value: ({ endpoints }) =>
        formatFirst(
          (endpoints ?? []).flatMap(({ addresses }) => addresses),
          3,
          '<unset>',
        ),
    },
    ageColumn,
  ],
});
