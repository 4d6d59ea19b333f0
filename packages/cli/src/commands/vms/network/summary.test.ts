import type { EndpointSlice, NetworkPolicy, Node, Persisted, Pod, Service } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { type Machine, machinesOf } from './machines.ts';
import { definedNetwork, podNetwork } from './networks.ts';
import { policyLine } from './policies.ts';
import { serviceLine } from './services.ts';

const metadata = (name: string, more: object = {}) => ({
  name,
  namespace: 'default',
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  ...more,
});

/** A VMI that runs in a pod, with its own address or its node's. */
function machine(name: string, { labels = {}, podIP = '10.244.0.7', phase = 'Running' } = {}): Machine {
  const vmi = {
    metadata: metadata(name, { labels }),
    spec: { domain: { devices: {} } },
    status: { phase, nodeName: 'n1', interfaces: [{ name: 'default', ipAddress: podIP }] },
  } as unknown as Persisted<VirtualMachineInstance>;
  const pod = {
    metadata: metadata(`virt-launcher-${name}`, {
      labels: { ...labels, 'kubevirt.io/created-by': `uid-${name}`, 'vm.kubevirt.io/name': name },
    }),
    spec: { nodeName: 'n1' },
    status: { phase: 'Running', podIP, hostIP: '192.0.2.1' },
  } as unknown as Persisted<Pod>;
  const [found] = machinesOf({ vms: [], vmis: [vmi], pods: [pod] });
  return found as Machine;
}

const service = (spec: object): Persisted<Service> =>
  ({ metadata: metadata('web'), spec: { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ...spec } }) as never;

const slice = (endpoints: object[]): EndpointSlice =>
  ({ metadata: metadata('web-1', { labels: { 'kubernetes.io/service-name': 'web' } }), endpoints }) as never;

const endpoint = (name: string, ready: boolean, address = '10.244.0.7') => ({
  addresses: [address],
  conditions: { ready },
  targetRef: { kind: 'Pod', name: `virt-launcher-${name}`, namespace: 'default' },
});

describe('a Service', () => {
  const selector = { app: 'web' };
  const web = machine('web', { labels: selector });

  it.each<[string, Persisted<Service>, EndpointSlice[], Machine[], number, string[], string | undefined]>([
    ['leads to a ready VM', service({ selector }), [slice([endpoint('web', true)])], [web], 1, ['web'], undefined],
    [
      'counts a VM once that it reaches by both families',
      service({ selector }),
      [slice([endpoint('web', true)]), slice([endpoint('web', true, 'fd00::7')])],
      [web],
      1,
      ['web'],
      undefined,
    ],
    [
      'says that its VM is not ready',
      service({ selector }),
      [slice([endpoint('web', false)])],
      [web],
      0,
      [],
      'its selector app=web selects no VM that is ready: web is running, but not ready',
    ],
    [
      'says which labels no VM has',
      service({ selector: { app: 'db', tier: 'x' } }),
      [],
      [web],
      0,
      [],
      'no VM has the labels of its selector app=db,tier=x',
    ],
    ['may have neither', service({}), [], [web], 0, [], 'it has neither a selector nor endpoints'],
    [
      'says that guests are behind their node',
      service({ selector }),
      [slice([endpoint('web', true, '192.0.2.1')])],
      [machine('web', { labels: selector, podIP: '192.0.2.1' })],
      1,
      ['web'],
      'VM web has no address of its own, because node n1 has user networking: connections end at the node',
    ],
    [
      'says so also where they are no endpoints, as on nodes of ours',
      service({ selector }),
      [slice([])],
      [machine('web', { labels: selector, podIP: '192.0.2.1' })],
      0,
      [],
      'VM web has no address of its own, because node n1 has user networking: connections end at the node',
    ],
    ['may lead to what is no VM', service({}), [slice([{ addresses: ['192.0.2.7'] }])], [web], 1, [], undefined],
    ['may be a name only', service({ type: 'ExternalName', externalName: 'example.org' }), [], [], 0, [], undefined],
  ])('%s', (_, object, slices, machines, readyEndpoints, vms, note) => {
    const line = serviceLine(object, slices, machines);
    expect({ readyEndpoints: line.readyEndpoints, vms: line.vms, note: line.note }).toEqual({
      readyEndpoints,
      vms,
      note,
    });
  });

  it('finds VMs by their address where pods cannot be seen', () => {
    const { pod: _, ...unseen } = web;
    expect(serviceLine(service({ selector }), [slice([endpoint('web', true)])], [unseen]).vms).toEqual(['web']);
  });
});

it.each<[string, NetworkPolicy['spec'], object]>([
  ['that denies everything', { podSelector: {} }, { vms: ['client', 'web'], ingress: [] }],
  [
    'for some VMs',
    {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [
        {
          from: [
            { podSelector: { matchLabels: { role: 'client' } } },
            { namespaceSelector: { matchLabels: { team: 'a' } } },
            { namespaceSelector: {}, podSelector: { matchLabels: { app: 'x' } } },
            { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
          ],
          ports: [{ port: 80 }, { port: 1000, endPort: 2000, protocol: 'UDP' }, { port: 'http' }],
        },
      ],
    },
    {
      vms: ['web'],
      ingress: [
        'from pods with role=client in the namespace or all pods in namespaces with team=a or ' +
          'pods with app=x in all namespaces or 10.0.0.0/8 except 10.1.0.0/16 on 80/TCP, 1000-2000/UDP, http/TCP',
      ],
    },
  ],
  [
    'in one direction',
    { podSelector: {}, policyTypes: ['Egress'], egress: [{}, { ports: [{ protocol: 'UDP' }] }] },
    { vms: ['client', 'web'], egress: ['to everywhere', 'to everywhere on all ports/UDP'] },
  ],
])('a policy %s', (_, spec, expected) => {
  const machines = [machine('client'), machine('web', { labels: { app: 'web' } })];
  const policy = { metadata: metadata('p'), spec } as NetworkPolicy;
  expect(policyLine(policy, machines)).toEqual({ namespace: 'default', name: 'p', ...expected });
});

it.each<[string, string, object, Machine[]]>([
  ['CNI', 'v1.33.0', {}, []],
  ['routed', 'v1.36.0+vireo', { 'vireo.dev/pod-network': 'routed' }, []],
  ['routed', 'v1.36.0+vireo', {}, [machine('web')]],
  ['user', 'v1.36.0+vireo', {}, [machine('web', { podIP: '192.0.2.1' })]],
  ['user', 'v1.36.0+vireo', {}, []],
])('the pod network of a node is %s: %s %s', (type, kubeletVersion, annotations, machines) => {
  const node = {
    metadata: metadata('n1', { annotations }),
    spec: { podCIDR: '10.244.0.0/24' },
    status: { nodeInfo: { kubeletVersion } },
  } as Node;
  const range = type === 'user' ? {} : { range: '10.244.0.0/24' };
  expect(podNetwork(node, machines)).toEqual({ name: 'pod', type, node: 'n1', ...range });
});

it.each<[string, object]>([
  [
    '{"type": "bridge", "bridge": "br0", "ipam": {"subnet": "10.1.0.0/24"}}',
    { type: 'bridge', device: 'br0', range: '10.1.0.0/24' },
  ],
  ['{"plugins": [{"type": "macvtap", "master": "eth0"}]}', { type: 'macvtap', device: 'eth0' }],
  ['{', { type: 'unknown' }],
  ['null', { type: 'unknown' }],
])('a network with the configuration %s', (config, expected) => {
  const definition = { metadata: metadata('lab'), spec: { config } } as never;
  expect(definedNetwork(definition)).toEqual({ namespace: 'default', name: 'lab', ...expected });
});
