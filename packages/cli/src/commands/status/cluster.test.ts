import type { EndpointSlice, Lease, Node, Persisted } from '@vireo/api';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { type ClusterFacts, nodesOf, problemsOf, rolesOf } from './cluster.ts';
import { clusterText } from './clusterText.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

const lease = (name: string, holderIdentity: string, secondsAgo: number): Persisted<Lease> =>
  ({
    metadata: { name, annotations: { 'vireo.dev/version': '0.1.0' } },
    spec: {
      holderIdentity,
      leaseDurationSeconds: 15,
      renewTime: new Date(NOW - secondsAgo * 1000).toISOString(),
    },
  }) as unknown as Persisted<Lease>;

const slice = (name: string, address: string): Persisted<EndpointSlice> =>
  ({
    metadata: { name },
    endpoints: [{ addresses: [address] }],
    ports: [{ port: 8443 }],
  }) as unknown as Persisted<EndpointSlice>;

const node = (name: string, parts: { ready?: string; unschedulable?: boolean; runtime?: string } = {}) =>
  ({
    metadata: { name, labels: { 'kubevirt.io/schedulable': 'true' }, annotations: { 'vireo.dev/version': '0.1.0' } },
    spec: { unschedulable: parts.unschedulable },
    status: {
      conditions: [{ type: 'Ready', status: parts.ready ?? 'True', reason: 'NodeStatusUnknown', message: '' }],
      addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: { containerRuntimeVersion: parts.runtime ?? 'libvirt://9.0.0' },
    },
  }) as unknown as Persisted<Node>;

const kubevirt = (available: string) =>
  ({
    metadata: { name: 'kubevirt' },
    status: { conditions: [{ type: 'Available', status: available, message: 'virt-api is not ready' }] },
  }) as unknown as Persisted<KubeVirt>;

const vmi = (nodeName: string) => ({ status: { nodeName, phase: 'Running' } }) as unknown as Vmi;

const facts = (change: Partial<ClusterFacts> = {}): ClusterFacts => ({
  kubevirt: kubevirt('True'),
  leases: [lease('virt-controller', 'a-1', 2), lease('virt-api-a-2', 'x', 3)],
  slices: [slice('virt-api-a-2', '192.0.2.1')],
  nodes: [node('one')],
  vmis: [vmi('one'), vmi('one'), vmi('two')],
  missingGuards: [],
  nowMs: NOW,
  ...change,
});

const problems = (change: Partial<ClusterFacts>): string[] => {
  const all = facts(change);
  return problemsOf(all, rolesOf(all), nodesOf(all));
};

describe('roles', () => {
  it('are those that hold a Lease of the installation', () => {
    const others = [lease('virt-operator', 'x', 0), lease('virt-controller', '', 0)];
    expect(rolesOf(facts())).toMatchObject([
      { role: 'controllers', instance: 'a-1', alive: true, leads: true, version: '0.1.0' },
      { role: 'extension', instance: 'a-2', alive: true, address: '192.0.2.1:8443', version: '0.1.0' },
    ]);
    expect(rolesOf(facts({ leases: others }))).toEqual([]);
  });

  it('are unreachable when their Lease has expired', () => {
    const [controllers] = rolesOf(facts({ leases: [lease('virt-controller', 'a-1', 16)] }));
    expect(controllers).toMatchObject({ alive: false, renewedAt: '2026-11-17T11:59:44.000Z' });
  });
});

describe('nodes', () => {
  it('are hosts that run VMs, not simulated ones or those of kubelets', () => {
    const nodes = [node('one'), node('sim-1', { runtime: 'stub://1' }), node('k8s', { runtime: 'containerd://2' })];
    expect(nodesOf(facts({ nodes }))).toEqual([
      {
        name: 'one',
        ready: true,
        cordoned: false,
        schedulable: true,
        vms: 2,
        version: '0.1.0',
        libvirt: '9.0.0',
        address: '192.0.2.7:10250',
      },
    ]);
  });

  it('say why they are not ready, and whether they are cordoned', () => {
    const nodes = [node('one', { ready: 'Unknown', unschedulable: true })];
    expect(nodesOf(facts({ nodes }))).toMatchObject([
      { ready: false, problem: 'NodeStatusUnknown', cordoned: true, schedulable: false },
    ]);
  });
});

it.each<[string, Partial<ClusterFacts>, string[]]>([
  ['all is well', {}, []],
  [
    'nothing is installed',
    { kubevirt: undefined },
    ['Vireo is not installed: there is no KubeVirt object. Install it with: vireo install'],
  ],
  ['nobody leads', { leases: [] }, ['no instance of vireo controllers leads']],
  [
    'the leader does not renew its Lease',
    { leases: [lease('virt-controller', 'a', 60)] },
    ['no instance of vireo controllers leads'],
  ],
  ['a part is not ready', { kubevirt: kubevirt('False') }, ['virt-api is not ready']],
  ['there is no node', { nodes: [] }, ['no node is ready']],
  [
    'somebody has deleted a policy',
    { missingGuards: ['ValidatingAdmissionPolicy a'] },
    ['missing: ValidatingAdmissionPolicy a; `vireo install` restores them'],
  ],
])('a cluster where %s', (_, change, expected) => {
  expect(problems(change)).toEqual(expected);
});

it('the text has a row for each part', () => {
  const all = facts({
    nodes: [node('one'), node('two', { unschedulable: true }), node('three', { ready: 'Unknown' })],
  });
  const text = clusterText({
    server: { url: 'https://192.0.2.1:6443', version: 'v1.36.2' },
    problems: [],
    roles: rolesOf(all),
    nodes: nodesOf(all),
    certificates: [
      { of: 'server', notAfter: '2027-11-17T12:00:00.000Z' },
      { of: 'extension a-2', notAfter: '2026-11-18T12:00:00.000Z' },
      { of: 'node one', notAfter: '2027-01-01T00:00:00.000Z' },
      { of: 'node two', problem: '192.0.2.7:10250 does not respond' },
    ],
    vms: { running: 3, total: 4 },
  });
  expect(text).toBe(`The cluster at https://192.0.2.1:6443
  ready       yes
  kubernetes  v1.36.2
  VMs         3 of 4 running
  certificate valid until 2027-11-17T12:00:00.000Z

COMPONENT     NAME    STATE                                 VERSION   CERTIFICATE UNTIL
controllers   a-1     leader                                0.1.0     -
extension     a-2     serving                               0.1.0     2026-11-18
node          one     ready, 2 VMs                          0.1.0     2027-01-01
node          two     ready, 1 VM, cordoned                 0.1.0     192.0.2.7:10250 does not respond
node          three   not ready: NodeStatusUnknown, 0 VMs   0.1.0     -`);
});
