import { Node } from '@vireo/api';
import { maintenanceFate, takesVmi } from '@vireo/api/kinds/harvester/maintenance.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, keyOf } from '@vireo/kube';

/** The VMIs that run on a node. */
export async function guestsOf(client: Client, node: Node): Promise<VirtualMachineInstance[]> {
  const { items } = await client.of(VirtualMachineInstance).list();
  return items.filter((vmi) => vmi.status?.nodeName === node.metadata.name && !isFinal(vmi));
}

/** Those of them that can neither move nor say that they may be shut down. */
export async function immovable(client: Client, node: Node): Promise<VirtualMachineInstance[]> {
  const guests = await guestsOf(client, node);
  if (guests.length === 0) return [];
  const [vms, others] = await Promise.all([client.of(VirtualMachine).list(), otherNodes(client, node)]);
  const byUid = new Map(vms.items.map((vm) => [vm.metadata.uid, vm]));
  return guests.filter((vmi) => {
    const owner = vmi.metadata.ownerReferences?.find(({ uid }) => byUid.has(uid));
    return maintenanceFate(vmi, byUid.get(owner?.uid ?? ''), others) === 'stays';
  });
}

const otherNodes = async (client: Client, { metadata }: Node): Promise<Node[]> =>
  (await client.of(Node).list()).items.filter((each) => each.metadata.name !== metadata.name);

/** VMs that maintenance of the node would hurt, by why. */
export interface UnhealthyVms {
  readonly message: string;
  readonly vms: readonly string[];
}

/** What would become of the VMs of a node if they had to leave it. */
export async function unhealthyVms(client: Client, node: Node): Promise<UnhealthyVms[]> {
  const [guests, others] = await Promise.all([guestsOf(client, node), otherNodes(client, node)]);
  const found = guests.flatMap((vmi) => {
    const { reason } = vmi.status?.conditions?.find(isNotMigratable) ?? {};
    const fits = others.some((each) => takesVmi(each, vmi));
    return [reason, ...(fits ? [] : ['NodeSchedulingRequirementsNotMet'])].map((message) => ({ message, vmi }));
  });
  const groups = Map.groupBy(found, ({ message }) => message ?? '');
  return [...groups]
    .filter(([message]) => message !== '')
    .map(([message, members]) => ({ message, vms: members.map(({ vmi }) => keyOf(vmi)).sort() }));
}

const isNotMigratable = ({ type, status }: { type: string; status: string }): boolean =>
  type === 'LiveMigratable' && status === 'False';
