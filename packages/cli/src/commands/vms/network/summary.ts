import { type Machine, machinesOf } from './machines.ts';
import { definedNetwork, type NetworkLine, podNetwork } from './networks.ts';
import { type PolicyLine, policyLine } from './policies.ts';
import type { NetworkObjects } from './read.ts';
import { type ServiceLine, serviceLine } from './services.ts';

/** A card of a VM. */
export interface InterfaceLine {
  readonly name: string;
  /** `pod`, or the NetworkAttachmentDefinition. */
  readonly network: string;
  readonly addresses: readonly string[];
  readonly mac?: string;
  readonly linkState?: string;
}

/** What is told of a VM. */
export interface VmLine {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly node?: string;
  readonly interfaces: readonly InterfaceLine[];
}

/** Everything that `vireo network` tells. */
export interface NetworkSummary {
  readonly networks: readonly NetworkLine[];
  readonly vms: readonly VmLine[];
  readonly services: readonly ServiceLine[];
  readonly policies: readonly PolicyLine[];
  /** What the user may not see. */
  readonly forbidden: NetworkObjects['forbidden'];
}

/** Puts together what there is to say of networks. */
export function networkSummary(objects: NetworkObjects): NetworkSummary {
  const machines = machinesOf(objects);
  return {
    networks: [
      ...objects.nodes.map((node) => podNetwork(node, machines)),
      ...objects.definitions.map((definition) => definedNetwork(definition)),
    ],
    vms: machines.map(vmLine),
    services: objects.services.map((service) => serviceLine(service, objects.slices, machines)),
    policies: objects.policies.map((policy) => policyLine(policy, machines)),
    forbidden: objects.forbidden,
  };
}

/** A VM with its cards: those of its spec, with what its status says of them. */
export function vmLine({ namespace, name, state, pair: { vm, vmi } }: Machine): VmLine {
  const spec = vmi?.spec ?? vm?.spec.template?.spec;
  const networkOf = (card: string): string => {
    const network = spec?.networks?.find((each) => each.name === card);
    return network?.multus ? network.multus.networkName : 'pod';
  };
  const { nodeName, interfaces: seen = [] } = vmi?.status ?? {};
  const cards = (spec?.domain.devices.interfaces ?? []).filter((card) => card.state !== 'absent' || !vmi);
  return {
    namespace,
    name,
    state,
    ...(nodeName && { node: nodeName }),
    interfaces: cards.map((card) => {
      const {
        ipAddress,
        ipAddresses = [],
        mac = card.macAddress,
        linkState,
      } = seen.find((each) => each.name === card.name) ?? {};
      const addresses = [...(ipAddress ? [ipAddress] : []), ...ipAddresses];
      return {
        name: card.name,
        network: networkOf(card.name),
        addresses: [...new Set(addresses)].filter((address) => !/^fe80:/i.test(address)),
        ...(mac && { mac }),
        ...(linkState && { linkState }),
      };
    }),
  };
}
