import { NetworkPolicy } from '@vireo/api';
import { type Fragment, serviceFragment } from '@vireo/network';
import { servicePorts } from '@vireo/node/network/services.ts';
import { describe, expect, it } from 'vitest';
import { VirtualMachineInstance } from '../objects.ts';
import type { Scene } from '../scene.ts';
import { stored } from '../testing.ts';
import { calmTables } from './calmTables.ts';
import { NetworkMemory, wrongNetwork } from './invariants.ts';
import type { KernelNetwork } from './kernel.ts';
import { policyOf } from './objects.ts';
import { parseTable } from './table.ts';
import { calmNetwork } from './testing.ts';

/** The calm network with one thing changed. */
const kernel = (change: (calm: KernelNetwork) => Partial<KernelNetwork>): Scene => {
  const calm = calmNetwork();
  return { ...calm, network: { ...calm.network, ...change(calm.network) } };
};
const firstTap = (change: Partial<KernelNetwork['taps'][number]>): Scene =>
  kernel(({ taps: [first, ...others] }) => ({ taps: [{ ...first!, ...change }, ...others] }));
const objects = (change: (calm: Scene) => Partial<Scene>): Scene => {
  const calm = calmNetwork();
  return { ...calm, ...change(calm) };
};
const slicesOf = (service: string, slices: Scene['slices']): Scene['slices'] =>
  slices.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service);
/** With another text in what nft prints. */
const printed = (family: 'inet' | 'arp', from: string, to: string): Scene => {
  if (!calmTables[family].includes(from)) throw new Error(`nft does not print ${from}`);
  return kernel(({ tables }) => ({
    tables: { ...tables, [family]: parseTable(calmTables[family].replaceAll(from, to)) },
  }));
};

it('finds nothing wrong with a network where nothing is', () => {
  expect(wrongNetwork(calmNetwork())).toEqual([]);
});

it('has the calm network as Vireo would make it', () => {
  const { services, slices, network } = calmNetwork();
  const { chains, sets } = network.tables.inet!;
  const made = services
    .flatMap((service) => servicePorts(service, slicesOf(service.metadata.name, slices), 'host'))
    .map(serviceFragment);
  const elementsOf = ({ elements = [], groups = {} }: Fragment) => [...elements, ...Object.values(groups).flat()];
  for (const fragment of made) {
    const { chains: own = {}, sets: ownSets = {} } = fragment;
    for (const { set, key, value = '' } of elementsOf(fragment))
      expect(`${set}: ${key} ${sets.get(set)?.get(key)}`).toBe(`${set}: ${key} ${value.replace('goto ', '')}`);
    expect([...chains.keys()]).toEqual(expect.arrayContaining(Object.keys(own)));
    expect([...sets.keys()]).toEqual(expect.arrayContaining(Object.keys(ownSets)));
  }
  const count = (set: string): number => made.flatMap(elementsOf).filter((each) => each.set === set).length;
  expect([count('services'), count('endpointsCounted'), count('nodePortEndpoints6Counted')]).toEqual([2, 2, 2]);
});

it('finds nothing wrong where there is no network', () => {
  expect(wrongNetwork({ ...calmNetwork(), network: undefined })).toEqual([]);
});

it('lets a VMI that does not run yet have its card', () => {
  const scene = objects(({ vmis: [on, replica] }) => ({
    vmis: [on!, { ...replica!, status: { ...replica!.status, phase: 'Scheduled' } }],
  }));
  expect(wrongNetwork(scene)).toEqual([]);
});

describe('a network is wrong', () => {
  it.each<[what: string, scene: Scene, problem: RegExp]>([
    ['where its device is down', kernel(() => ({ isUp: false })), /vireo0 is down/],
    ['where the host does not forward', kernel(() => ({ isForwarding: false })), /the host does not forward packets/],
    [
      'where the gateway is gone',
      kernel(({ addresses }) => ({ addresses: addresses.slice(1) })),
      /addresses of vireo0: 10.244.0.1 is missing/,
    ],
    [
      'where the address of the node is gone',
      kernel(({ addresses: [gateway, , ...others] }) => ({ addresses: [gateway!, ...others] })),
      /vireo0 has 1 addresses of the node/,
    ],
    [
      'where a route of its device is gone',
      kernel(({ routes }) => ({ routes: routes.filter((route) => !route.startsWith('10.96')) })),
      /routes of vireo0: 10.96.0.0\/16 is missing/,
    ],
    ['where a tap is gone', kernel(({ taps }) => ({ taps: taps.slice(1) })), /taps: vt7 is missing/],
    [
      'where a tap is left over',
      kernel(({ taps }) => ({ taps: [...taps, { ...taps[0]!, device: 'vt9' }] })),
      /taps: vt9 should not be there/,
    ],
    [
      'where a card is left over',
      kernel(({ cards }) => ({ cards: [...cards, { uid: 'gone', device: 'vt9', address: '10.244.0.9', mtu: 1450 }] })),
      /card of VMI gone: belongs to nothing/,
    ],
    ['where a tap is down', firstTap({ isUp: false }), /on: its tap vt7 is down/],
    ['where QEMU has lost a tap', firstTap({ hasCarrier: false }), /on: nobody has its tap vt7 open/],
    ['where a guest has no route', firstTap({ routes: [] }), /on: routes of vt7: 10.244.0.7 is missing/],
    [
      'where a guest has another neighbour',
      firstTap({ neighbours: ['10.244.0.7 02:00:00:00:00:66'] }),
      /on: neighbours of vt7: 10.244.0.7 02:00:00:00:00:07 is missing/,
    ],
    ['where a guest has no IPv6 route', firstTap({ routes: ['10.244.0.7'] }), /on: routes of vt7: fd44::7 is missing/],
    ['where a guest has no IPv6 router', firstTap({ addresses: [] }), /on: addresses of vt7: fe80::1 is missing/],
    [
      'where a guest may not send by IPv6',
      printed('inet', '"vt7","02:00:00:00:00:07","fd44::7"', '"vt7","02:00:00:00:00:07","fd44::9"'),
      /set senders6 of table inet: vt7 . 02:00:00:00:00:07 . fd44::7 is missing/,
    ],
    [
      'where a Service leads elsewhere by IPv6',
      printed('inet', '["fd44::7",8080]', '["fd44::9",8080]'),
      /services6: fd96::10 . tcp . \d+ → fd44::7:8080 is missing/,
    ],
    [
      'where a policy does not select its guest by IPv6',
      printed('inet', '"ingress6","elem":[["fd44::7"', '"ingress6","elem":[["fd44::8"'),
      /map ingress: fd44::7 → policy\/storm\/on-policy\/ingress, drop is missing/,
    ],
    ['where a tap has another MTU', firstTap({ mtu: 1280 }), /its tap vt7 has mtu 1280, its card 1450/],
    ['where a tap is set otherwise', firstTap({ wrongSettings: ['proxy_arp 0'] }), /its tap vt7 has proxy_arp 0/],
    [
      'where two VMIs have one address',
      objects(({ vmis: [on, replica] }) => ({ vmis: [on!, { ...replica!, status: on!.status! }] })),
      /on and herd-1 both have 10.244.0.7/,
    ],
    [
      'where a VMI has no address',
      objects(({ vmis: [on, replica] }) => ({ vmis: [{ ...on!, status: { phase: 'Running' } }, replica!] })),
      /on: its VMI has no address/,
    ],
    [
      'where a pod has another address than its VMI',
      objects(({ pods: [on, replica] }) => ({
        pods: [{ ...on!, status: { ...on!.status, podIPs: [{ ip: '10.244.0.99' }] } }, replica!],
      })),
      /its VMI has the address 10.244.0.7 fd44::7, its pod 10.244.0.99/,
    ],
    [
      'where an address is not of the node',
      objects(({ nodes: [node] }) => ({ nodes: [{ ...node!, spec: { podCIDRs: ['10.244.1.0/24'] } }] })),
      /its address 10.244.0.7 is not of the node/,
    ],
    ['where a table is gone', kernel(({ tables: { inet } }) => ({ tables: { inet: inet! } })), /table arp vireo0/],
    [
      'where a guest may not send',
      printed('inet', '"02:00:00:00:00:07"', '"02:00:00:00:00:66"'),
      /set senders of table inet: vt7 . 02:00:00:00:00:07 . 10.244.0.7 is missing/,
    ],
    ['where a set is gone', printed('arp', '"name":"taps"', '"name":"others"'), /there is no set taps of table arp/],
    [
      'where a Service leads elsewhere',
      printed('inet', '["10.244.0.7",8080]', '["10.244.0.9",8080]'),
      /services: 10.96.0.10 . tcp . \d+ → 10.244.0.7:8080 is missing/,
    ],
    [
      'where a Service with affinity leads elsewhere',
      printed('inet', '"addr":"10.244.0.8","port":8080', '"addr":"10.244.0.9","port":8080'),
      /services: 10.96.0.11 . tcp . \d+ → 10.244.0.8:8080 is missing/,
    ],
    [
      'where nothing says how many endpoints a Service has',
      printed(
        'inet',
        '{"name":"endpointsCounted","elem":[{"concat":["10.96.0.10","tcp"',
        '{"name":"endpointsCounted","elem":[{"concat":["10.96.0.99","tcp"',
      ),
      /services: 10.96.0.10 . tcp . \d+ → 10.244.0.7:8080 is missing.*services: 10.96.0.99 . tcp . \d+ → .* should not be there/s,
    ],
    [
      'where a Service is said to have more endpoints than there are',
      printed(
        'inet',
        '{"name":"endpointsUpper2","elem":[',
        '{"name":"endpointsUpper2","elem":[{"concat":["10.96.0.10","udp",53]}',
      ),
      /services: 10.96.0.10 . udp . 53 → 10.244.0.7:53 is missing/,
    ],
    [
      'where what is no Service is said to have endpoints',
      printed(
        'inet',
        '{"name":"endpoints6Upper8","elem":[',
        '{"name":"endpoints6Upper8","elem":[{"concat":["fd96::99","udp",53]}',
      ),
      /set endpoints6Upper8: fd96::99 . udp . 53 should not be there/,
    ],
    [
      'where two ways lead to a Service',
      printed(
        'inet',
        '{"name":"nodePorts","elem":[',
        '{"name":"nodePorts","elem":[[{"concat":["udp",30053]},{"goto":{"target":"chooseForNodePort/1"}}]',
      ),
      /nodePorts: udp . 30053 leads to a chain, and sets tell how many endpoints it has/,
    ],
    [
      'where a node port is gone',
      printed('inet', '["tcp",30080]', '["tcp",30081]'),
      /nodePorts: tcp . 30080 → 10.244.0.7:8080 is missing/,
    ],
    [
      'where guests reach a port of other nodes that no Service has',
      printed('inet', '"name":"openNodePorts6","elem":[', '"name":"openNodePorts6","elem":[{"concat":["tcp",31000]},'),
      /set openNodePorts6: tcp . 31000 should not be there/,
    ],
    [
      'where a Service without endpoints is not refused',
      objects(({ slices: [slice, ...others] }) => ({ slices: [{ ...slice!, endpoints: [] }, ...others] })),
      /set unserved: 10.96.0.10 . udp . 53 is missing/,
    ],
    [
      'where a ready pod is no endpoint',
      objects(({ slices: [slice, , ...others] }) => ({ slices: [slice!, ...others] })),
      /endpoints of Service on-web: fd44::7 is missing/,
    ],
    [
      'where a Service is left over',
      objects(() => ({ services: [] })),
      /services: 10.96.0.10 . udp . 53 → 10.244.0.7:53 should not be there/,
    ],
    [
      'where nothing leads to a chain of a Service',
      printed('inet', '"goto":{"target":"service/storm/herd-1-web/names/udp"}', '"drop":null'),
      /chain or set service\/storm\/herd-1-web\/names\/udp: belongs to nothing/,
    ],
    [
      'where a node port leads elsewhere',
      printed('inet', '"udp",30053,0]},{"concat":["10.244.0.7",53]', '"udp",30053,0]},{"concat":["10.244.0.9",53]'),
      /nodePorts: udp . 30053 → 10.244.0.9:53 should not be there/,
    ],
    [
      'where an endpoint of a node port is gone',
      printed('inet', '"udp",30053,0', '"udp",30053,1'),
      /endpoint 0 of @nodePortEndpoints is missing.*\n?.*map nodePortEndpoints: udp . 30053 . 1 should not be there/s,
    ],
    [
      'where a Service has another name',
      kernel(() => ({ names: { 'on-web.storm.svc.cluster.local': 'ECONNREFUSED' } })),
      /on-web.storm.svc.cluster.local should be 10.96.0.10, is ECONNREFUSED/,
    ],
    ['where there is no DHCP server', kernel(() => ({ hasDhcp: false })), /guests have no DHCP server/],
    [
      'where a policy does not select its guest',
      printed('inet', '"elem":[["10.244.0.7",{"jump"', '"elem":[["10.244.0.8",{"jump"'),
      /map ingress: 10.244.0.7 → policy\/storm\/on-policy\/ingress, drop is missing/,
    ],
    [
      'where a guest takes what no policy permits',
      printed('inet', '{"drop":null}', '{"accept":null}'),
      /map ingress: 10.244.0.7 → policy\/storm\/on-policy\/ingress, accept should not be there/,
    ],
    [
      'where a policy permits others',
      printed('inet', '"elem":["10.244.0.8"]', '"elem":[{"range":["10.244.0.8","10.244.0.9"]}]'),
      /chain policy\/storm\/on-policy\/ingress: 10.244.0.8-10.244.0.9 tcp 8080 should not be there/,
    ],
    [
      'where a policy permits another port',
      printed('inet', '"right":8080', '"right":22'),
      /chain policy\/storm\/on-policy\/ingress: 10.244.0.8 tcp 8080 is missing/,
    ],
    [
      'where a policy is missing',
      objects(({ policies }) => ({
        policies: [...policies, stored(NetworkPolicy, 'new', { spec: policyOf('on', 0.9).spec })],
      })),
      /chain policy\/storm\/new\/egress is missing/,
    ],
    [
      'where a policy is left over',
      objects(() => ({ policies: [] })),
      /chain or set policy\/storm\/on-policy\/ingress\/0: belongs to nothing/,
    ],
    [
      'where the chain of a guest is left over',
      printed('inet', 'guest/10.244.0.7/', 'guest/10.244.0.77/'),
      /chain or set guest\/10.244.0.77\/ingress: belongs to nothing/,
    ],
  ])('%s', (_, found, problem) => {
    expect(wrongNetwork(found).join('\n')).toMatch(problem);
  });
});

it('permits the same addresses however they are divided', () => {
  const ingress = [{ from: [{ ipBlock: { cidr: '10.244.0.8/30', except: ['10.244.0.9/32'] } }] }];
  const spec = { podSelector: { matchLabels: { none: 'such' } }, policyTypes: ['Ingress'], ingress };
  const elements = '"10.244.0.8","10.244.0.10",{"prefix":{"addr":"10.244.0.11","len":32}}';
  const chain = 'policy/storm/blocks/ingress';
  const added = `{"set":{"name":"${chain}/0","elem":[${elements}]}},{"chain":{"name":"${chain}"}},{"rule":{"chain":"${chain}","expr":[{"match":{"left":{"payload":{"field":"saddr"}},"right":"@${chain}/0"}},{"accept":null}]}}`;
  const scene = printed('inet', '{"nftables":[', `{"nftables":[${added},`);
  const policies = [...scene.policies, stored(NetworkPolicy, 'blocks', { spec })];
  expect(wrongNetwork({ ...scene, policies })).toEqual([]);
});

describe('what must not change', () => {
  it.each<[what: string, scene: Scene, problem: RegExp]>([
    ['is the network', kernel(() => ({ name: 'vireo1' })), /the network was vireo0, and is vireo1/],
    [
      'is the address of a VMI',
      objects(({ vmis: [on, ...others] }) => ({
        vmis: [{ ...on!, status: { ...on!.status, interfaces: [{ ipAddresses: ['10.244.0.9'] }] } }, ...others],
      })),
      /on had the address 10.244.0.7 fd44::7, and has 10.244.0.9/,
    ],
    [
      'are the rules of nobody',
      printed('inet', '"chain":"forward","expr":[{"accept":null}]', '"chain":"forward","expr":[]'),
      /the rules that never change were/,
    ],
  ])('%s', (_, later, problem) => {
    const memory = new NetworkMemory();
    expect(memory.changes(calmNetwork())).toEqual([]);
    expect(memory.changes(calmNetwork())).toEqual([]);
    expect(memory.changes(later).join('\n')).toMatch(problem);
  });

  it('is not the address of another VMI of the same name', () => {
    const memory = new NetworkMemory();
    memory.changes(calmNetwork());
    const calm = calmNetwork();
    const next = stored(VirtualMachineInstance, 'on', {
      status: { phase: 'Running', interfaces: [{ ipAddresses: ['10.244.0.9'] }] },
    });
    const vmis = [{ ...next, metadata: { ...next.metadata, uid: 'another' } }];
    expect(memory.changes({ ...calm, vmis })).toEqual([]);
  });
});
