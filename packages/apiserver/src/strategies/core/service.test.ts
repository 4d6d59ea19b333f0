import type { UnknownObject } from '@vireo/api';
import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems, updated } from '../../testing/strategies.ts';
import { serviceStrategy } from './service.ts';

const service = (spec: object = {}, name = 'web') => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }], ...spec },
});
const other = service(
  { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ports: [{ port: 1, nodePort: 30007 }] },
  'other',
);
const withOther = contextOf({ stored: [other] });
const specOf = (object: UnknownObject) => object.spec as Record<string, unknown>;

describe('a new service', () => {
  test('gets an address of the range and the families that go with it', () => {
    const spec = specOf(created(serviceStrategy, service()));
    expect(spec.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(spec).toMatchObject({ clusterIPs: [spec.clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });

  test('keeps the address it asks for', () => {
    expect(specOf(created(serviceStrategy, service({ clusterIP: '10.96.0.10' })))).toMatchObject({
      clusterIP: '10.96.0.10',
      clusterIPs: ['10.96.0.10'],
    });
  });

  test('may do without an address', () => {
    expect(specOf(created(serviceStrategy, service({ clusterIP: 'None' })))).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
    });
  });

  test('that is only a name has no address', () => {
    const object = service({ type: 'ExternalName', externalName: 'example.com', ports: undefined });
    expect(specOf(created(serviceStrategy, object))).toEqual({ type: 'ExternalName', externalName: 'example.com' });
  });

  test('of type NodePort gets one port each, unless it chose one', () => {
    const ports = [
      { name: 'a', port: 1 },
      { name: 'b', port: 2, nodePort: 30001 },
      { name: 'c', port: 3 },
    ];
    const given = (
      specOf(created(serviceStrategy, service({ type: 'NodePort', ports }))).ports as { nodePort: number }[]
    ).map(({ nodePort }) => nodePort);
    expect(given[1]).toBe(30001);
    expect(new Set(given).size).toBe(3);
    for (const port of given) expect(port >= 30000 && port <= 32767, `${port}`).toBe(true);
  });

  test('has one node port for a port of several protocols', () => {
    const ports = [
      { name: 'udp', port: 53, protocol: 'UDP' },
      { name: 'tcp', port: 53, protocol: 'TCP' },
    ];
    const spec = specOf(created(serviceStrategy, service({ type: 'NodePort', ports })));
    const [udp, tcp] = spec.ports as { nodePort: number }[];
    expect(udp?.nodePort).toBe(tcp?.nodePort);
    expect(problems(serviceStrategy, service(spec))).toEqual([]);
  });

  test('whose load balancer keeps traffic on its node gets a port for its health', () => {
    const spec = specOf(created(serviceStrategy, service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' })));
    expect(spec.healthCheckNodePort).toBeGreaterThanOrEqual(30000);
    expect(spec.healthCheckNodePort).not.toBe((spec.ports as { nodePort: number }[])[0]?.nodePort);
    expect(problems(serviceStrategy, service(spec))).toEqual([]);
    const rival = service({ type: 'NodePort', ports: [{ port: 80, nodePort: spec.healthCheckNodePort }] }, 'rival');
    expect(problems(serviceStrategy, created(serviceStrategy, rival), contextOf({ stored: [service(spec)] }))).toEqual([
      `spec.ports[0].nodePort: Invalid value: ${spec.healthCheckNodePort}: provided port is already allocated`,
    ]);
  });

  test('starts without a load balancer, whatever it says', () => {
    const sent = { ...service(), status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    expect(created(serviceStrategy, sent).status).toEqual({ loadBalancer: {} });
  });
});

describe('a service is refused for', () => {
  const ip = (address: string) => ({ clusterIP: address, clusterIPs: [address] });
  test.each<[string, object, string[]]>([
    ['nothing, when it is plain', ip('10.96.0.10'), []],
    ['nothing, when it is headless and has no ports', { ...ip('None'), ports: [] }, []],
    ['no ports', { ...ip('10.96.0.10'), ports: [] }, ['spec.ports: Required value']],
    [
      'ports that cannot be told apart',
      { ...ip('10.96.0.10'), ports: [{ port: 80 }, { name: 'b', port: 80 }] },
      ['spec.ports[0].name: Required value', 'spec.ports[1]: Duplicate value: {"port":80,"protocol":"TCP"}'],
    ],
    [
      'a port out of range',
      { ...ip('10.96.0.10'), ports: [{ port: 0 }] },
      ['spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    ],
    [
      'an unknown type',
      { ...ip('10.96.0.10'), type: 'Magic' },
      [
        'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      'a node port that its type has not',
      { ...ip('10.96.0.10'), ports: [{ port: 80, nodePort: 30001 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'a node port out of range',
      { ...ip('10.96.0.10'), type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      [
        'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
      ],
    ],
    [
      'a node port that another has',
      { ...ip('10.96.0.10'), type: 'NodePort', ports: [{ port: 80, nodePort: 30007 }] },
      ['spec.ports[0].nodePort: Invalid value: 30007: provided port is already allocated'],
    ],
    [
      'an address that another has',
      ip('10.96.0.9'),
      [
        'spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to allocate IP 10.96.0.9: provided IP is already allocated',
      ],
    ],
    [
      'an address from elsewhere',
      ip('192.168.0.1'),
      [
        'spec.clusterIPs: Invalid value: ["192.168.0.1"]: failed to allocate IP 192.168.0.1: the provided IP (192.168.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
      ],
    ],
    [
      'a policy for traffic from outside, which does not come',
      { ...ip('10.96.0.10'), externalTrafficPolicy: 'Local' },
      ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    ],
    [
      'nothing, when it has external addresses and a policy',
      { ...ip('10.96.0.10'), externalIPs: ['192.0.2.1'], externalTrafficPolicy: 'Local' },
      [],
    ],
    [
      'affinity without end',
      {
        ...ip('10.96.0.10'),
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 90000 } },
      },
      [
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 90000: must be greater than 0 and less than 86400',
      ],
    ],
    [
      'what load balancers alone have',
      {
        ...ip('10.96.0.10'),
        type: 'NodePort',
        loadBalancerClass: 'a/b',
        loadBalancerSourceRanges: ['10.0.0.0/8'],
        healthCheckNodePort: 30001,
        allocateLoadBalancerNodePorts: false,
      },
      [
        "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
        "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      ],
    ],
    [
      'the port of kubelets at a load balancer',
      { ...ip('10.96.0.10'), type: 'LoadBalancer', ports: [{ port: 10250 }] },
      ['spec.ports[0].port: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet'],
    ],
    ['a name without a name', { type: 'ExternalName', ports: undefined }, ['spec.externalName: Required value']],
    [
      'a name with an address',
      { type: 'ExternalName', externalName: 'a.b', ports: undefined, ...ip('10.96.0.10') },
      ["spec.clusterIPs: Forbidden: may not be set when `type` is 'ExternalName'"],
    ],
    [
      'a second family',
      { ...ip('10.96.0.10'), ipFamilies: ['IPv6'], ipFamilyPolicy: 'RequireDualStack' },
      [
        'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        'spec.clusterIPs[0]: Invalid value: "10.96.0.10": expected an IPv6 value as indicated by `ipFamilies[0]`',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(problems(serviceStrategy, service(spec), withOther)).toEqual(expected);
  });
});

describe('an update', () => {
  const old = service({
    type: 'NodePort',
    clusterIP: '10.96.0.10',
    clusterIPs: ['10.96.0.10'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ port: 80, protocol: 'TCP', nodePort: 30001 }],
  });

  test('that leaves out what the server chose keeps it', () => {
    expect(updated(serviceStrategy, service({ type: 'NodePort' }), old)).toMatchObject({
      spec: { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'], ports: [{ port: 80, nodePort: 30001 }] },
    });
  });

  test('that knows the older field only is understood', () => {
    const moved = updated(serviceStrategy, { ...old, spec: { ...old.spec, clusterIP: '10.96.0.11' } }, old);
    expect(changeProblems(serviceStrategy, moved, old)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.11"]: may not change once set',
    ]);
    expect(problems(serviceStrategy, moved)).toEqual([]);
  });

  test.each<[string, object, object]>([
    [
      'to one inside the cluster leaves the node ports behind',
      { type: 'ClusterIP' },
      { ports: [{ port: 80, protocol: 'TCP' }] },
    ],
    [
      'to a mere name leaves the address behind',
      { type: 'ExternalName', externalName: 'example.com', ports: undefined },
      { type: 'ExternalName', externalName: 'example.com' },
    ],
  ])('of the type alone, %s', (_, change, expected) => {
    const after = updated(serviceStrategy, { ...old, spec: { ...old.spec, ...change } }, old);
    expect(specOf(after)).toMatchObject(expected);
    expect(problems(serviceStrategy, after)).toEqual([]);
    expect(changeProblems(serviceStrategy, after, old)).toEqual([]);
  });

  test('keeps the port for its health, and drops it with the policy', () => {
    const local = service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30005 });
    const sent = service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    expect(specOf(updated(serviceStrategy, sent, local)).healthCheckNodePort).toBe(30005);
    const cluster = { ...local, spec: { ...local.spec, externalTrafficPolicy: 'Cluster' } };
    expect(specOf(updated(serviceStrategy, cluster, local))).not.toHaveProperty('healthCheckNodePort');
  });

  test('cannot change the class of the load balancer', () => {
    const ours = service({ type: 'LoadBalancer', loadBalancerClass: 'a/b' });
    const theirs = service({ type: 'LoadBalancer', loadBalancerClass: 'a/c' });
    expect(changeProblems(serviceStrategy, theirs, ours)).toEqual([
      'spec.loadBalancerClass: Invalid value: "a/c": may not change once set',
    ]);
  });

  test('of the status gives addresses to load balancers alone', () => {
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
    const context = contextOf({ subresource: 'status' });
    expect(problems(serviceStrategy, { ...old, status }, context)).toEqual([
      'status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is LoadBalancer',
    ]);
    expect(problems(serviceStrategy, { ...service({ type: 'LoadBalancer' }), status }, context)).toEqual([]);
  });

  test('cannot move it to another address', () => {
    const moved = service({ clusterIP: '10.96.0.11', clusterIPs: ['10.96.0.11'] });
    expect(changeProblems(serviceStrategy, moved, old)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.11"]: may not change once set',
    ]);
  });

  test('of the status leaves the spec alone', () => {
    const context = contextOf({ subresource: 'status' });
    expect(updated(serviceStrategy, old, old, context)).toEqual(old);
  });
});
