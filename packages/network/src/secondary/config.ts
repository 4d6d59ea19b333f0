import { isHostDevice } from '../text.ts';
import { ConfigError, FieldReader, isFields } from './fields.ts';
import { type Ipam, parseIpam } from './ipam.ts';

/** VLANs that a card gets with their tags: from one to another. */
export interface VlanRange {
  readonly first: number;
  readonly last: number;
}

/** A network that is a bridge of the node. */
export interface BridgeNetwork {
  readonly type: 'bridge';
  readonly bridge: string;
  /** Whether a bridge that is missing is to be made. */
  readonly isMadeIfMissing: boolean;
  readonly mtu?: number;
  /** The VLAN of its cards, without a tag. */
  readonly vlan?: number;
  readonly trunk?: readonly VlanRange[];
  readonly keepsDefaultVlan: boolean;
  /** Whether the bridge itself takes all frames. */
  readonly isPromiscuous: boolean;
  /** Whether frames may leave by the port that they came from. */
  readonly isHairpin: boolean;
  /** Whether cards reach only ports that are not isolated, such as the uplink. */
  readonly isIsolated: boolean;
  /** Whether frames from another hardware address than the card's are dropped. */
  readonly checksMac: boolean;
  /** Whether the node has the gateway's address on the bridge, and routes. */
  readonly isGateway: boolean;
  /** Whether the gateway is the guests' default route. */
  readonly isDefaultGateway: boolean;
  /** Whether guests reach other networks behind the address of the node. */
  readonly isMasqueraded: boolean;
  readonly ipam?: Ipam;
}

/** A network that is a device of the node: each card has a macvtap on it. */
export interface MacvtapNetwork {
  readonly type: 'macvtap';
  /** The device of the node. */
  readonly lower: string;
  readonly mode: 'bridge' | 'vepa' | 'private' | 'passthru';
  readonly mtu?: number;
}

export type SecondaryNetwork = BridgeNetwork | MacvtapNetwork;

/** A network, and what of its configuration has no effect. */
export interface ParsedNetwork {
  readonly network: SecondaryNetwork;
  readonly warnings: readonly string[];
}

/** What stands beside a configuration. */
export interface ConfigOptions {
  /** Whether a bridge that is missing is to be made. */
  readonly createBridge?: boolean;
  /** `macvtap.network.kubevirt.io/eth0`: the device plug-in's word for a macvtap on eth0. */
  readonly resourceName?: string;
}

const LEAST_MTU = 68;
const MOST_MTU = 65_521;
const LAST_VLAN = 4094;
/** What the bridge plug-in calls its bridge if nobody does. */
const DEFAULT_BRIDGE = 'cni0';
const MODES = ['bridge', 'vepa', 'private', 'passthru'] as const;
/** Fields of every plug-in that say nothing about a guest's card. */
const COMMON = [
  'cniVersion',
  'cniVersions',
  'name',
  'type',
  'capabilities',
  'runtimeConfig',
  'args',
  'disableCheck',
  'dns',
];
const DEVICE_TYPES = ['sriov', 'ib-sriov', 'host-device', 'accelerated-bridge'];

/** Reads a CNI configuration, or a list of plug-ins, of which the first makes the card. Throws a ConfigError. */
export function parseNetwork(text: string, options: ConfigOptions = {}): ParsedNetwork {
  const warnings: string[] = [];
  const warn = (message: string): void => {
    warnings.push(message);
  };
  const [first, ...chained] = pluginsOf(text);
  if (!first) throw new ConfigError('plugins is empty');
  const network = parsePlugin(first, options, warn);
  const { mtu } = parseChained(chained, warn);
  return { network: mtu === undefined ? network : { ...network, mtu }, warnings };
}

function pluginsOf(text: string): FieldReader[] {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isFields(config)) throw new ConfigError('not a JSON object');
  const list = new FieldReader(config);
  return config.plugins === undefined ? [list] : list.list('plugins');
}

function parsePlugin(plugin: FieldReader, options: ConfigOptions, warn: (message: string) => void): SecondaryNetwork {
  const type = plugin.text('type');
  for (const name of COMMON) plugin.raw(name);
  switch (type) {
    case 'bridge':
    case 'cnv-bridge':
      return finish(plugin, parseBridge(plugin, options, warn), warn);
    case 'macvtap':
    case 'macvlan':
      return finish(plugin, parseMacvtap(plugin, type, options, warn), warn);
    default: {
      const why = DEVICE_TYPES.includes(type ?? '')
        ? 'which gives each guest a network device of the host, and Vireo passes none through'
        : 'which is not supported';
      throw new ConfigError(`type is ${JSON.stringify(type)}, ${why}; use bridge, macvtap or macvlan`);
    }
  }
}

function finish<T extends SecondaryNetwork>(plugin: FieldReader, network: T, warn: (message: string) => void): T {
  for (const field of plugin.unknown()) warn(`${field} is not supported and is ignored`);
  return network;
}

function parseBridge(plugin: FieldReader, options: ConfigOptions, warn: (message: string) => void): BridgeNetwork {
  const ipam = parseIpam(plugin, warn);
  const isDefaultGateway = plugin.boolean('isDefaultGateway');
  const isGateway = plugin.boolean('isGateway') || isDefaultGateway;
  const mtu = plugin.number('mtu', LEAST_MTU, MOST_MTU);
  const vlan = plugin.number('vlan', 1, LAST_VLAN);
  const trunk = plugin.list('vlanTrunk').map(vlanRange);
  for (const name of ['enabledad', 'ipMasqBackend']) plugin.raw(name);
  for (const name of ['forceAddress', 'disableContainerInterface'])
    if (plugin.boolean(name)) warn(`${plugin.at(name)} has no effect`);
  const network: BridgeNetwork = {
    type: 'bridge',
    bridge: plugin.textOf('bridge', isHostDevice, 'the name of a bridge, of at most 15 characters') ?? DEFAULT_BRIDGE,
    isMadeIfMissing: isGateway || options.createBridge === true,
    ...(mtu !== undefined && { mtu }),
    ...(vlan !== undefined && { vlan }),
    ...(trunk.length > 0 && { trunk }),
    keepsDefaultVlan: plugin.boolean('preserveDefaultVlan'),
    isPromiscuous: plugin.boolean('promiscMode'),
    isHairpin: plugin.boolean('hairpinMode'),
    isIsolated: plugin.boolean('portIsolation'),
    checksMac: plugin.boolean('macspoofchk'),
    isGateway,
    isDefaultGateway,
    isMasqueraded: plugin.boolean('ipMasq'),
    ...(ipam && { ipam }),
  };
  const problem = bridgeContradiction(network);
  if (problem) throw new ConfigError(problem);
  const gateway6 = isGateway ? ipam?.ranges6?.[0]?.gateway : undefined;
  for (const route of ipam?.routes6 ?? [])
    if (gateway6 === undefined || (route.gateway ?? gateway6) !== gateway6)
      warn(
        `${plugin.at('ipam.routes')}: ${route.destination} is ignored: IPv6 routers tell guests themselves where they lead`,
      );
  return network;
}

/** Ranges of this host, of links and of groups. */
const UNROUTED = /^(((0|127|169\.254|22[4-9]|2[3-5]\d)\.)|::|fe[89ab]|ff)/;

function bridgeContradiction(network: BridgeNetwork): string | undefined {
  const { isPromiscuous, isHairpin, isGateway, isMasqueraded, vlan, trunk, ipam } = network;
  const subnet = [...(ipam?.ranges ?? []), ...(ipam?.ranges6 ?? [])].find((each) => UNROUTED.test(each.subnet))?.subnet;
  const hasGateway = ipam?.ranges[0]?.gateway !== undefined || ipam?.ranges6?.[0]?.gateway !== undefined;
  if (isPromiscuous && isHairpin) return 'promiscMode and hairpinMode exclude each other';
  if (isGateway && !hasGateway) return 'isGateway needs an ipam with a gateway: its address is what the bridge gets';
  if (isGateway && (vlan !== undefined || trunk))
    return 'isGateway and a VLAN cannot be combined: the bridge of the node is in no VLAN';
  if (isGateway && subnet !== undefined) return `isGateway: ${subnet} is no range that a node can route`;
  if (isMasqueraded && !isGateway) return 'ipMasq needs isGateway: only what this node routes can have its address';
  return undefined;
}

function vlanRange(range: FieldReader): VlanRange {
  const id = range.number('id', 1, LAST_VLAN);
  const [first = id, last = id] = [range.number('minID', 1, LAST_VLAN), range.number('maxID', 1, LAST_VLAN)];
  if (first === undefined || last === undefined) throw new ConfigError(`${range.at('id')} is missing`);
  if (first > last) throw new ConfigError(`${range.at('minID')} ${first} is greater than maxID ${last}`);
  return { first, last };
}

function parseMacvtap(
  plugin: FieldReader,
  type: string,
  { resourceName = '' }: ConfigOptions,
  warn: (message: string) => void,
): MacvtapNetwork {
  const named = /^macvtap\.network\.kubevirt\.io\/(.+)$/.exec(resourceName)?.[1];
  const lower =
    plugin.textOf('master', isHostDevice, 'the name of a device') ??
    plugin.textOf('deviceID', isHostDevice, 'the name of a device') ??
    named;
  if (lower === undefined || !isHostDevice(lower))
    throw new ConfigError(
      `type is ${type}, but no device is named: set master, or the annotation k8s.v1.cni.cncf.io/resourceName to macvtap.network.kubevirt.io/DEVICE`,
    );
  const mode =
    plugin.textOf('mode', (text) => (MODES as readonly string[]).includes(text), MODES.join(', ')) ?? 'bridge';
  const mtu = plugin.number('mtu', LEAST_MTU, MOST_MTU);
  if (plugin.boolean('promiscMode') && mode !== 'passthru')
    warn(
      `${plugin.at('promiscMode')} has no effect: a macvtap gets frames for the MAC address of its interface only. Set mode to passthru, which gives the whole device to one guest, or use a bridge`,
    );
  plugin.boolean('linkInContainer');
  if (parseIpam(plugin, warn))
    throw new ConfigError(
      'ipam needs the type bridge: a node cannot reach guests on a macvtap. Leave it out, and give addresses by DHCP on the network or by cloud-init',
    );
  return { type: 'macvtap', lower, mode: mode as MacvtapNetwork['mode'], ...(mtu !== undefined && { mtu }) };
}

/** The plug-ins that change a card that another has made. */
function parseChained(plugins: readonly FieldReader[], warn: (message: string) => void): { mtu?: number } {
  let mtu: number | undefined;
  for (const plugin of plugins) {
    const type = plugin.text('type');
    if (type !== 'tuning') {
      warn(`${plugin.at('type')} ${JSON.stringify(type)} is not supported and is ignored`);
      continue;
    }
    for (const name of COMMON) plugin.raw(name);
    mtu = plugin.number('mtu', LEAST_MTU, MOST_MTU) ?? mtu;
    // A guest sets these on its card itself.
    plugin.boolean('promisc');
    plugin.boolean('allmulti');
    if (plugin.text('mac') !== undefined) warn(`${plugin.at('mac')} is ignored: set macAddress of the VM's interface`);
    for (const field of plugin.unknown()) warn(`${field} is not supported and is ignored`);
  }
  return mtu === undefined ? {} : { mtu };
}
