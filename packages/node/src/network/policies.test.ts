import type { Namespace, NetworkPolicy, Pod } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { directionsOf, isolationOf, looksElsewhere, policyRules } from './policies.ts';

const pod = (
  name: string,
  namespace: string,
  labels: Record<string, string>,
  podIP: string,
  more: Partial<Pod> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  status: { podIP, phase: 'Running' },
  ...more,
});
const namespace = (name: string, labels: Record<string, string>): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});
const web = pod('web', 'shop', { app: 'web' }, '10.244.0.3', {
  spec: { containers: [{ name: 'compute', ports: [{ name: 'http', containerPort: 8080 }] }] },
});
const db = pod('db', 'shop', { app: 'db' }, '10.244.0.4');
const far = pod('probe', 'monitoring', { app: 'probe' }, '10.244.1.3');
const cluster = { pods: [web, db, far], namespaces: [namespace('shop', {}), namespace('monitoring', { team: 'ops' })] };

type Spec = NonNullable<NetworkPolicy['spec']>;
const policy = (spec: Partial<Spec>, name = 'rule'): NetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace: 'shop' },
  spec: { podSelector: {}, ...spec },
});
const ingress = (rule: NonNullable<Spec['ingress']>[number]) =>
  policyRules(policy({ ingress: [rule] }), cluster)[0]?.rules[0];

describe('a policy', () => {
  it.each([
    [{ policyTypes: ['Ingress', 'Egress'] }, ['ingress', 'egress']],
    [{ policyTypes: ['Egress'] }, ['egress']],
    [{}, ['ingress']],
    [{ egress: [{}] }, ['ingress', 'egress']],
  ])('%j restricts %j', (spec, expected) => {
    expect(directionsOf(policy(spec))).toEqual(expected);
  });

  it.each([
    ['everybody', {}, undefined],
    [
      'pods of its own namespace',
      { from: [{ podSelector: { matchLabels: { app: 'db' } } }] },
      { addresses: ['10.244.0.4'], blocks: [] },
    ],
    [
      'all pods of its own namespace',
      { from: [{ podSelector: {} }] },
      { addresses: ['10.244.0.3', '10.244.0.4'], blocks: [] },
    ],
    [
      'all pods of other namespaces',
      { from: [{ namespaceSelector: { matchLabels: { team: 'ops' } } }] },
      { addresses: ['10.244.1.3'], blocks: [] },
    ],
    [
      'some pods of all namespaces',
      { from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'probe' } } }] },
      { addresses: ['10.244.1.3'], blocks: [] },
    ],
    [
      'a range without a part',
      { from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.7/32'] } }] },
      { addresses: [], blocks: [{ cidr: '192.0.2.0/24', except: ['192.0.2.7/32'] }] },
    ],
    [
      'nobody, if nobody matches',
      { from: [{ podSelector: { matchLabels: { app: 'none' } } }] },
      { addresses: [], blocks: [] },
    ],
  ])('permits %s', (_title, rule, peers) => {
    expect(ingress(rule)?.peers).toEqual(peers);
  });

  it.each([
    ['all ports', {}, undefined, undefined],
    ['a port', { ports: [{ port: 80 }] }, [{ protocol: 'tcp', port: 80 }], undefined],
    [
      'a range of ports',
      { ports: [{ port: 80, endPort: 90, protocol: 'UDP' }] },
      [{ protocol: 'udp', port: 80, endPort: 90 }],
      undefined,
    ],
    ['a protocol', { ports: [{ protocol: 'SCTP' }] }, [{ protocol: 'sctp' }], undefined],
    [
      'a port by name, as the selected pods have it',
      { ports: [{ port: 'http' }] },
      [],
      [{ address: '10.244.0.3', protocol: 'tcp', port: 8080 }],
    ],
  ])('permits %s', (_title, rule, ports, namedPorts) => {
    const found = ingress(rule);
    expect(found?.ports).toEqual(ports);
    expect(found?.namedPorts).toEqual(namedPorts);
  });

  it('does not permit the addresses of pods that have ended', () => {
    const ended = pod('old', 'shop', { app: 'db' }, '10.244.0.9', {
      status: { podIP: '10.244.0.9', phase: 'Succeeded' },
    });
    const [rules] = policyRules(policy({ ingress: [{ from: [{ podSelector: {} }] }] }), { ...cluster, pods: [ended] });
    expect(rules?.rules[0]?.peers?.addresses).toEqual([]);
  });
});

it.each<[string, Partial<Spec>, boolean]>([
  ['everybody', { ingress: [{}], egress: [{}] }, false],
  ['pods of its own namespace', { ingress: [{ from: [{ podSelector: {} }] }] }, false],
  ['a range', { egress: [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] }, false],
  ['a port of its own pods by name', { ingress: [{ ports: [{ port: 'http' }] }] }, false],
  ['pods of namespaces', { ingress: [{ from: [{ namespaceSelector: {} }] }] }, true],
  ['a port of everybody by name', { egress: [{ ports: [{ port: 'http' }] }] }, true],
])('whether a policy that names %s depends on other namespaces', (_, spec, expected) => {
  expect(looksElsewhere(policy(spec))).toBe(expected);
});

it('a pod is isolated in the directions of the policies that select it', () => {
  const all = [
    policy({ podSelector: { matchLabels: { app: 'web' } } }, 'a'),
    policy({ podSelector: {}, policyTypes: ['Egress'] }, 'b'),
    { ...policy({}, 'c'), metadata: { name: 'c', namespace: 'other' } },
  ];
  expect(isolationOf(web, all)).toEqual({ ingress: ['policy/shop/a/ingress'], egress: ['policy/shop/b/egress'] });
  expect(isolationOf(db, all)).toEqual({ egress: ['policy/shop/b/egress'] });
  expect(isolationOf(far, all)).toEqual({});
});

it('a policy permits all addresses of a pod, and blocks and named ports of both families', () => {
  const status = { podIP: '10.244.0.5', podIPs: [{ ip: '10.244.0.5' }, { ip: 'fd00::5' }], phase: 'Running' };
  const both = pod('both', 'shop', { app: 'both' }, '', { spec: web.spec ?? { containers: [] }, status });
  const [rules] = policyRules(
    policy({
      podSelector: { matchLabels: { app: 'both' } },
      ingress: [
        {
          from: [
            { podSelector: { matchLabels: { app: 'both' } } },
            { ipBlock: { cidr: 'fd01::/64', except: ['fd01::1/128'] } },
          ],
          ports: [{ port: 'http' }],
        },
      ],
    }),
    { ...cluster, pods: [both] },
  );
  expect(rules?.rules[0]).toEqual({
    peers: { addresses: ['10.244.0.5', 'fd00::5'], blocks: [{ cidr: 'fd01::/64', except: ['fd01::1/128'] }] },
    ports: [],
    namedPorts: ['10.244.0.5', 'fd00::5'].map((address) => ({ address, protocol: 'tcp', port: 8080 })),
  });
});
