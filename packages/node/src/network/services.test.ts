import type { EndpointSlice, Service } from '@vireo/api';
import { expect, it } from 'vitest';
import { parseListening } from './listening.ts';
import { servicePorts, withoutTaken } from './services.ts';

type Spec = NonNullable<Service['spec']>;
const service = (spec: Partial<Spec>, status: Service['status'] = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    clusterIP: '10.96.0.7',
    clusterIPs: ['10.96.0.7'],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    ...spec,
  },
  status,
});

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];
const slice = (...endpoints: Endpoint[]): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints,
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
});
const ready = (address: string, nodeName = 'one'): Endpoint => ({
  addresses: [address],
  conditions: { ready: true },
  nodeName,
});

const ports = (given: Service, ...endpoints: Endpoint[]) => servicePorts(given, [slice(...endpoints)], 'one');
const addresses = (list: readonly { address: string }[] | undefined) => list?.map(({ address }) => address);

it('a port leads to the ready endpoints, in the same order whatever their order in the slices', () => {
  const [port] = ports(service({}), ready('10.244.0.9'), ready('10.244.0.3'), {
    addresses: ['10.244.0.5'],
    conditions: { ready: false },
  });
  expect(port).toEqual({
    id: 'shop/web/http/tcp',
    family: 'IPv4',
    protocol: 'tcp',
    port: 80,
    internal: ['10.96.0.7'],
    external: [],
    endpoints: [
      { address: '10.244.0.3', port: 8080 },
      { address: '10.244.0.9', port: 8080 },
    ],
  });
});

it('an endpoint that is in two slices counts once', () => {
  const found = servicePorts(service({}), [slice(ready('10.244.0.3')), slice(ready('10.244.0.3'))], 'one');
  expect(found[0]?.endpoints).toHaveLength(1);
});

it('without ready endpoints, those that end but still serve are used', () => {
  const ending = { addresses: ['10.244.0.5'], conditions: { ready: false, serving: true, terminating: true } };
  expect(addresses(ports(service({}), ending)[0]?.endpoints)).toEqual(['10.244.0.5']);
  expect(addresses(ports(service({}), ending, ready('10.244.0.3'))[0]?.endpoints)).toEqual(['10.244.0.3']);
});

it.each([
  ['headless', { clusterIP: 'None', clusterIPs: ['None'] }],
  ['an alias', { type: 'ExternalName', clusterIP: undefined, externalName: 'example.org' }],
])('a Service that is %s has no rules', (_title, spec) => {
  expect(ports(service(spec), ready('10.244.0.3'))).toEqual([]);
});

it('node ports, addresses of load balancers and external IPs lead there, too', () => {
  const given = service(
    { type: 'LoadBalancer', externalIPs: ['198.51.100.7'], ports: [{ name: 'http', port: 80, nodePort: 30080 }] },
    { loadBalancer: { ingress: [{ ip: '192.0.2.2' }, { ip: '192.0.2.3', ipMode: 'Proxy' }, { hostname: 'lb' }] } },
  );
  expect(ports(given, ready('10.244.0.3'))[0]).toMatchObject({
    nodePort: 30080,
    external: ['198.51.100.7', '192.0.2.2'],
  });
});

it.each([
  ['Cluster', 'Cluster', ['10.244.0.3', '10.244.1.3'], undefined],
  ['Local', 'Cluster', ['10.244.0.3', '10.244.1.3'], ['10.244.0.3']],
  ['Cluster', 'Local', ['10.244.0.3'], ['10.244.0.3', '10.244.1.3']],
  ['Local', 'Local', ['10.244.0.3'], ['10.244.0.3']],
])(
  'externalTrafficPolicy %s, internalTrafficPolicy %s',
  (externalTrafficPolicy, internalTrafficPolicy, internal, external) => {
    const given = service({ type: 'NodePort', externalTrafficPolicy, internalTrafficPolicy });
    const [port] = ports(given, ready('10.244.0.3'), ready('10.244.1.3', 'two'));
    expect(addresses(port?.endpoints)).toEqual(internal);
    expect(addresses(port?.externalEndpoints)).toEqual(external);
  },
);

it('session affinity lasts three hours unless the Service says otherwise', () => {
  expect(ports(service({ sessionAffinity: 'ClientIP' }))[0]?.affinitySeconds).toBe(10_800);
  const short = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };
  expect(ports(service(short))[0]?.affinitySeconds).toBe(60);
});

it('no Service takes connections from a program of the node', () => {
  const [web] = ports(
    service(
      { type: 'LoadBalancer', ports: [{ name: 'http', port: 22, nodePort: 30_022 }] },
      { loadBalancer: { ingress: [{ ip: '192.0.2.2' }, { ip: '192.0.2.3' }] } },
    ),
    ready('10.244.0.3'),
  );
  if (!web) throw new Error('there is one port');
  const free = withoutTaken(web, () => false);
  expect(free).toEqual({ port: web, taken: [] });
  const { port, taken } = withoutTaken(web, (_, number, address) => number === 22 && address === '192.0.2.2');
  expect(port).toMatchObject({ external: ['192.0.2.3'], nodePort: 30_022 });
  expect(taken).toEqual([{ protocol: 'tcp', port: 22, address: '192.0.2.2' }]);
  expect(withoutTaken(web, (_, number) => number === 30_022)).toMatchObject({
    port: { external: ['192.0.2.2', '192.0.2.3'] },
    taken: [{ protocol: 'tcp', port: 30_022 }],
  });
});

it('the programs of a node that take connections are those of /proc/net', () => {
  const line = (local: string, state: string): string => `   0: ${local} 00000000:0000 ${state} 00000000:00000000`;
  const text = ['head', line('00000000:0016', '0A'), line('0100007F:1F90', '0A'), line('020000C0:0050', '01')];
  expect(parseListening(text.join('\n'), 'tcp')).toEqual([
    { address: 'any', port: 22 },
    { address: '127.0.0.1', port: 8080 },
  ]);
  const zero = '0'.repeat(32);
  const ipv6 = ['head', line(`${zero}:192B`, '0A'), line('0000000000000000FFFF0000020200C0:0050', '0A')];
  expect(parseListening([...ipv6, line('00000000000000000000000001000000:0051', '0A')].join('\n'), 'tcp')).toEqual([
    { address: 'any', port: 6443 },
    { address: '192.0.2.2', port: 80 },
    { address: '::1', port: 81 },
  ]);
  const datagrams = ['head', line('00000000:0035', '07'), line('00000000:9C40', '07')];
  expect(parseListening(datagrams.join('\n'), 'udp')).toEqual([{ address: 'any', port: 53 }]);
});

it('a Service of both families leads by each to endpoints of the same', () => {
  const both = service({
    clusterIPs: ['10.96.0.7', 'fd00::7'],
    externalIPs: ['192.0.2.9', '2001:db8::9'],
    loadBalancerSourceRanges: ['10.0.0.0/8'],
  });
  const slices = [slice(ready('10.244.0.3')), { ...slice(ready('fd00::3'), ready('10.0.0.1')), addressType: 'IPv6' }];
  expect(
    servicePorts(both, slices, 'one').map(({ id, internal, external, endpoints, sourceRanges }) => [
      id,
      internal,
      external,
      addresses(endpoints),
      sourceRanges,
    ]),
  ).toEqual([
    ['shop/web/http/tcp', ['10.96.0.7'], ['192.0.2.9'], ['10.244.0.3'], ['10.0.0.0/8']],
    ['shop/web/http/tcp/6', ['fd00::7'], ['2001:db8::9'], ['fd00::3'], []],
  ]);
});
