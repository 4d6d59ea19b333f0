import type { Node, Service } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { findConflict, isBalancedByNodes, wantedAddresses } from './decide.ts';

const service = (name: string, spec: Service['spec'] = {}, more: { metadata?: object; held?: string } = {}) =>
  persisted<Service>({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', ...more.metadata },
    spec: { type: 'LoadBalancer', ipFamilies: ['IPv4'], ports: [{ port: 80, protocol: 'TCP' }], ...spec },
    status: { loadBalancer: more.held ? { ingress: [{ ip: more.held }] } : {} },
  });
const node = (
  name: string,
  address: string,
  more: { isReady?: boolean; labels?: Record<string, string>; podCIDRs?: string[] } = {},
) =>
  persisted<Node>({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...(more.labels && { labels: more.labels }) },
    spec: { podCIDRs: more.podCIDRs ?? ['10.244.0.0/24', 'fd00:244::/64'] },
    status: {
      conditions: [{ type: 'Ready', status: more.isReady === false ? 'Unknown' : 'True' }],
      addresses: [
        { type: 'Hostname', address: name },
        { type: 'InternalIP', address },
        { type: 'InternalIP', address: address.replace('192.0.2.', '2001:db8::') },
      ],
    },
  });
const nodes = [
  node('b', '192.0.2.2'),
  node('a', '192.0.2.1'),
  node('down', '192.0.2.3', { isReady: false }),
  node('ipv4', '192.0.2.5', { podCIDRs: ['10.244.5.0/24'] }),
  node('out', '192.0.2.4', { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
];

describe('a Service of type LoadBalancer', () => {
  it.each<[string, Service, string[]]>([
    ['has the addresses of nodes that are ready', service('web'), ['192.0.2.1', '192.0.2.2', '192.0.2.5']],
    [
      'has those of nodes with an endpoint, if traffic is to stay there',
      service('web', { externalTrafficPolicy: 'Local' }),
      ['192.0.2.2'],
    ],
    [
      'has those of its family, of nodes whose guests have it',
      service('web', { ipFamilies: ['IPv6'] }),
      ['2001:db8::1', '2001:db8::2'],
    ],
    [
      'has those of both families, its first one first',
      service('web', { ipFamilies: ['IPv6', 'IPv4'], externalTrafficPolicy: 'Local' }),
      ['2001:db8::2', '192.0.2.2'],
    ],
  ])('%s', (_, of, expected) => {
    expect(wantedAddresses(of, nodes, new Set(['b']))).toEqual(expected);
  });

  it.each<[string, Service['spec'], boolean]>([
    ['no class', {}, true],
    ['our class', { loadBalancerClass: 'vireo.io/node' }, true],
    ['another class', { loadBalancerClass: 'metallb.io/x' }, false],
    ['another type', { type: 'NodePort' }, false],
  ])('of %s is ours: %s', (_, spec, expected) => {
    expect(isBalancedByNodes(service('web', spec))).toBe(expected);
  });

  const older = { metadata: { creationTimestamp: '2025-01-01T00:00:00Z' } };
  it.each<[string, Service, Service, string | undefined]>([
    ['a port that an older one wants', service('web'), service('old', {}, older), 'old'],
    ['a port that a younger one wants', service('web', {}, older), service('young'), undefined],
    ['a port that a younger one has', service('web', {}, older), service('young', {}, { held: '192.0.2.1' }), 'young'],
    ['another port', service('web'), service('old', { ports: [{ port: 81 }] }, older), undefined],
    ['another protocol', service('web'), service('old', { ports: [{ port: 80, protocol: 'UDP' }] }, older), undefined],
    [
      'a port at other addresses',
      service('web', { externalTrafficPolicy: 'Local' }),
      service('old', { ipFamilies: ['IPv6'] }, older),
      undefined,
    ],
    ['a port of another class', service('web'), service('old', { loadBalancerClass: 'x/y' }, older), undefined],
  ])('waits for %s', (_, of, other, expected) => {
    const [own, rival] = [of, other].map((each) => persisted(each)) as [
      ReturnType<typeof service>,
      ReturnType<typeof service>,
    ];
    const conflict = findConflict(own, [own, rival], (each) => wantedAddresses(each, nodes, new Set(['b'])));
    expect(conflict?.other.metadata.name).toBe(expected);
  });
});
