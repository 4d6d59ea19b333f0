import type { Namespace, NetworkPolicy, Pod } from '@vireo/api';
import { type Element, elementId, mergeFragments, policyFragment } from '@vireo/network';
import { expect, it } from 'vitest';
import { policyRules } from './policies.ts';
import { PolicyMembers } from './policyMembers.ts';

const http = { containers: [{ name: 'compute', ports: [{ name: 'http', containerPort: 8080 }] }] };
const pod = (
  name: string,
  { namespace = 'shop', app = 'db', address = '10.244.0.4', phase = 'Running' } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app } },
  spec: http,
  status: { phase, podIP: address, podIPs: [{ ip: address }, { ip: address.replace('10.244.0.', 'fd00::') }] },
});
const namespaces: Namespace[] = ['shop', 'ops'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { name } },
}));
const policy: NetworkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'rule', namespace: 'shop' },
  spec: {
    podSelector: { matchLabels: { app: 'web' } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: [{ podSelector: { matchLabels: { app: 'db' } } }, { ipBlock: { cidr: '192.0.2.0/24' } }] },
      { from: [{ namespaceSelector: { matchLabels: { name: 'ops' } } }], ports: [{ port: 'http' }, { port: 22 }] },
    ],
    egress: [{ to: [{ podSelector: {} }], ports: [{ port: 'http' }] }],
  },
};

const ids = (elements: readonly Element[] = []): string[] => [...new Set(elements.map(elementId))].sort();

it('what one pod after the other changes is what all of them are together', () => {
  const members = new PolicyMembers(policy);
  const first = members.fragment();
  const kernel = new Set(ids(first.elements));
  const pods = new Map<string, Pod>();
  const steps: [name: string, pod: Pod | undefined][] = [
    ['db', pod('db')],
    ['web', pod('web', { app: 'web', address: '10.244.0.5' })],
    ['ops', pod('ops', { namespace: 'ops', address: '10.244.0.6' })],
    // The guest moves: for a while it has two pods of the same address.
    ['moved', pod('moved')],
    ['db', pod('db', { phase: 'Succeeded' })],
    ['db', undefined],
    ['web', pod('web', { app: 'other', address: '10.244.0.5' })],
    ['ops', pod('ops', { namespace: 'ops', address: '10.244.0.7' })],
    ['moved', undefined],
  ];
  for (const [name, next] of steps) {
    if (next) pods.set(name, next);
    else pods.delete(name);
    const { added, removed } = members.change(name, next, namespaces);
    for (const element of removed) expect(kernel.delete(elementId(element))).toBe(true);
    for (const element of added) kernel.add(elementId(element));
    const all = mergeFragments(policyRules(policy, { pods: [...pods.values()], namespaces }).map(policyFragment));
    expect([...kernel].sort()).toEqual(ids(all.elements));
    expect(ids(members.fragment().elements)).toEqual(ids(all.elements));
    // Only elements change: the kernel keeps chains and sets.
    expect([all.chains, all.sets]).toEqual([first.chains, first.sets]);
  }
});

it('a pod that comes changes as many elements among many as among few', () => {
  const changed = [10, 1_000].map((count) => {
    const members = new PolicyMembers(policy);
    for (let index = 0; index < count; index++)
      members.change(`${index}`, pod(`${index}`, { address: `10.244.0.${index % 250}` }), namespaces);
    const { added, removed } = members.change('more', pod('more', { address: '10.244.0.251' }), namespaces);
    return [added.length, removed.length];
  });
  // By each family: as a peer of either direction, and its port by name.
  expect(changed).toEqual([
    [6, 0],
    [6, 0],
  ]);
});
