import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, list, map, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatFirst } from '../columns.ts';
import { ObjectReference } from '../core/references.ts';

export const EndpointConditions = struct(
  'io.k8s.api.discovery.v1.EndpointConditions',
  'Whether an endpoint receives traffic.',
  {
    ready: opt(1, boolean, { pointer: true, doc: 'Whether it should get traffic.' }),
    serving: opt(2, boolean, { pointer: true, doc: 'Whether it answers, even while it is going.' }),
    terminating: opt(3, boolean, { pointer: true, doc: 'Whether the endpoint is terminating.' }),
  },
);
export interface EndpointConditions extends Infer<typeof EndpointConditions> {}

export const ForNode = struct('io.k8s.api.discovery.v1.ForNode', 'A node that should use the endpoint.', {
  name: req(1, string, 'Name of the node.'),
});
export interface ForNode extends Infer<typeof ForNode> {}

export const ForZone = struct('io.k8s.api.discovery.v1.ForZone', 'A zone that should use the endpoint.', {
  name: req(1, string, 'Name of the zone.'),
});
export interface ForZone extends Infer<typeof ForZone> {}

export const EndpointHints = struct('io.k8s.api.discovery.v1.EndpointHints', 'Which clients should use the endpoint.', {
  forNodes: opt(2, list(ForNode, 'atomic'), 'Nodes that should use the endpoint.'),
  forZones: opt(1, list(ForZone, 'atomic'), 'Zones that should use the endpoint.'),
});
export interface EndpointHints extends Infer<typeof EndpointHints> {}

export const Endpoint = struct('io.k8s.api.discovery.v1.Endpoint', 'An endpoint behind a service.', {
  addresses: req(1, list(string, 'set'), 'Its addresses; all mean the same.'),
  conditions: opt(2, EndpointConditions, 'Whether the endpoint receives traffic.'),
  deprecatedTopology: opt(5, map(string), 'No longer supported and ignored.'),
  hints: opt(8, EndpointHints, 'Which clients should use the endpoint.'),
  hostname: opt(3, string, { pointer: true, doc: 'Host name of the endpoint.' }),
  nodeName: opt(6, string, { pointer: true, doc: 'The node that it is on.' }),
  targetRef: opt(4, ObjectReference, 'Object behind the endpoint, usually a pod.'),
  zone: opt(7, string, { pointer: true, doc: 'The zone that it is in.' }),
});
export interface Endpoint extends Infer<typeof Endpoint> {}

export const EndpointSlicePort = struct(
  'io.k8s.api.discovery.v1.EndpointPort',
  'A port of all endpoints of the slice.',
  {
    appProtocol: opt(4, string, { pointer: true, doc: 'Application protocol of the port.' }),
    name: opt(1, string, { default: '', pointer: true, doc: 'Name of the port.' }),
    port: opt(3, int32, { pointer: true, doc: 'Number of the port. If missing, all ports.' }),
    protocol: opt(2, string, {
      default: 'TCP',
      pointer: true,
      doc: 'Protocol of the port: TCP, UDP or SCTP. Defaults to TCP.',
    }),
  },
  { mapType: 'atomic' },
);
export interface EndpointSlicePort extends Infer<typeof EndpointSlicePort> {}

export const EndpointSliceSchema = struct(
  'io.k8s.api.discovery.v1.EndpointSlice',
  'Some of the endpoints behind a service.',
  {
    ...objectFields,
    addressType: req(4, string, 'IPv4, IPv6 or FQDN. Cannot be changed.'),
    endpoints: opt(2, list(Endpoint, 'atomic'), 'Endpoints in the slice.'),
    ports: opt(3, list(EndpointSlicePort, 'atomic'), 'Ports that every endpoint has.'),
  },
);
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
    {
      name: 'AddressType',
      type: 'string',
      description: 'Type of the addresses: IPv4, IPv6 or FQDN.',
      value: (slice) => slice.addressType,
    },
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
      description: 'Addresses of the endpoints.',
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
