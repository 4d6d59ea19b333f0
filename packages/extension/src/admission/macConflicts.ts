import { type FieldError, fieldError } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { CLUSTER_NETWORK } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Client, Informers } from '@vireo/kube';
import { cniPlugin } from '../cniConfig.ts';
import { isControllers } from '../identity.ts';
import type { Admission, AdmissionContext, ValidationResult } from './rule.ts';

type Vm = VirtualMachine;

/** A network card that has a MAC address of the user's choosing. */
export interface AddressedCard {
  readonly field: string;
  readonly mac: string;
  /** `namespace/name` of its NetworkAttachmentDefinition; undefined in the pod network. */
  readonly network: string | undefined;
}

const normal = (mac: string): string => mac.toLowerCase().replaceAll('-', ':');

/** The cards of a VM that have a MAC address in its template; most leave it to the node. */
export function addressedCards({ metadata, spec }: Vm): AddressedCard[] {
  const { domain, networks = [] } = spec.template.spec ?? {};
  return (domain?.devices?.interfaces ?? []).flatMap(({ name, macAddress, state }, index) => {
    if (!macAddress || state === 'absent') return [];
    const named = networks.find((each) => each.name === name)?.multus?.networkName;
    return {
      field: `spec.template.spec.domain.devices.interfaces[${index}].macAddress`,
      mac: normal(macAddress),
      network: named === undefined || named.includes('/') ? named : `${metadata.namespace}/${named}`,
    };
  });
}

const macsOf = (vm: Vm): string[] => addressedCards(vm).map(({ mac }) => mac);

/** Finds VMs by MAC address, by an index that is made when the first VM names one. */
export const macUsers =
  (informers: Informers): NonNullable<AdmissionContext['macUsers']> =>
  async (mac) => {
    const vms = informers.for(VirtualMachine, { indexes: { mac: macsOf } });
    await vms.whenSynced();
    return vms.byIndex('mac', mac);
  };

/**
 * Two cards of one segment must not have one address: refused, as Harvester does. In the pod network, where each guest
 * has a segment of its own, it is a warning. Controllers may: what is restored under another name has the addresses of
 * the first.
 */
export async function macConflicts(
  { object, oldObject, user }: Admission<Vm>,
  { client, macUsers: usersOf }: AdmissionContext,
): Promise<ValidationResult> {
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  if (!usersOf || isControllers(user)) return { errors };
  const before = oldObject ? addressedCards(oldObject) : [];
  const { name, namespace } = object.metadata;
  for (const { field, mac, network } of addressedCards(object)) {
    if (before.some((card) => card.mac === mac && card.network === network)) continue;
    for (const other of await usersOf(mac)) {
      if (other.metadata.name === name && other.metadata.namespace === namespace) continue;
      const same = addressedCards(other).filter((card) => card.mac === mac);
      // Who may not see other namespaces does not learn what is there.
      const who =
        other.metadata.namespace === namespace ? `VirtualMachine ${other.metadata.name}` : 'a VM of another namespace';
      if (network === undefined && same.some((card) => card.network === undefined))
        warnings.push(
          `${field}: ${mac} is also the MAC address of ${who}: they cannot both use the pod network of a node.`,
        );
      if (network !== undefined && (await isOnSegmentOf(network, same, client)))
        errors.push(
          fieldError(field, `${field}: ${mac} is the MAC address of ${who} on the same network`, 'FieldValueDuplicate'),
        );
    }
  }
  return { errors, warnings };
}

async function isOnSegmentOf(network: string, cards: readonly AddressedCard[], client: Client): Promise<boolean> {
  const others = cards.flatMap((card) => card.network ?? []);
  if (others.length === 0) return false;
  if (others.includes(network)) return true;
  const own = await segmentOf(network, client);
  for (const other of others) if ((await segmentOf(other, client)) === own) return true;
  return false;
}

/** What distinguishes segments: Harvester's cluster network, a bridge with its VLAN, or the definition itself. */
async function segmentOf(network: string, client: Client): Promise<string> {
  const [namespace = '', name = ''] = network.split('/');
  const definition = await client.of(NetworkAttachmentDefinition).find(name, { namespace });
  const cluster = definition?.metadata.labels?.[CLUSTER_NETWORK];
  return cluster ? `cluster ${cluster}` : (deviceOf(definition?.spec?.config) ?? `definition ${network}`);
}

/** The bridge or device of a CNI configuration, with its VLAN; undefined where it names none. */
export function deviceOf(config: string | undefined): string | undefined {
  const { bridge, master, vlan } = cniPlugin(config) ?? {};
  const device = bridge ?? master;
  return typeof device === 'string' ? `device ${device} ${Number(vlan ?? 0)}` : undefined;
}
