import { timestamp, type UnknownObject } from '@vireo/api';
import type { Resource } from '../registry/resource.ts';
import type { DeleteOptions } from './deleteOptions.ts';

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

export type DeletionDecision =
  | { readonly action: 'remove' }
  | { readonly action: 'nothing' }
  | { readonly action: 'mark'; readonly object: UnknownObject };

/** What a delete request does to an object: remove it now, mark it, or nothing new. */
export function decideDeletion(
  resource: Resource,
  object: UnknownObject,
  options: DeleteOptions,
  now: Date,
): DeletionDecision {
  const { metadata } = object;
  const { plainDeletion } = resource.strategy;
  const { deletionTimestamp } = metadata;
  const finalizers = finalizersFor(metadata.finalizers ?? [], options);
  const grace = graceFor(resource, object, options.gracePeriodSeconds);
  const isHeld = finalizers.length > 0 || resource.strategy.holdsDeletion?.(object) === true;
  if (grace <= 0 && !isHeld) return { action: 'remove' };

  const granted = metadata.deletionGracePeriodSeconds ?? 0;
  const isMarked = deletionTimestamp !== undefined;
  const isShorter = isMarked && grace < granted;
  const sameFinalizers = finalizers.join('\n') === (metadata.finalizers ?? []).join('\n');
  // The second request says what the first did not, and then no other.
  const isSecond =
    isMarked && plainDeletion && finalizers.length > 0 && metadata.deletionGracePeriodSeconds === undefined;
  if (isMarked && !isShorter && !isSecond && sameFinalizers) return { action: 'nothing' };

  // A shorter grace period counts from the first request, too.
  const since = isMarked ? Date.parse(deletionTimestamp) - granted * 1000 : now.getTime();
  const { finalizers: _, ...kept } = metadata;
  const marked: UnknownObject = {
    ...object,
    metadata: {
      ...kept,
      ...(finalizers.length > 0 && { finalizers }),
      ...((!isMarked || isShorter) && {
        deletionTimestamp: timestamp(new Date(since + grace * 1000)),
        ...(!plainDeletion && { deletionGracePeriodSeconds: grace }),
      }),
      ...(isSecond && { deletionGracePeriodSeconds: 0 }),
      ...(!isMarked && !plainDeletion && metadata.generation && { generation: metadata.generation + 1 }),
    },
  };
  if (!isMarked && resource.strategy.beginDelete) {
    for (const part of ['spec', 'status'] as const)
      if (marked[part]) marked[part] = { ...(marked[part] as Record<string, unknown>) };
    resource.strategy.beginDelete(marked);
  }
  return { action: 'mark', object: marked };
}

/** Once granted, a grace period can only become shorter, and only when asked for. */
function graceFor(resource: Resource, object: UnknownObject, requested: number | undefined): number {
  const { deletionTimestamp, deletionGracePeriodSeconds: granted = 0 } = object.metadata;
  if (deletionTimestamp === undefined) return resource.strategy.graceSeconds?.(object, requested) ?? 0;
  return Math.min(granted, requested ?? granted);
}

/** Orphaning and foreground deletion are finalizers that the garbage collector works off. */
function finalizersFor(existing: readonly string[], options: DeleteOptions): string[] {
  const policy = policyOf(options);
  if (policy === undefined) return [...existing];
  const others = existing.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (policy === 'Orphan') return [...others, ORPHAN];
  if (policy === 'Foreground') return [...others, FOREGROUND];
  return others;
}

function policyOf({ propagationPolicy, orphanDependents }: DeleteOptions): DeleteOptions['propagationPolicy'] {
  if (propagationPolicy !== undefined) return propagationPolicy;
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}
