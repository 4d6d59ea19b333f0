import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatFirst } from '../columns.ts';
import { ObjectReference } from './references.ts';

export const EndpointAddress = struct(
  'io.k8s.api.core.v1.EndpointAddress',
  '',
  {
    hostname: opt(3, string),
    ip: req(1, string),
    nodeName: opt(4, string),
    targetRef: opt(2, ObjectReference),
  },
  { mapType: 'atomic' },
);
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

export const EndpointPort = struct(
  'io.k8s.api.core.v1.EndpointPort',
  '',
  {
    appProtocol: opt(4, string),
    name: opt(1, string),
    port: req(2, int32),
    protocol: opt(3, string, { default: 'TCP' }),
  },
  { mapType: 'atomic' },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointSubset = struct('io.k8s.api.core.v1.EndpointSubset', '', {
  addresses: opt(1, list(EndpointAddress, 'atomic')),
  notReadyAddresses: opt(2, list(EndpointAddress, 'atomic')),
  ports: opt(3, list(EndpointPort, 'atomic')),
});
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

export const EndpointsSchema = struct('io.k8s.api.core.v1.Endpoints', '', {
  ...objectFields,
  subsets: opt(2, list(EndpointSubset, 'atomic')),
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
