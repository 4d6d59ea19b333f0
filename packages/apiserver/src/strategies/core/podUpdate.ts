import { type FieldError, field, type Pod, type PodSpec, type Toleration } from '@vireo/api';
import { differences, sameValue } from '../immutable.ts';

const ALLOWED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What may change in a pod that is there: little, for its containers run already. */
export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const spec = pod.spec ?? { containers: [] };
  const oldSpec = old.spec ?? { containers: [] };
  const countErrors = validateCounts(spec, oldSpec);
  if (countErrors.length > 0) return countErrors;
  const errors = [
    ...validateDeadline(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds),
    ...validateAddedTolerations(spec.tolerations, oldSpec.tolerations),
    ...validateGates(spec, oldSpec),
  ];
  if (errors.length > 0) return errors;
  const expected = allowedResult(spec, oldSpec);
  return sameValue(spec, expected)
    ? []
    : [field.forbidden('spec', `${ALLOWED}\n${differences('spec', spec, expected).join('\n')}`)];
}

/** What `/ephemeralcontainers` may do: add containers, never change or remove one. */
export function validateEphemeralContainers(pod: Pod, old: Pod): FieldError[] {
  const now = pod.spec?.ephemeralContainers ?? [];
  const before = old.spec?.ephemeralContainers ?? [];
  const removed = before.filter(({ name }) => !now.some((container) => container.name === name));
  const changed = before.filter((container) => {
    const match = now.find(({ name }) => name === container.name);
    return match !== undefined && !sameValue(match, container);
  });
  return [
    ...removed.map(({ name }) =>
      field.forbidden('spec.ephemeralContainers', `existing ephemeral containers "${name ?? ''}" may not be removed\n`),
    ),
    ...changed.map(({ name }) =>
      field.forbidden('spec.ephemeralContainers', `existing ephemeral containers "${name ?? ''}" may not be changed\n`),
    ),
  ];
}

const validateCounts = (spec: PodSpec, old: PodSpec): FieldError[] =>
  (['containers', 'initContainers'] as const)
    .filter((list) => (spec[list] ?? []).length !== (old[list] ?? []).length)
    .map((list) => field.forbidden(`spec.${list}`, 'pod updates may not add or remove containers'));

function validateDeadline(seconds: number | undefined, old: number | undefined): FieldError[] {
  const path = 'spec.activeDeadlineSeconds';
  if (old === undefined) return [];
  if (seconds === undefined) {
    return [field.invalid(path, null, 'must not update from a positive integer to nil value')];
  }
  return seconds > old ? [field.invalid(path, seconds, 'must be less than or equal to previous value')] : [];
}

function validateAddedTolerations(now: readonly Toleration[] = [], before: readonly Toleration[] = []): FieldError[] {
  const withoutSeconds = ({ tolerationSeconds: _, ...rest }: Toleration) => rest;
  const kept = before.every((old) =>
    now.some((toleration) => sameValue(withoutSeconds(toleration), withoutSeconds(old))),
  );
  return kept
    ? []
    : [field.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function validateGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const added = (spec.schedulingGates ?? []).find(({ name }) => !known.has(name));
  if (added) {
    return [
      field.forbidden(
        'spec.schedulingGates',
        `only deletion is allowed, but found new scheduling gate '${added.name ?? ''}'`,
      ),
    ];
  }
  const narrowed = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => spec.nodeSelector?.[key] === value);
  return known.size > 0 && !narrowed
    ? [
        field.invalid(
          'spec.nodeSelector',
          spec.nodeSelector ?? {},
          'only additions to nodeSelector are allowed (no mutations or deletions)',
        ),
      ]
    : [];
}

/** The old spec with every permitted change of the new one: what the new spec must then equal. */
function allowedResult(spec: PodSpec, old: PodSpec): PodSpec {
  const images = <T extends { image?: string }>(now: readonly T[] = [], before: readonly T[] = []): T[] =>
    before.map((container, index) => ({ ...container, image: now[index]?.image }));
  const gated = (old.schedulingGates ?? []).length > 0;
  return {
    ...old,
    containers: images(spec.containers, old.containers),
    initContainers: images(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: spec.activeDeadlineSeconds,
    tolerations: spec.tolerations,
    schedulingGates: spec.schedulingGates,
    ...(gated && { nodeSelector: spec.nodeSelector }),
    ...((old.terminationGracePeriodSeconds ?? 0) < 0 &&
      spec.terminationGracePeriodSeconds === 1 && { terminationGracePeriodSeconds: 1 }),
  };
}
