import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatFirst } from '../columns.ts';
import { ObjectReference } from './references.ts';

export const EndpointAddress = struct(
  'io.k8s.api.core.v1.EndpointAddress',
  'One address behind a service.',
  {
    hostname: opt(3, string, 'Its host name.'),
    ip: req(1, string, 'The address.'),
    nodeName: opt(4, string, { pointer: true, doc: 'The node that it is on.' }),
    targetRef: opt(2, ObjectReference, 'The object behind it.'),
  },
  { mapType: 'atomic' },
);
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

export const EndpointPort = struct(
  'io.k8s.api.core.v1.EndpointPort',
  'One port behind a service.',
  {
    appProtocol: opt(4, string, { pointer: true, doc: 'What is spoken on the port.' }),
    name: opt(1, string, 'Name of the port.'),
    port: req(2, int32, 'The port.'),
    protocol: opt(3, string, { default: 'TCP', doc: 'TCP, UDP or SCTP.' }),
  },
  { mapType: 'atomic' },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointSubset = struct('io.k8s.api.core.v1.EndpointSubset', 'Addresses that share ports.', {
  addresses: opt(1, list(EndpointAddress, 'atomic'), 'Addresses that are ready.'),
  notReadyAddresses: opt(2, list(EndpointAddress, 'atomic'), 'Addresses that are not.'),
  ports: opt(3, list(EndpointPort, 'atomic'), 'Their ports.'),
});
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

export const EndpointsSchema = struct('io.k8s.api.core.v1.Endpoints', 'Addresses behind a service, in the old form.', {
  ...objectFields,
  subsets: opt(2, list(EndpointSubset, 'atomic'), 'Groups of addresses that share ports.'),
});
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
