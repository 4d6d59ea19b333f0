import { isConditionTrue, Node } from '@vireo/api';
import { MAINTAIN_STRATEGY, SHUTDOWN_STRATEGIES } from '@vireo/api/kinds/harvester/names.ts';
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
export async function immovable(
  client: Client,
  guests: readonly VirtualMachineInstance[],
): Promise<VirtualMachineInstance[]> {
  if (guests.length === 0) return [];
  const { items } = await client.of(VirtualMachine).list();
  const willing = new Set(
    items
      .filter(({ metadata }) => SHUTDOWN_STRATEGIES.includes(metadata.labels?.[MAINTAIN_STRATEGY] ?? ''))
      .map(({ metadata }) => metadata.uid),
  );
  return guests.filter(({ metadata }) => !metadata.ownerReferences?.some(({ uid }) => willing.has(uid)));
}

/** VMs that maintenance of the node would hurt, by why. */
export interface UnhealthyVms {
  readonly message: string;
  readonly vms: readonly string[];
}

/** What would become of the VMs of a node if they had to leave it. */
export async function unhealthyVms(client: Client, node: Node): Promise<UnhealthyVms[]> {
  const [guests, nodes] = await Promise.all([guestsOf(client, node), client.of(Node).list()]);
  const elsewhere = nodes.items.filter((each) => each.metadata.name !== node.metadata.name && isUsable(each));
  const found = guests.flatMap((vmi) => {
    const { reason } = vmi.status?.conditions?.find(isNotMigratable) ?? {};
    const fits = elsewhere.some((each) => hasLabels(each, vmi.spec.nodeSelector));
    return [reason, ...(fits ? [] : ['NodeSchedulingRequirementsNotMet'])].map((message) => ({ message, vmi }));
  });
  const groups = Map.groupBy(found, ({ message }) => message ?? '');
  return [...groups]
    .filter(([message]) => message !== '')
    .map(([message, members]) => ({ message, vms: members.map(({ vmi }) => keyOf(vmi)).sort() }));
}

const isNotMigratable = ({ type, status }: { type: string; status: string }): boolean =>
  type === 'LiveMigratable' && status === 'False';

const isUsable = (node: Node): boolean => !node.spec?.unschedulable && isConditionTrue(node, 'Ready');

const hasLabels = ({ metadata }: Node, wanted: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(wanted).every(([label, value]) => metadata.labels?.[label] === value);
