import { definitionKey } from '@vireo/api/kinds/kubevirt/namedByVmi.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { podInterfaceName } from './names.ts';
import { type CardRecord, cardAddresses } from './records.ts';

/**
 * What Multus' annotation of a launcher pod holds, as Multus writes it; undefined for a VMI that has only the pod network. `macOf`: the hardware
 * address of an interface.
 */
export function networkStatus(
  vmi: Vmi,
  cards: readonly CardRecord[],
  podAddresses: readonly string[],
  macOf: (iface: string) => string,
): string | undefined {
  const interfaces = (vmi.spec.domain.devices.interfaces ?? []).filter(({ state }) => state !== 'absent');
  const networks = (vmi.spec.networks ?? []).filter(({ name }) => interfaces.some((each) => each.name === name));
  if (!networks.some(({ multus }) => multus)) return undefined;
  const entries = networks.flatMap((network) => {
    const { name, multus, pod } = network;
    const mac = macOf(name);
    if (pod) {
      const ips = podAddresses.length === 0 ? {} : { ips: [...podAddresses] };
      return [{ name: 'vireo', interface: 'eth0', ...ips, mac, default: true, dns: {} }];
    }
    if (!multus) return [];
    const card = cards.find(({ iface }) => iface === name);
    const {
      nameservers: servers = [],
      nameservers6 = [],
      search = [],
      domain,
    } = (card?.network.type === 'bridge' && card.network.ipam?.dns) || {};
    const nameservers = [...servers, ...nameservers6];
    const dns = {
      ...(nameservers.length > 0 && { nameservers }),
      ...(domain !== undefined && { domain }),
      ...(search.length > 0 && { search }),
    };
    return [
      {
        name: definitionKey(network, vmi.metadata.namespace ?? ''),
        interface: podInterfaceName(name),
        ...(card?.dhcp && { ips: cardAddresses(card) }),
        mac,
        ...(multus.default && { default: true }),
        dns,
      },
    ];
  });
  return JSON.stringify(entries, null, 4);
}
