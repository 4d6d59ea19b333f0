import type { Node, Pod, Service } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { endpointGroups } from './endpoint.ts';

const service = (spec: Service['spec'] = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    clusterIP: '10.96.0.9',
    ipFamilies: ['IPv4'],
    ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }],
    ...spec,
  },
});
const pod = (name: string, more: { spec?: object; status?: object; metadata?: object; port?: number } = {}) =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, ...more.metadata },
    spec: {
      nodeName: 'n1',
      containers: [
        { name: 'c', image: 'i', ports: [{ name: 'http', containerPort: more.port ?? 8080, protocol: 'TCP' }] },
      ],
      ...more.spec,
    },
    status: {
      phase: 'Running',
      podIPs: [{ ip: '10.244.0.5' }, { ip: 'fd00::5' }],
      conditions: [{ type: 'Ready', status: 'True' }],
      ...more.status,
    },
  });
const nodeOf = (name: string): Node | undefined =>
  name === 'n1'
    ? { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'topology.kubernetes.io/zone': 'z1' } } }
    : undefined;
const groupsOf = (of: Service, ...pods: ReturnType<typeof pod>[]) => endpointGroups(of, pods, nodeOf).groups;
const notReady = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
const going = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

describe('endpoints', () => {
  it('are not at the address of a node, unless the pod has its network', () => {
    const status = { podIPs: [{ ip: '192.0.2.2' }], hostIP: '192.0.2.2', hostIPs: [{ ip: '192.0.2.2' }] };
    expect(groupsOf(service(), pod('a', { status })).flatMap(({ endpoints }) => endpoints)).toEqual([]);
    const withNode = groupsOf(service(), pod('a', { status, spec: { hostNetwork: true } }));
    expect(withNode.flatMap(({ endpoints }) => endpoints)).toHaveLength(1);
  });

  it('say where their pod is and what its ports are', () => {
    expect(groupsOf(service(), pod('a'))).toEqual([
      {
        addressType: 'IPv4',
        ports: [{ name: '', port: 8080, protocol: 'TCP' }],
        endpoints: [
          {
            addresses: ['10.244.0.5'],
            conditions: { ready: true, serving: true, terminating: false },
            nodeName: 'n1',
            targetRef: { kind: 'Pod', name: 'a', namespace: 'default', uid: 'a' },
            zone: 'z1',
          },
        ],
      },
    ]);
  });

  it.each<[string, Service, ReturnType<typeof pod>, object]>([
    ['a pod that is not ready', service(), pod('a', notReady), { ready: false, serving: false, terminating: false }],
    ['a pod that is going', service(), pod('a', going), { ready: false, serving: true, terminating: true }],
    [
      'a pod that is published anyway',
      service({ publishNotReadyAddresses: true }),
      pod('a', notReady),
      { ready: true, serving: false, terminating: false },
    ],
  ])('have the conditions of %s', (_, of, its, conditions) => {
    expect(groupsOf(of, its)[0]?.endpoints[0]?.conditions).toEqual(conditions);
  });

  it.each<[string, ReturnType<typeof pod>]>([
    ['has no address', pod('a', { status: { podIPs: [] } })],
    ['has an address of loopback alone', pod('a', { status: { podIPs: [{ ip: '127.0.0.1' }] } })],
    ['has ended', pod('a', { status: { phase: 'Succeeded' } })],
    ['is on a node that nobody knows', pod('a', { spec: { nodeName: 'n2' } })],
  ])('do not exist for a pod that %s', (_, its) => {
    expect(groupsOf(service(), its)).toEqual([{ addressType: 'IPv4', ports: [], endpoints: [] }]);
  });

  it('are grouped by family and by the ports that their pods have', () => {
    const groups = groupsOf(service({ ipFamilies: ['IPv4', 'IPv6'] }), pod('a'), pod('b', { port: 9090 }));
    expect(groups.map(({ addressType, ports }) => `${addressType} ${ports[0]?.port}`)).toEqual([
      'IPv4 8080',
      'IPv4 9090',
      'IPv6 8080',
      'IPv6 9090',
    ]);
  });

  it.each<[string | undefined, string | undefined]>([
    ['web', 'db-0'],
    ['other', undefined],
    [undefined, undefined],
  ])('with subdomain %s have the host name %s', (subdomain, hostname) => {
    const its = pod('a', { spec: { hostname: 'db-0', ...(subdomain && { subdomain }) } });
    expect(groupsOf(service(), its)[0]?.endpoints[0]?.hostname).toBe(hostname);
  });

  it('say who should use them where the Service prefers what is close', () => {
    const hints = (trafficDistribution: string) =>
      groupsOf(service({ trafficDistribution }), pod('a'))[0]?.endpoints[0]?.hints;
    expect(hints('PreferSameZone')).toEqual({ forZones: [{ name: 'z1' }] });
    expect(hints('PreferSameNode')).toEqual({ forNodes: [{ name: 'n1' }], forZones: [{ name: 'z1' }] });
  });
});
