import { type Namespace, type NamespaceCondition, transitionTime } from '@vireo/api';
import type { RemainingContent } from './content.ts';

type Outcome = Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>;

const isFalse = (type: string, reason: string, message: string): Outcome => ({
  type,
  status: 'False',
  reason,
  message,
});
const isTrue = (type: string, reason: string, message: string): Outcome => ({ type, status: 'True', reason, message });

/** What a terminating namespace says of its end, in Kubernetes' words. */
export function terminationConditions(
  { status }: Namespace,
  content: readonly RemainingContent[],
  now: Date,
): NamespaceCondition[] {
  const known = new Map((status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const outcomes = [
    isFalse('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    isFalse(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    failure(content),
    contentRemaining(content),
    finalizersRemaining(content),
  ];
  const conditions = outcomes.map((outcome): NamespaceCondition => {
    return { ...outcome, lastTransitionTime: transitionTime(known.get(outcome.type), outcome.status, now) };
  });
  const ours = new Set(outcomes.map(({ type }) => type));
  return [...[...known.values()].filter(({ type }) => !ours.has(type)), ...conditions];
}

function failure(content: readonly RemainingContent[]): Outcome {
  const type = 'NamespaceDeletionContentFailure';
  const failed = content.flatMap(({ error }) => error ?? []);
  return failed.length > 0
    ? isTrue(
        type,
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${failed.length} remaining: ${failed.join(', ')}`,
      )
    : isFalse(type, 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization');
}

function contentRemaining(content: readonly RemainingContent[]): Outcome {
  const type = 'NamespaceContentRemaining';
  const texts = content
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${kind.plural}.${kind.group} has ${count} resource instances`)
    .sort();
  return texts.length > 0
    ? isTrue(type, 'SomeResourcesRemain', `Some resources are remaining: ${texts.join(', ')}`)
    : isFalse(type, 'ContentRemoved', 'All content successfully removed');
}

function finalizersRemaining(content: readonly RemainingContent[]): Outcome {
  const type = 'NamespaceFinalizersRemaining';
  const counts = new Map<string, number>();
  for (const { finalizers } of content)
    for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count);
  const texts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  return texts.length > 0
    ? isTrue(
        type,
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${texts.join(', ')}`,
      )
    : isFalse(type, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished');
}

/** Whether nothing is left, so that the namespace itself may go. */
export const isEmpty = (content: readonly RemainingContent[]): boolean =>
  content.every(({ count, error }) => count === 0 && error === undefined);
