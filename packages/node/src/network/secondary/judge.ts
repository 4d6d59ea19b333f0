import { type BridgeNetwork, gatewayRange6, type MacvtapNetwork, NO_VLANS, prefixLength } from '@vireo/network';
import type { HostDevice } from './hostDevice.ts';

/** Whether a network can be had on this node: why not, and what is to be said of it if so. */
export interface Judgement {
  readonly problem?: string;
  readonly warnings: readonly string[];
}

/** Devices of Vireo's own: guests on them would be past the rules of the pod network. */
const RESERVED = /^vireo(\d+|-[\da-f]{8})(-\w+)?$/;

/** Judges a bridge of this node. `isOwn`: Vireo made it. */
export function judgeBridge(network: BridgeNetwork, found: HostDevice | undefined, isOwn: boolean): Judgement {
  const bridge = JSON.stringify(network.bridge);
  const refused = (problem: string): Judgement => ({ problem, warnings: [] });
  if (RESERVED.test(network.bridge) || found?.alias.startsWith('vireo '))
    return refused(`the device ${bridge} is one of Vireo's own; choose another name`);
  if (!found)
    return network.isMadeIfMissing
      ? { warnings: [] }
      : refused(
          `this node does not have the bridge ${bridge}; create it (ip link add ${network.bridge} type bridge), or ` +
            'annotate the NetworkAttachmentDefinition with vireo.dev/create-bridge="true"',
        );
  if (!found.isBridge) return refused(`the device ${bridge} of this node is no bridge`);
  const problem = vlanProblem(network, found) ?? (isOwn ? undefined : gatewayProblem(network, found));
  if (problem) return refused(problem);
  return { warnings: isOwn ? [] : bridgeWarnings(network, found) };
}

function vlanProblem({ bridge, vlan, trunk }: BridgeNetwork, { filtersVlans }: HostDevice): string | undefined {
  if ((vlan === undefined && !trunk) || filtersVlans) return undefined;
  return filtersVlans === undefined
    ? NO_VLANS
    : `the bridge ${JSON.stringify(bridge)} does not keep VLANs apart; have it do so: ip link set ${bridge} type bridge vlan_filtering 1`;
}

/** A bridge that somebody else made is not changed: what its gateway needs has to be there. */
function gatewayProblem(network: BridgeNetwork, { addresses }: HostDevice): string | undefined {
  const { bridge, isGateway, isMasqueraded, ipam } = network;
  if (!isGateway) return undefined;
  if (isMasqueraded)
    return `ipMasq works only with bridges that Vireo makes, and it did not make ${JSON.stringify(bridge)}`;
  if (gatewayRange6(network))
    return `an IPv6 gateway works only with bridges that Vireo makes, and it did not make ${JSON.stringify(bridge)}`;
  for (const { gateway, subnet } of ipam?.ranges ?? []) {
    const wanted = `${gateway}/${prefixLength(subnet)}`;
    if (gateway !== undefined && !addresses.includes(wanted))
      return `Vireo did not make the bridge ${JSON.stringify(bridge)} and does not change it, but isGateway needs its address: ip addr add ${wanted} dev ${bridge}`;
  }
  return undefined;
}

function bridgeWarnings({ bridge, mtu }: BridgeNetwork, { isUp, ports }: HostDevice): string[] {
  const name = JSON.stringify(bridge);
  const small = mtu === undefined ? undefined : ports.find((port) => port.mtu < mtu);
  return [
    ...(isUp ? [] : [`the bridge ${name} is down, so nothing passes it; bring it up: ip link set ${bridge} up`]),
    ...(small
      ? [
          `mtu is ${mtu}, but the port ${small.name} of the bridge ${name} has ${small.mtu}: larger packets are lost there`,
        ]
      : []),
  ];
}

/** Judges a device of this node that macvtaps are to be on. */
export function judgeLower({ lower, mtu }: MacvtapNetwork, found: HostDevice | undefined): Judgement {
  const name = JSON.stringify(lower);
  const refused = (problem: string): Judgement => ({ problem, warnings: [] });
  if (!found) return refused(`this node does not have the device ${name}`);
  if (RESERVED.test(lower) || found.alias.startsWith('vireo ') || lower === 'lo')
    return refused(`the device ${name} can have no macvtaps; choose another`);
  if (mtu !== undefined && mtu > found.mtu) return refused(`mtu is ${mtu}, but the device ${name} has ${found.mtu}`);
  return {
    warnings: found.isUp
      ? []
      : [`the device ${name} is down, so nothing passes it; bring it up: ip link set ${lower} up`],
  };
}
