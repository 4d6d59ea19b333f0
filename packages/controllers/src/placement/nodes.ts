import { conditionOf, type Node } from '@vireo/api';
import { allowsNode, untoleratedTaint } from '@vireo/api/kinds/core/nodeMatch.ts';
import { FREE_STORAGE } from '@vireo/api/kinds/core/volumeNames.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { toBytes } from '@vireo/api/quantity.ts';

/** Who will use a claim: its guest must be able to run where the volume is. */
export interface Consumer {
  /** How messages name it: `VirtualMachine shop/web`. */
  readonly what: string;
  readonly spec: Pick<Vmi['spec'], 'nodeSelector' | 'affinity' | 'tolerations' | 'domain'>;
  /** Nodes that it is tied to: of its guest, and of its other disks. */
  readonly nodes: readonly string[];
  /** The node that its guest is to leave for the claim. */
  readonly leaves?: string | undefined;
}

const KVM = 'devices.kubevirt.io/kvm';
/** What launchers tolerate wherever they are. */
const OF_VIRTUAL_KUBELETS = { key: 'virtual-kubelet.io/provider', operator: 'Exists' } as const;

/** How much a node that keeps volumes has free for them; undefined for any other node. */
export const freeBytesOf = ({ metadata }: Node): number | undefined => {
  const free = Number(metadata.annotations?.[FREE_STORAGE] ?? Number.NaN);
  return Number.isFinite(free) ? free : undefined;
};

export const isReady = (node: Node): boolean => conditionOf(node, 'Ready')?.status === 'True';

/** Whether guests can run on the node with what it has: the cluster emulates them where nobody has KVM. */
const hasKvm = ({ status }: Node): boolean => Number(status?.allocatable?.[KVM] ?? 0) > 0;

/** Whether the selectors of whoever uses the claim allow the node. */
export const isAllowed = (node: Node, consumers: readonly Consumer[]): boolean =>
  consumers.every(({ spec }) => allowsNode(spec, node));

/** Whether the node has as much memory as the guests ask for. What others use of it changes. */
const hasMemory = ({ status }: Node, consumers: readonly Consumer[]): boolean =>
  consumers.every(({ spec }) => {
    const { memory, resources } = spec.domain;
    const wanted = resources?.requests?.memory ?? memory?.guest ?? '0';
    return Number(toBytes(status?.allocatable?.memory ?? '0')) >= Number(toBytes(wanted));
  });

/**
 * What speaks against a node for a claim of that size, from what weighs most to what weighs least. Nothing of it forbids
 * the node: a node that is cordoned today takes VMs tomorrow.
 */
export function drawbacks(node: Node, sizeBytes: number, consumers: readonly Consumer[]): readonly boolean[] {
  const tolerations = [OF_VIRTUAL_KUBELETS, ...consumers.flatMap(({ spec }) => spec.tolerations ?? [])];
  const takesPods = !node.spec?.unschedulable && !untoleratedTaint(node.spec?.taints, tolerations);
  const takesVms = node.metadata.labels?.[SCHEDULABLE_LABEL] === 'true';
  const hasSpace = (freeBytesOf(node) ?? 0) >= sizeBytes;
  return [takesPods, takesVms, hasKvm(node), hasMemory(node, consumers), hasSpace].map((isGood) => !isGood);
}
