import type { Autoscaler } from '../../data/setKinds.ts';
import type { Permission } from '../actions.ts';
import type { SetKind, SetRow } from './set.ts';

/** The autoscaler that owns the number of a set. */
export interface Owner {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Why it cannot work, if so. */
  readonly problem: string | undefined;
}

/** The autoscaler whose target is this set. */
export function ownerOf(kind: SetKind, name: string, autoscalers: readonly Autoscaler[]): Owner | undefined {
  const found = autoscalers.find(
    ({ spec }) => spec.scaleTargetRef?.kind === kind.kind && spec.scaleTargetRef.name === name,
  );
  if (!found) return undefined;
  const { minReplicas = 1, maxReplicas = minReplicas } = found.spec;
  const failing = found.status?.conditions?.find(
    ({ type, status }) => (type === 'AbleToScale' || type === 'ScalingActive') && status === 'False',
  );
  return {
    name: found.metadata.name,
    min: minReplicas,
    max: maxReplicas,
    problem: failing?.message ?? failing?.reason,
  };
}

/** Why the number cannot be set by hand. */
export function scaleObstacle({ isDeleting }: SetRow, owner: Owner | undefined): string | undefined {
  if (isDeleting) return 'It is being deleted.';
  if (!owner) return undefined;
  return `The HorizontalPodAutoscaler ${owner.name} sets the number, between ${owner.min} and ${owner.max}: change it there.`;
}

export const scalePermission = ({ group, resource }: SetKind): Permission => ({
  verb: 'update',
  group,
  resource,
  subresource: 'scale',
});

/** A number of replicas that somebody typed; undefined if it is none. */
export const parseReplicas = (text: string): number | undefined =>
  /^\d{1,6}$/.test(text.trim()) ? Number(text) : undefined;

/** What the set is doing about its number. */
export function progressText({ desired, current, ready, isPaused }: SetRow, going: number): string {
  const parts = [`${ready} of ${desired} ready`];
  const starting = Math.max(0, Math.min(current, desired) - ready);
  if (starting > 0) parts.push(`${starting} starting`);
  if (current < desired) parts.push(`${desired - current} to create${isPaused ? ' when the set is resumed' : ''}`);
  if (current > desired) parts.push(`${current - desired} too many${isPaused ? ' until the set is resumed' : ''}`);
  if (going > 0) parts.push(`${going} shutting down`);
  return parts.join(', ');
}
