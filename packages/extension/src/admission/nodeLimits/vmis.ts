import { MIGRATION_PROGRESS_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import { NODE_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { forbiddenChange } from './change.ts';
import type { NodeWrite } from './write.ts';

/** Why a node may not write a VMI in this way: it reports the state of guests that are its own, or that come to it. */
export function vmiProblem({
  node,
  operation,
  object,
  oldObject,
}: NodeWrite<VirtualMachineInstance>): string | undefined {
  if (operation !== 'UPDATE' || !oldObject) return 'only the state of a VMI is written by nodes';
  const { nodeName, migrationState } = oldObject.status ?? {};
  // A migration that has ended leaves its target there, also where it failed.
  const target = migrationState?.endTimestamp ? undefined : migrationState?.targetNode;
  if (nodeName !== node && target !== node)
    return nodeName ? `it runs on node "${nodeName}"` : 'it was not handed over to a node';
  const annotations = [MIGRATION_PROGRESS_ANNOTATION];
  const now = withFormerNodeLabel(object, oldObject, target);
  const change = forbiddenChange(now, oldObject, { status: 'all', annotations });
  if (change) return `nodes do not change ${change}`;
  const { status } = object;
  // Whoever chooses where a guest runs, it is not its node. A migration that ends moves it to where it was going.
  if (status?.nodeName !== nodeName && (!target || status?.nodeName !== target))
    return 'nodes do not change status.nodeName';
  const pods = JSON.stringify(Object.entries(status?.activePods ?? {}).sort());
  if (pods !== JSON.stringify(Object.entries(oldObject.status?.activePods ?? {}).sort()))
    return 'nodes do not change status.activePods';
  const changed = FIXED.find((name) => status?.migrationState?.[name] !== migrationState?.[name]);
  return changed && `nodes do not change status.migrationState.${changed}`;
}

/** What was decided before a migration was handed over to its nodes. */
const FIXED = ['migrationUid', 'sourceNode', 'targetNode', 'sourcePod', 'targetPod'] as const;

/** The label follows the guest: it may say the node that a migration brings the guest to. */
function withFormerNodeLabel(
  object: VirtualMachineInstance,
  { metadata }: VirtualMachineInstance,
  target: string | undefined,
): VirtualMachineInstance {
  const { [NODE_NAME_LABEL]: node, ...labels } = object.metadata.labels ?? {};
  if (!target || node !== target || object.status?.nodeName !== target) return object;
  const before = metadata.labels?.[NODE_NAME_LABEL];
  const former = { ...labels, ...(before !== undefined && { [NODE_NAME_LABEL]: before }) };
  const hadLabels = metadata.labels !== undefined || Object.keys(former).length > 0;
  return { ...object, metadata: { ...object.metadata, labels: hadLabels ? former : undefined } };
}
