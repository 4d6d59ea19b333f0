import { isFinalMigration, type Migration } from '@vireo/api/kinds/kubevirt/migration.ts';

/** How important those who ask say that a migration is; what nobody knows counts as nothing. */
const PRIORITIES: Readonly<Record<string, number>> = {
  'system-critical': 100,
  'user-triggered': 50,
  'system-maintenance': 20,
};

const priorityOf = ({ spec }: Migration): number => PRIORITIES[spec.priority ?? ''] ?? 0;

/** A migration that has not ended. */
export interface QueuedMigration {
  readonly migration: Migration;
  /** The node that the VMI would leave. */
  readonly node: string;
  /** It has a target pod, or is about to. */
  readonly hasTargetPod: boolean;
}

export interface Limits {
  readonly perCluster: number;
  readonly perNode: number;
}

/** Whether a migration is past waiting, by its own word. */
export const hasBegun = ({ status }: Migration): boolean => !['', 'Pending'].includes(status?.phase ?? '');

/** Whether a migration takes one of the places. */
const isUnderWay = ({ migration, hasTargetPod }: QueuedMigration): boolean =>
  !isFinalMigration(migration) && (hasTargetPod || hasBegun(migration));

/**
 * Who may begin now: the more important first, then who has waited longer. One whose node has no place left does not
 * keep others waiting.
 */
export function admitted(queued: readonly QueuedMigration[], { perCluster, perNode }: Limits): QueuedMigration[] {
  const underWay = queued.filter(isUnderWay);
  const byNode = new Map<string, number>();
  for (const { node } of underWay) byNode.set(node, (byNode.get(node) ?? 0) + 1);
  let free = perCluster - underWay.length;
  const waiting = queued.filter((each) => !isUnderWay(each) && !isFinalMigration(each.migration)).sort(compare);
  return waiting.filter(({ node }) => {
    const leaving = byNode.get(node) ?? 0;
    if (free <= 0 || leaving >= perNode) return false;
    free -= 1;
    byNode.set(node, leaving + 1);
    return true;
  });
}

function compare({ migration: a }: QueuedMigration, { migration: b }: QueuedMigration): number {
  const [older, younger] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return (
    priorityOf(b) - priorityOf(a) ||
    (older < younger ? -1 : older > younger ? 1 : a.metadata.name < b.metadata.name ? -1 : 1)
  );
}
