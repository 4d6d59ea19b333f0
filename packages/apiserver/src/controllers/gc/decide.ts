import type { OwnerReference } from '@vireo/api';
import { awaits, FOREGROUND, type GraphNode, ORPHAN, ownersOf } from './graph.ts';

/** What became of one owner. */
export type OwnerState =
  /** There, and it stays. */
  | 'solid'
  /** Not there (any more). */
  | 'absent'
  /** There, in a foreground deletion: it goes when its dependents have gone. */
  | 'waiting';

export type Decision =
  | { readonly action: 'nothing' }
  /** Removes references to owners that are gone or going; others still hold the object. */
  | { readonly action: 'dropOwners'; readonly owners: readonly OwnerReference[] }
  | { readonly action: 'delete'; readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' }
  /** Two objects that wait for each other: this one stops blocking, then goes. */
  | { readonly action: 'unblockAndDelete' };

/** What happens to an object, given what became of each of its owners. */
export function decideDependent(node: GraphNode, states: ReadonlyMap<OwnerReference, OwnerState>): Decision {
  const owners = ownersOf(node);
  if (owners.length === 0 || node.object?.metadata.deletionTimestamp) return { action: 'nothing' };
  const lost = owners.filter((owner) => states.get(owner) !== 'solid');
  if (lost.length === 0) return { action: 'nothing' };
  if (lost.length < owners.length) return { action: 'dropOwners', owners: lost };
  if (owners.some((owner) => states.get(owner) === 'waiting') && node.dependents.size > 0) {
    const isCircle = [...node.dependents].some((dependent) => awaits(dependent, FOREGROUND));
    return isCircle ? { action: 'unblockAndDelete' } : { action: 'delete', propagationPolicy: 'Foreground' };
  }
  return { action: 'delete', propagationPolicy: policyOf(node) };
}

/** Finalizers say how the object's creator wanted it to go. */
function policyOf({ object }: GraphNode): 'Orphan' | 'Background' | 'Foreground' {
  const finalizers = object?.metadata.finalizers ?? [];
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}
