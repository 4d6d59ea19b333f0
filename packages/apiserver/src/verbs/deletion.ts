import type { UnknownObject } from '@vireo/api';
import type { Resource } from '../registry/resource.ts';
import type { DeleteOptions } from './deleteOptions.ts';
import { timestamp } from './metadata.ts';

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
  const finalizers = finalizersFor(metadata.finalizers ?? [], options);
  const grace = resource.strategy.graceSeconds?.(object, options.gracePeriodSeconds) ?? 0;
  const isHeld = finalizers.length > 0 || resource.strategy.holdsDeletion?.(object) === true;
  if (grace <= 0 && !isHeld) return { action: 'remove' };

  const isMarked = metadata.deletionTimestamp !== undefined;
  const isShorter = isMarked && grace < (metadata.deletionGracePeriodSeconds ?? 0);
  const sameFinalizers = finalizers.join('\n') === (metadata.finalizers ?? []).join('\n');
  if (isMarked && !isShorter && sameFinalizers) return { action: 'nothing' };

  const { finalizers: _, ...kept } = metadata;
  const marked: UnknownObject = {
    ...object,
    metadata: {
      ...kept,
      ...(finalizers.length > 0 && { finalizers }),
      ...((!isMarked || isShorter) && {
        deletionTimestamp: timestamp(new Date(now.getTime() + grace * 1000)),
        deletionGracePeriodSeconds: grace,
      }),
      ...(!isMarked && metadata.generation && { generation: metadata.generation + 1 }),
    },
  };
  if (!isMarked && resource.strategy.beginDelete) {
    for (const part of ['spec', 'status'] as const)
      if (marked[part]) marked[part] = { ...(marked[part] as Record<string, unknown>) };
    resource.strategy.beginDelete(marked);
  }
  return { action: 'mark', object: marked };
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
