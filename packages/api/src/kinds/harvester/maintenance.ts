/** Predicates of nodes that are maintained, and of what their VMs do meanwhile. */

import { isConditionTrue } from '../../conditions.ts';
import type { Node } from '../core/node.ts';
import { allowsNode, untoleratedTaint } from '../core/nodeMatch.ts';
import { isMigratable } from '../kubevirt/eviction.ts';
import { SCHEDULABLE_LABEL } from '../kubevirt/names.ts';
import type { VirtualMachine } from '../kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '../kubevirt/virtualMachineInstance.ts';
import { isRunning } from '../kubevirt/vmi.ts';
import { DRAIN_REQUESTED, DRAIN_TAINT, MAINTAIN_STATUS, MAINTAIN_STRATEGY, SHUTDOWN_STRATEGIES } from './names.ts';

/** Whether the node is maintained, or somebody has asked for it. */
export const isInMaintenance = ({ metadata: { annotations = {} } }: Node): boolean =>
  Boolean(annotations[MAINTAIN_STATUS] || annotations[DRAIN_REQUESTED]);

/** Whether maintenance of the node has begun, so that VMs leave it. Until it is closed, the request may be refused. */
export const isLeftForMaintenance = (node: Node): boolean =>
  isInMaintenance(node) && (node.spec?.taints ?? []).some(({ key }) => key === DRAIN_TAINT);

/** What its VM says becomes of it when its node is maintained. */
export const maintenanceStrategyOf = ({ metadata }: VirtualMachine): string =>
  metadata.labels?.[MAINTAIN_STRATEGY] ?? '';

/** Whether the VM says itself that it may be shut down for maintenance. */
export const isShutDownForMaintenance = (vm: VirtualMachine): boolean =>
  SHUTDOWN_STRATEGIES.includes(maintenanceStrategyOf(vm));

/** What launchers tolerate wherever they are. */
const OF_VIRTUAL_KUBELETS = { key: 'virtual-kubelet.io/provider', operator: 'Exists' } as const;

/** Whether a node takes new VMs, and this one too, as far as its selectors and the node's taints tell. */
export const takesVmi = (node: Node, { spec }: Pick<VirtualMachineInstance, 'spec'>): boolean =>
  !node.spec?.unschedulable &&
  !isInMaintenance(node) &&
  isConditionTrue(node, 'Ready') &&
  node.metadata.labels?.[SCHEDULABLE_LABEL] === 'true' &&
  allowsNode(spec, node) &&
  untoleratedTaint(node.spec?.taints, [OF_VIRTUAL_KUBELETS, ...(spec.tolerations ?? [])]) === undefined;

/** What becomes of a VMI when its node is maintained. */
export type MaintenanceFate =
  /** Its VM says that it may be shut down. */
  | 'shutDown'
  /** It migrates to another node. */
  | 'moves'
  /** Its guest does not run yet, so that nobody knows whether it can move. */
  | 'starts'
  /** It can neither move nor may it be shut down: only force ends it. */
  | 'stays';

/** `others`: the nodes that it could move to; without them, it is taken for granted that one takes it some time. */
export function maintenanceFate(
  vmi: VirtualMachineInstance,
  vm: VirtualMachine | undefined,
  others?: readonly Node[],
): MaintenanceFate {
  if (vm && isShutDownForMaintenance(vm)) return 'shutDown';
  if (!isRunning(vmi)) return 'starts';
  const hasPlace = others === undefined || others.some((node) => takesVmi(node, vmi));
  return isMigratable(vmi) && hasPlace ? 'moves' : 'stays';
}
