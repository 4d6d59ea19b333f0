import type { Node } from '@vireo/api';
import { isLeftForMaintenance } from '@vireo/api/kinds/harvester/maintenance.ts';
import { DEFAULT_DRAIN_TAINT_KEY, isMigratable } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { ClusterConfig } from '@vireo/hypervisor';

/** What an evacuation depends on. */
export interface EvacuationState {
  readonly vmi: Vmi;
  /** The node that it runs on. */
  readonly node: Node | undefined;
  /** What the VMI, else the cluster, says of evictions. */
  readonly strategy: string;
  /** The taint of nodes that VMIs are to leave. */
  readonly drainTaintKey: string;
  /** Whether the VM is shut down in place of moved when its node is maintained. */
  readonly isShutDownForMaintenance: boolean;
  /** Whether a migration of it has not ended. */
  readonly isMigrating: boolean;
}

/** What an evacuation takes now. */
export interface EvacuationDecision {
  /** Whether somebody has asked for the guest to leave; its condition and its launcher tell. */
  readonly isRequested: boolean;
  /** The node from which a new migration is to take it. */
  readonly migrateFrom?: string;
}

/** Decides about a VMI that is to stay, and whose node may have to be emptied. */
export function decideEvacuation(state: EvacuationState): EvacuationDecision {
  const { vmi, isMigrating } = state;
  const { nodeName = '', evacuationNodeName = '', activePods = {} } = vmi.status ?? {};
  const isRequested = evacuationNodeName !== '';
  const isMovable = isRunning(vmi) && isMigratable(vmi) && !isMigrating && Object.keys(activePods).length < 2;
  return { isRequested, ...(isMovable && isToLeave(state) && { migrateFrom: nodeName }) };
}

/** Whether the guest is to be moved, from where it is now. Whoever has an `External` strategy moves it himself. */
function isToLeave({ vmi, node, strategy, drainTaintKey, isShutDownForMaintenance }: EvacuationState): boolean {
  const { nodeName, evacuationNodeName } = vmi.status ?? {};
  if (!nodeName || strategy === 'External') return false;
  // Maintenance is asked for by an administrator: it moves all that can move, and shuts down what says so.
  if (node && isLeftForMaintenance(node)) return !isShutDownForMaintenance;
  const isMoved = strategy === 'LiveMigrate' || strategy === 'LiveMigrateIfPossible';
  return isMoved && (evacuationNodeName === nodeName || hasDrainTaint(node, drainTaintKey));
}

/** What the settings of the cluster say of nodes that are to be emptied. */
export const drainSettings = ({ configuration, evictionStrategy }: ClusterConfig) => ({
  drainTaintKey: configuration.migrations?.nodeDrainTaintKey ?? DEFAULT_DRAIN_TAINT_KEY,
  evictionStrategy,
});

/** Whether a node is to be emptied by its taint. */
export const hasDrainTaint = (node: Node | undefined, drainTaintKey: string): boolean =>
  (node?.spec?.taints ?? []).some(({ key, effect }) => key === drainTaintKey && effect === 'NoSchedule');
