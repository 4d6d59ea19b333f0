import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { Client, Clock, ControllerMetrics, EventRecorder, Log } from '@vireo/kube';
import {
  claimNetwork,
  contains,
  Dhcp6Server,
  DhcpServer,
  DnsServer,
  GATEWAY_MAC,
  hostResolvers,
  type NetworkPlan,
  nodeAddress,
  nthAddress,
  overlayMtu,
  overlayName,
  RouterAdvertiser,
  Ruleset,
  readMtu,
  run,
  skeleton,
  transact,
  VXLAN_PORT,
  wireguardName,
} from '@vireo/network';
import { broughtAddress } from './addresses.ts';
import { CardStore } from './cards.ts';
import { startWireguard } from './encryption.ts';
import { type GuardedDevices, guardedDevices, reportCut } from './guardedDevices.ts';
import { type GuestNetwork, userNetwork } from './guestNetwork.ts';
import { ipv6Problem, plan6 } from './ipv6.ts';
import { keepListening } from './keepListening.ts';
import { lease6Of, leaseOf } from './lease.ts';
import { namesOf, networkObjects } from './objects.ts';
import { networkOwner } from './owner.ts';
import { isForeign, Peers } from './peers.ts';
import { networkProblem } from './probe.ts';
import { RoutedNetwork } from './routedNetwork.ts';
import { NetworkRules } from './rules.ts';
import { clusterZone } from './zone.ts';

export interface NetworkContext {
  readonly client: Client;
  readonly home: string;
  readonly node: string;
  /** Writes the Node. */
  readonly kubelet: Client;
  /** The node's address among the nodes. */
  readonly address: string;
  /** Tells packets of this cluster from those of others between nodes. */
  readonly vni: number;
  /** The Node's `spec.podCIDR`; undefined if it has none. */
  readonly podRange: string | undefined;
  /** The IPv6 range among its `spec.podCIDRs`. */
  readonly podRange6?: string | undefined;
  readonly config: NetworkConfig;
  /** Whether a VMI is on this node still. */
  readonly isThere: (uid: string) => boolean;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}

/** A network that runs. */
export interface StartedNetwork {
  readonly network: GuestNetwork;
  /** The addresses and rules of a routed network. */
  readonly routed?: { readonly plan: NetworkPlan; readonly ruleset: Ruleset; readonly devices: GuardedDevices };
  readonly ended: Promise<void>;
}

/** Starts the pod network of this node: routed where the host permits it, QEMU's user networking where not. */
export async function startNetwork(context: NetworkContext, signal: AbortSignal): Promise<StartedNetwork> {
  const { client, kubelet, home, node, address, vni, podRange, podRange6, config, isThere } = context;
  const { recorder, log, metrics, clock } = context;
  const subject = { kind: 'Node', name: node };
  const without = (reason: string, message: string): StartedNetwork => {
    log.warn('guests have no addresses of their own', subject, { why: message });
    return { network: userNetwork(reason, message), ended: Promise.resolve() };
  };
  if (podRange === undefined) return without('NoPodCIDR', noRange(node));
  const mtu = overlayMtu(isIPv4(address) ? await readMtu(address).catch(() => undefined) : undefined);
  const noIpv6 = await ipv6Problem(podRange6, mtu.wireguard);
  const planOf = (name: string): NetworkPlan => ({
    ...networkPlan(name, podRange, config, vni),
    ...(podRange6 !== undefined && noIpv6 === undefined && { ipv6: plan6(podRange, podRange6, config) }),
  });
  const problem = await networkProblem(skeleton(planOf('vireo0')));
  if (problem) return without(problem.reason, problem.message);
  const owner = networkOwner(home);
  const plan = planOf(await claimNetwork(owner));

  const cards = await CardStore.open(join(home, 'network', 'cards'));
  const ruleset = new Ruleset({
    table: plan.name,
    skeleton: skeleton(plan),
    nft: (script) => run('nft', ['-f', '-'], script),
    transact,
    onReload: (error) => log.warn('the rules of the network are loaded anew', subject, { error }),
  });
  const keyFile = join(home, 'network', 'wireguard.key');
  const openWireguard = () => startWireguard(plan.wireguard, { keyFile, mtu: mtu.wireguard });
  const wireguard = await openWireguard();
  const objects = networkObjects(client, { log, clock });
  const rules = new NetworkRules({ objects, ruleset, cards, node, recorder, log, clock, ...(metrics && { metrics }) });
  const onError = (error: unknown): void => log.warn('the network of guests', subject, { error });
  const servers = new AsyncDisposableStack();
  const guestMtu = 'publicKey' in wireguard ? mtu.wireguard : mtu.vxlan;
  const advertiser = plan.ipv6 && servers.use(new RouterAdvertiser({ onError }));
  const podsOf = (uid: string) => objects.pods.byIndex('vmi', uid);
  const network = new RoutedNetwork({
    node,
    plan,
    owner,
    onCut: (card) => reportCut(card, { recorder, log }),
    cards,
    ruleset,
    mtu: guestMtu,
    ...(advertiser && { advertiser }),
    ipv6Problem: noIpv6,
    prepareGuest: (uid, labels) => rules.prepareGuest(uid, labels),
    hasForeignNodes: () => objects.nodes.list().some(isForeign),
    broughtAddress: (uid) => broughtAddress(podsOf(uid), node, plan.clusterRange),
    broughtAddress6: (uid) => plan.ipv6 && broughtAddress(podsOf(uid), node, plan.ipv6.clusterRange),
    isTakenElsewhere: (address, uid) =>
      objects.pods.byIndex('address', address).some(({ metadata }) => metadata.labels?.[CREATED_BY_LABEL] !== uid),
  });
  await network.open(isThere);
  const { ended: rulesEnded } = await rules.start(signal);
  const overlay = { underlay: address, mtu: mtu.vxlan };
  const common = { objects, ruleset, node, kubelet, log, clock, ...(metrics && { metrics }) };
  const peers = new Peers({ plan, overlay, wireguard, openWireguard, ...common });
  const { ended: peersEnded } = await peers.start(signal);
  const { ipv6 } = plan;
  const ranges6 = ipv6 ? [ipv6.clusterRange, ...(ipv6.serviceRange ? [ipv6.serviceRange] : [])] : [];
  const ranges = [plan.clusterRange, plan.serviceRange, ...ranges6];
  const zone = clusterZone(namesOf(objects, config.clusterDomain, ranges));
  const upstreams = hostResolvers(new Set([plan.gateway, plan.own, ...(ipv6 ? [ipv6.gateway, ipv6.own] : [])]));
  const leases = (mac: string) => {
    const card = network.cardOf(mac);
    return card && leaseOf(card, plan, config);
  };
  const serve = (what: string, listen: () => Promise<AsyncDisposable>): Promise<AsyncDisposable> =>
    keepListening(
      {
        listen,
        clock,
        onWait: ({ message }) => {
          const text = `guests get no ${what} until the program ends that has the port (${message})`;
          log.warn(text, subject);
          recorder.event(
            { apiVersion: 'v1', kind: 'Node', metadata: { name: node, uid: node } },
            'Warning',
            'PortInUse',
            text,
          );
        },
        onListening: () => log.info(`guests get ${what} again`, subject),
      },
      signal,
    );
  const { gateway } = plan;
  servers.use(await serve('addresses', () => DhcpServer.listen({ address: gateway, leaseOf: leases, onError })));
  servers.use(await serve('names', () => DnsServer.listen({ address: gateway, zone, upstreams, onError })));
  if (ipv6) {
    const dns = { address: ipv6.gateway, zone, upstreams, onError };
    const leases6 = (device: string) => {
      const card = network.cardAt(device);
      return card && lease6Of(card, ipv6, config);
    };
    const dhcp = { address: ipv6.gateway, mac: GATEWAY_MAC, leaseOf: leases6, onError };
    servers.use(await serve('IPv6 addresses', () => Dhcp6Server.listen(dhcp)));
    servers.use(await serve('names by IPv6', () => DnsServer.listen(dns)));
  }
  return {
    network,
    routed: { plan, ruleset, devices: guardedDevices(network, peers) },
    ended: Promise.all([rulesEnded, peersEnded])
      .finally(() => servers.disposeAsync())
      .then(() => undefined),
  };
}

/** Said where no controller gives the Node a range. */
const noRange = (node: string): string =>
  `node ${node} has no spec.podCIDR; on Kubernetes, the controller manager gives it with --allocate-node-cidrs`;

/** The addresses of a network. A range that is not part of the cluster's stands for itself. */
export function networkPlan(name: string, podRange: string, config: NetworkConfig, vni: number): NetworkPlan {
  const { serviceCIDR: serviceRange } = config;
  const clusterRange = contains(config.clusterCIDR, podRange.split('/')[0] ?? '') ? config.clusterCIDR : podRange;
  return {
    name,
    gateway: nthAddress(clusterRange, 1),
    own: nodeAddress(podRange),
    podRange,
    clusterRange,
    serviceRange,
    overlay: overlayName(name),
    overlayPort: VXLAN_PORT,
    vni,
    wireguard: wireguardName(name),
    apiServer: { address: nthAddress(serviceRange, 1), port: 443 },
  };
}
