import { NAMESPACE } from '../objects.ts';
import { serviceOf } from './objects.ts';

/** The cards of the guests of the calm network. */
export const ON = { address: '10.244.0.7', address6: 'fd44::7', mac: '02:00:00:00:00:07', device: 'vt7' };
export const REPLICA = { address: '10.244.0.8', address6: 'fd44::8', mac: '02:00:00:00:00:08', device: 'vt8' };

/** The Service of `on`, of both families and with node ports. */
export const WEB = {
  ...{ service: serviceOf('on', 0.3), clusterIp: '10.96.0.10', clusterIp6: 'fd96::10' },
  nodePorts: { http: 30080, names: 30053 },
};
/** The Service of the replica, with affinity. */
export const STICKY = { service: serviceOf('herd-1', 0.6), clusterIp: '10.96.0.11' };

const portOf = ({ service }: typeof WEB | typeof STICKY): number => service.spec?.ports?.[0]?.port ?? 0;
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
const sender = ({ device, mac, address }: typeof ON): object => concat(device, mac, address);

/** The sets of what has one endpoint, their map, and the chain that chooses it. */
function oneEndpoint(
  endpoints: string,
  choice: string,
  ...ways: [key: (string | number)[], endpoint: [string, number]][]
): object[] {
  const key = concat(`key of ${endpoints}`, { numgen: { mode: 'random', mod: 1, offset: 0 } });
  return [
    set(`${endpoints}Counted`, ...ways.map(([each]) => concat(...each))),
    ...[8, 4, 2, 1].map((half) => set(`${endpoints}Upper${half}`)),
    map(endpoints, ...ways.map(([each, endpoint]) => [concat(...each, 0), concat(...endpoint)])),
    ...chain(`${choice}/1`, [{ dnat: { addr: { map: { key, data: `@${endpoints}` } } } }]),
  ];
}

/** What leads to a Service with affinity that has one endpoint: its own chains, and the set of its clients. */
function sticky(name: string, address: string, port: number): object[] {
  const way = `${name}/${address}/${port}`;
  const choice = { key: { numgen: { mode: 'random', mod: 1, offset: 0 } }, data: { set: [[0, goto(way)]] } };
  return [
    set(way),
    ...chain(name, [matches('ip', 'saddr', `@${way}`), goto(way)], [{ vmap: choice }]),
    ...chain(way, [{ set: { op: 'update', set: `@${way}` } }], [{ dnat: { family: 'ip', addr: address, port } }]),
  ];
}
const STICKY_CHAINS = {
  http: `service/${NAMESPACE}/herd-1-web/http/tcp`,
  names: `service/${NAMESPACE}/herd-1-web/names/udp`,
};

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
    [concat(STICKY.clusterIp, 'tcp', portOf(STICKY)), goto(STICKY_CHAINS.http)],
    [concat(STICKY.clusterIp, 'udp', 53), goto(STICKY_CHAINS.names)],
  ),
  map('nodePorts'),
  map('services6'),
  map('nodePorts6'),
  ...sticky(STICKY_CHAINS.http, REPLICA.address, 8080),
  ...sticky(STICKY_CHAINS.names, REPLICA.address, 53),
  ...(['', '6'] as const).flatMap((suffix) => {
    const nodePorts = [concat('tcp', WEB.nodePorts.http), concat('udp', WEB.nodePorts.names)];
    const [clusterIp, address] = suffix ? [WEB.clusterIp6, ON.address6] : [WEB.clusterIp, ON.address];
    return [
      set(`openNodePorts${suffix}`, ...nodePorts),
      ...oneEndpoint(
        `endpoints${suffix}`,
        `choose${suffix}`,
        [
          [clusterIp, 'tcp', portOf(WEB)],
          [address, 8080],
        ],
        [
          [clusterIp, 'udp', 53],
          [address, 53],
        ],
      ),
      ...oneEndpoint(
        `nodePortEndpoints${suffix}`,
        `chooseForNodePort${suffix}`,
        [
          ['tcp', WEB.nodePorts.http],
          [address, 8080],
        ],
        [
          ['udp', WEB.nodePorts.names],
          [address, 53],
        ],
      ),
    ];
  }),
  map('ingress', [ON.address, jump(`guest/${ON.address}/ingress`)]),
  map('ingress6', [ON.address6, jump(`guest/${ON.address}/ingress`)]),
  set(`${POLICY}/0`, REPLICA.address),
  set(`${POLICY}/0/6`, REPLICA.address6),
  { chain: { name: 'forward', type: 'filter', hook: 'forward', prio: 0, policy: 'accept' } },
  { rule: { chain: 'forward', expr: [{ accept: null }] } },
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
