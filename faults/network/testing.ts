import { EndpointSlice, NetworkPolicy, Node, Pod, Service } from '@vireo/api';
import { NAMESPACE, SET } from '../objects.ts';
import type { Scene } from '../scene.ts';
import { calmScene, stored } from '../testing.ts';
import type { KernelNetwork } from './kernel.ts';
import { policyOf, serviceOf } from './objects.ts';
import { parseTable } from './table.ts';

const ON = { address: '10.244.0.7', address6: 'fd44::7', mac: '02:00:00:00:00:07', device: 'vt7' };
const REPLICA = { address: '10.244.0.8', address6: 'fd44::8', mac: '02:00:00:00:00:08', device: 'vt8' };
const CLUSTER_IP = '10.96.0.10';
const CLUSTER_IP6 = 'fd96::10';
const PORT = serviceOf('on', 0.3).spec?.ports?.[0]?.port;
const SERVICE = `service/${NAMESPACE}/on-web`;
const POLICY = `policy/${NAMESPACE}/on-policy/ingress`;

const jump = (target: string): object => ({ jump: { target } });
const goto = (target: string): object => ({ goto: { target } });
const concat = (...parts: (string | number | object)[]): object => ({ concat: parts });
const set = (name: string, ...elem: unknown[]): object => ({ set: { name, elem } });
const map = (name: string, ...elem: unknown[]): object => ({ map: { name, elem } });
const chain = (name: string, ...rules: object[][]): object[] => [
  { chain: { name } },
  ...rules.map((expr) => ({ rule: { chain: name, expr } })),
];
const matches = (protocol: string, field: string, right: string | number): object => ({
  match: { op: '==', left: { payload: { protocol, field } }, right },
});
/** The chain that chooses among one endpoint, for all node ports. */
const CHOICE = 'chooseForNodePort/1';
/** A rule that leads to one endpoint, as nft prints it. */
const leadTo = (...endpoint: (string | number)[]): object[] => {
  const key = { numgen: { mode: 'random', mod: 1, offset: 0 } };
  return [{ dnat: { family: 'ip', addr: { map: { key, data: { set: [[0, concat(...endpoint)]] } } } } }];
};
const sender = ({ device, mac, address }: typeof ON): object => concat(device, mac, address);

const inet = [
  set('taps', 'vt7', 'vt8'),
  set('senders', sender(ON), sender(REPLICA)),
  set('hairpin', concat(ON.address, ON.address), concat(REPLICA.address, REPLICA.address)),
  set('cards6', concat('vt7', ON.mac), concat('vt8', REPLICA.mac)),
  set('senders6', concat('vt7', ON.mac, ON.address6), concat('vt8', REPLICA.mac, REPLICA.address6)),
  set('hairpin6', concat(ON.address6, ON.address6), concat(REPLICA.address6, REPLICA.address6)),
  set('unserved'),
  map(
    'services',
    [concat(CLUSTER_IP, 'tcp', PORT!), goto(`${SERVICE}/http`)],
    [concat(CLUSTER_IP, 'udp', 53), goto(`${SERVICE}/names`)],
  ),
  map('nodePorts', [concat('tcp', 30080), goto(`${SERVICE}/http`)], [concat('udp', 30053), goto(CHOICE)]),
  map('nodePortEndpoints', [concat('udp', 30053, 0), concat(ON.address, 53)]),
  ...chain(CHOICE, [{ dnat: { addr: { map: { key: concat({ numgen: { mod: 1 } }), data: '@nodePortEndpoints' } } } }]),
  map(
    'services6',
    [concat(CLUSTER_IP6, 'tcp', PORT!), goto(`${SERVICE}/http/6`)],
    [concat(CLUSTER_IP6, 'udp', 53), goto(`${SERVICE}/names/6`)],
  ),
  map(
    'nodePorts6',
    [concat('tcp', 30080), goto(`${SERVICE}/http/6`)],
    [concat('udp', 30053), goto(`${SERVICE}/names/6`)],
  ),
  map('ingress', [ON.address, jump(`guest/${ON.address}/ingress`)]),
  map('ingress6', [ON.address6, jump(`guest/${ON.address}/ingress`)]),
  set(`${POLICY}/0`, REPLICA.address),
  set(`${POLICY}/0/6`, REPLICA.address6),
  { chain: { name: 'forward', type: 'filter', hook: 'forward', prio: 0, policy: 'accept' } },
  { rule: { chain: 'forward', expr: [{ accept: null }] } },
  ...chain(`${SERVICE}/http`, leadTo(ON.address, 8080)),
  ...chain(`${SERVICE}/names`, leadTo(ON.address, 53)),
  ...chain(`${SERVICE}/http/6`, leadTo(ON.address6, 8080)),
  ...chain(`${SERVICE}/names/6`, leadTo(ON.address6, 53)),
  ...chain(
    POLICY,
    [matches('ip', 'saddr', `@${POLICY}/0`), matches('tcp', 'dport', 8080), { accept: null }],
    [matches('ip', 'saddr', `@${POLICY}/0`), matches('udp', 'dport', 53), { accept: null }],
    [matches('ip6', 'saddr', `@${POLICY}/0/6`), matches('tcp', 'dport', 8080), { accept: null }],
    [matches('ip6', 'saddr', `@${POLICY}/0/6`), matches('udp', 'dport', 53), { accept: null }],
  ),
  ...chain(`guest/${ON.address}/ingress`, [jump(POLICY)], [{ drop: null }]),
];
const arp = [
  set('taps', 'vt7', 'vt8'),
  set('senders', sender(ON), sender(REPLICA)),
  set('probes', concat('vt7', ON.mac), concat('vt8', REPLICA.mac)),
];

/** What nft would print of the calm network, for others to change. */
export const calmTables = { inet: JSON.stringify({ nftables: inet }), arp: JSON.stringify({ nftables: arp }) };

const tap = ({ device, address, address6, mac }: typeof ON): KernelNetwork['taps'][number] => ({
  device,
  isUp: true,
  hasCarrier: true,
  mtu: 1450,
  addresses: ['fe80::1'],
  routes: [address, address6],
  neighbours: [`${address} ${mac}`, `${address6} ${mac}`],
  wrongSettings: [],
});

const interfaceOf = (card: typeof ON | undefined): object => ({
  name: 'default',
  ipAddress: card?.address,
  ipAddresses: [card?.address, card?.address6],
});

/** The guests of the calm scene with a network: `on` has a Service and a policy that lets the replica in. */
export function calmNetwork(): Scene & { readonly network: KernelNetwork } {
  const calm = calmScene();
  const guests: Readonly<Record<string, typeof ON>> = { on: ON, [`${SET}-1`]: REPLICA };
  const uidOf = (name: string): string => `VirtualMachineInstance-${name}`;
  const pods = Object.entries(guests).map(([name, { address, address6 }]) => {
    const labels = {
      'kubevirt.io/created-by': uidOf(name),
      'vm.kubevirt.io/name': name,
      ...(name !== 'on' && { set: SET }),
    };
    const status = {
      phase: 'Running',
      podIP: address,
      podIPs: [{ ip: address }, { ip: address6 }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const pod = stored(Pod, `launcher-${name}`, { status });
    return { ...pod, metadata: { ...pod.metadata, labels } };
  });
  const { spec } = serviceOf('on', 0.3);
  const ports = (spec?.ports ?? []).map((port, index) => ({ ...port, nodePort: index === 0 ? 30080 : 30053 }));
  const slice = stored(EndpointSlice, 'on-web-1', {
    addressType: 'IPv4',
    endpoints: [{ addresses: [ON.address], conditions: { ready: true } }],
    ports: [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'names', port: 53, protocol: 'UDP' },
    ],
  });
  Object.assign(slice.metadata, { labels: { 'kubernetes.io/service-name': 'on-web' } });
  const slice6: typeof slice = {
    ...slice,
    addressType: 'IPv6',
    endpoints: [{ addresses: [ON.address6], conditions: { ready: true } }],
  };
  return {
    ...calm,
    pods,
    vmis: calm.vmis.map((vmi) => ({
      ...vmi,
      status: { ...vmi.status, interfaces: [interfaceOf(guests[vmi.metadata.name])] },
    })) as Scene['vmis'],
    domains: Object.entries(guests).map(([name, card]) => ({ name: `${NAMESPACE}_${name}`, disc: undefined, card })),
    services: [
      stored(Service, 'on-web', {
        spec: { ...spec, ports, clusterIP: CLUSTER_IP, clusterIPs: [CLUSTER_IP, CLUSTER_IP6] },
      }),
    ],
    slices: [slice, slice6],
    policies: [stored(NetworkPolicy, 'on-policy', { spec: policyOf('on', 0.5).spec })],
    nodes: [stored(Node, 'host', { spec: { podCIDRs: ['10.244.0.0/24', 'fd44::/64'] } })],
    ranges: {
      ...{ clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/16', clusterDomain: 'cluster.local' },
      ...{ clusterCIDRv6: 'fd44::/56', serviceCIDRv6: 'fd96::/112' },
    },
    network: {
      name: 'vireo0',
      isUp: true,
      addresses: ['10.244.0.1', '10.244.0.254', 'fd44::1', 'fd44::fe'],
      routes: ['10.244.0.0/16', '10.96.0.0/16', 'fd44::/56', 'fd96::/112'],
      isForwarding: true,
      taps: [tap(ON), tap(REPLICA)],
      cards: Object.entries(guests).map(([name, card]) => ({ uid: uidOf(name), ...card, mtu: 1450 })),
      tables: { inet: parseTable(calmTables.inet), arp: parseTable(calmTables.arp) },
      names: { [`on-web.${NAMESPACE}.svc.cluster.local`]: CLUSTER_IP },
      hasDhcp: true,
    },
  };
}
