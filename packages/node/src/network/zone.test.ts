import type { EndpointSlice, Service } from '@vireo/api';
import { expect, it } from 'vitest';
import { clusterZone } from './zone.ts';

const services: Service[] = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'], ports: [{ name: 'http', port: 80 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'both', namespace: 'shop' },
    spec: { clusterIP: '10.96.0.8', clusterIPs: ['10.96.0.8', 'fd00::8'], ports: [{ name: 'http', port: 80 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'db', namespace: 'shop' },
    spec: { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] },
  },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'empty', namespace: 'shop' }, spec: { clusterIP: 'None' } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'docs', namespace: 'shop' },
    spec: { type: 'ExternalName', externalName: 'docs.example.org' },
  },
];
const slices: EndpointSlice[] = [
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'db-1', namespace: 'shop' },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.244.0.3'], hostname: 'db-0', conditions: { ready: true } },
      { addresses: ['10.244.1.4'], conditions: { ready: true } },
      { addresses: ['10.244.1.5'], hostname: 'db-2', conditions: { ready: false } },
    ],
    ports: [{ name: 'sql', port: 15432 }],
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'db-2', namespace: 'shop' },
    addressType: 'IPv6',
    endpoints: [{ addresses: ['fd00::3'], hostname: 'db-0', conditions: { ready: true } }],
    ports: [{ name: 'sql', port: 15432 }],
  },
];
const zone = clusterZone({
  domain: 'cluster.local',
  service: (namespace, name) =>
    services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  slices: (namespace, name) => (namespace === 'shop' && name === 'db' ? slices : []),
  byClusterIp: (address) => services.filter(({ spec }) => spec?.clusterIPs?.includes(address)),
  hasNamespace: (name) => name === 'shop',
  isOwn: (address) => address.startsWith('10.96.') || address.startsWith('10.244.') || address.startsWith('fd00::'),
});

const data = (name: string, type = 'A') =>
  zone.resolve(name, type)?.records.map((record) => ('data' in record ? record.data : undefined));

it.each([
  ['web.shop.svc.cluster.local', 'A', ['10.96.0.7']],
  ['web.shop.svc.cluster.local', 'AAAA', []],
  ['both.shop.svc.cluster.local', 'A', ['10.96.0.8']],
  ['both.shop.svc.cluster.local', 'AAAA', ['fd00::8']],
  ['db.shop.svc.cluster.local', 'AAAA', ['fd00::3']],
  ['db-0.db.shop.svc.cluster.local', 'AAAA', ['fd00::3']],
  ['fd00--7.shop.pod.cluster.local', 'AAAA', ['fd00::7']],
  [`8.${'0.'.repeat(27)}0.0.d.f.ip6.arpa`, 'PTR', ['both.shop.svc.cluster.local']],
  ['10-244-1-4.db.shop.svc.cluster.local', 'A', ['10.244.1.4']],
  ['db.shop.svc.cluster.local', 'A', ['10.244.0.3', '10.244.1.4']],
  ['db-0.db.shop.svc.cluster.local', 'A', ['10.244.0.3']],
  ['docs.shop.svc.cluster.local', 'A', ['docs.example.org']],
  [
    '_http._tcp.web.shop.svc.cluster.local',
    'SRV',
    [{ priority: 0, weight: 100, port: 80, target: 'web.shop.svc.cluster.local' }],
  ],
  ['10-244-0-3.shop.pod.cluster.local', 'A', ['10.244.0.3']],
  ['7.0.96.10.in-addr.arpa', 'PTR', ['web.shop.svc.cluster.local']],
  ['dns-version.cluster.local', 'TXT', ['1.1.0']],
])('%s %s', (name, type, expected) => {
  expect(data(name, type)).toEqual(expected);
  expect(zone.resolve(name, type)?.exists).toBe(true);
});

it('SRV records of a headless Service name each endpoint, and its own port', () => {
  expect(data('_sql._tcp.db.shop.svc.cluster.local', 'SRV')).toEqual([
    { priority: 0, weight: 100, port: 15432, target: 'db-0.db.shop.svc.cluster.local' },
    { priority: 0, weight: 100, port: 15432, target: '10-244-1-4.db.shop.svc.cluster.local' },
  ]);
});

it.each([
  'nothing.shop.svc.cluster.local',
  'web.other.svc.cluster.local',
  'empty.shop.svc.cluster.local',
  'db-2.db.shop.svc.cluster.local',
  '_ftp._tcp.web.shop.svc.cluster.local',
  'a.b.c.web.shop.svc.cluster.local',
  '1-2-3.shop.pod.cluster.local',
  'nonsense.cluster.local',
  '9.9.96.10.in-addr.arpa',
])('%s does not exist', (name) => {
  expect(zone.resolve(name, 'A')).toEqual({ exists: false, records: [] });
});

it.each(['example.org', 'cluster.local.example.org', '8.8.8.8.in-addr.arpa', 'local'])(
  '%s is for other servers',
  (name) => {
    expect(zone.resolve(name, 'A')).toBeUndefined();
  },
);

it.each(['cluster.local', 'svc.cluster.local', 'shop.svc.cluster.local'])('%s exists without records', (name) => {
  expect(zone.resolve(name, 'A')).toEqual({ exists: true, records: [] });
});

it.each([`8.${'0.'.repeat(27)}1.0.d.f.ip6.arpa`, '8.0.0.d.f.ip6.arpa', '1.2.0.192.in-addr.arpa'])(
  'others know whose address %s is',
  (name) => {
    expect(zone.resolve(name, 'PTR')).toBeUndefined();
  },
);
