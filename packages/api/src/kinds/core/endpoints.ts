import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatFirst } from '../columns.ts';
import { ObjectReference } from './references.ts';

export const EndpointAddress = struct(
  'io.k8s.api.core.v1.EndpointAddress',
  'An address behind a service.',
  {
    hostname: opt(3, string, 'Host name of the endpoint.'),
    ip: req(1, string, 'IP address of the endpoint.'),
    nodeName: opt(4, string, { pointer: true, doc: 'The node that it is on.' }),
    targetRef: opt(2, ObjectReference, 'Object behind the address, usually a pod.'),
  },
  { mapType: 'atomic' },
);
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

export const EndpointPort = struct(
  'io.k8s.api.core.v1.EndpointPort',
  'A port behind a service.',
  {
    appProtocol: opt(4, string, { pointer: true, doc: 'Application protocol of the port.' }),
    name: opt(1, string, 'Name of the port.'),
    port: req(2, int32, 'Number of the port.'),
    protocol: opt(3, string, { default: 'TCP', doc: 'Protocol of the port: TCP, UDP or SCTP. Defaults to TCP.' }),
  },
  { mapType: 'atomic' },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointSubset = struct('io.k8s.api.core.v1.EndpointSubset', 'Addresses that have the same ports.', {
  addresses: opt(1, list(EndpointAddress, 'atomic'), 'Addresses that are ready.'),
  notReadyAddresses: opt(2, list(EndpointAddress, 'atomic'), 'Addresses that are not ready.'),
  ports: opt(3, list(EndpointPort, 'atomic'), 'Ports of the addresses.'),
});
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

export const EndpointsSchema = struct(
  'io.k8s.api.core.v1.Endpoints',
  'Addresses behind a service. Deprecated in favour of EndpointSlice.',
  {
    ...objectFields,
    subsets: opt(2, list(EndpointSubset, 'atomic'), 'Groups of addresses that share ports.'),
  },
);
export interface Endpoints extends Infer<typeof EndpointsSchema> {}

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

const addressesOf = ({ subsets = [] }: Endpoints): string[] =>
  subsets.flatMap(({ ports = [], addresses = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );

export const Endpoints = defineKind<Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  listKind: 'EndpointsList',
  namespaced: true,
  shortNames: ['ep'],
  schema: EndpointsSchema,
  columns: [
    {
      name: 'Endpoints',
      type: 'string',
      description: 'Addresses that are ready.',
      value: (endpoints) => formatFirst(addressesOf(endpoints), 3, '<none>'),
    },
    ageColumn,
  ],
});
