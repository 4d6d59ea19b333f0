import { expect, it } from 'vitest';
import type { ServiceLine } from '../network/services.ts';
import { addressRows, type Surroundings } from './addresses.ts';

const service = (changes: Partial<ServiceLine> = {}): ServiceLine => ({
  namespace: 'lab',
  name: 'web',
  type: 'ClusterIP',
  clusterIPs: ['10.96.0.9'],
  ports: [{ port: 80, protocol: 'TCP', targetPort: 8080 }],
  externalAddresses: [],
  readyEndpoints: 1,
  vms: ['web'],
  ...changes,
});

const node = (name: string, ...addresses: string[]) =>
  ({
    metadata: { name },
    status: {
      addresses: addresses.map((address) => ({ type: 'InternalIP', address })),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }) as unknown as Surroundings['nodes'][number];

const here: Surroundings = { domain: 'cluster.local', nodes: [node('n1', '192.0.2.1')], isNode: false, warnings: [] };
const balanced = service({
  type: 'LoadBalancer',
  ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080 }],
  externalAddresses: ['192.0.2.1', 'fd00::1'],
});

it.each<[string, ServiceLine, Partial<Surroundings>, string[]]>([
  ['a cluster IP', service(), {}, ['10.96.0.9:80', 'web.lab.svc.cluster.local:80', 'web:80']],
  [
    'a name only, with the port of the VMs',
    service({ clusterIPs: [] }),
    {},
    ['web.lab.svc.cluster.local:8080', 'web:8080'],
  ],
  [
    'datagrams',
    service({ ports: [{ port: 53, protocol: 'UDP' }] }),
    {},
    ['10.96.0.9:53/UDP', 'web.lab.svc.cluster.local:53/UDP', 'web:53/UDP'],
  ],
  [
    'a load balancer',
    balanced,
    {},
    ['10.96.0.9:80', 'web.lab.svc.cluster.local:80', 'web:80', '192.0.2.1:30080', '192.0.2.1:80', '[fd00::1]:80'],
  ],
  [
    'not at a port that a program of the node has',
    balanced,
    { warnings: ['node n1 does not lead 192.0.2.1:80/TCP, node:30080/TCP to this Service: a program listens there'] },
    ['10.96.0.9:80', 'web.lab.svc.cluster.local:80', 'web:80', '[fd00::1]:80'],
  ],
  [
    'at some of many nodes',
    service({ type: 'NodePort', ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080 }] }),
    { nodes: [1, 2, 3, 4, 5].map((n) => node(`n${n}`, `192.0.2.${n}`)) },
    [
      ...['10.96.0.9:80', 'web.lab.svc.cluster.local:80', 'web:80'],
      ...['192.0.2.1:30080', '192.0.2.2:30080', '192.0.2.3:30080', 'NODE:30080'],
    ],
  ],
  [
    'node ports of its families',
    service({ type: 'NodePort', clusterIPs: ['fd00:96::9'], ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080 }] }),
    { nodes: [node('n1', '192.0.2.1', '2001:db8::1')] },
    ['[fd00:96::9]:80', 'web.lab.svc.cluster.local:80', 'web:80', '[2001:db8::1]:30080'],
  ],
])('a Service is reached by %s', (_, line, surroundings, expected) => {
  expect(addressRows(line, { ...here, ...surroundings }).map(([address]) => address)).toEqual(expected);
});
