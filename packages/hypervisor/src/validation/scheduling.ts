import { type FieldError, field as problemOf } from '@vireo/api';
import type { PodAffinity } from '@vireo/api/kinds/core/affinity.ts';
import { problem, type Rule, type Subject } from './rule.ts';

/** Kubernetes' rules for what the launcher hands on to the scheduler, in Kubernetes' words. */
export const scheduling: Rule = (subject) =>
  [...affinity(subject), ...spread(subject)].map(({ field, text }) => problem(field, `${field}: ${text}`));

function affinity({ spec, path }: Subject): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const preferred = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const field = `${path}.affinity.nodeAffinity`;
  const terms = `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  return [
    ...(required && !required.nodeSelectorTerms?.length
      ? [problemOf.required(terms, 'must have at least one node selector term')]
      : []),
    ...preferred.flatMap(({ weight: value }, index) =>
      weight(value, `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}].weight`),
    ),
    ...others(podAffinity, `${path}.affinity.podAffinity`),
    ...others(podAntiAffinity, `${path}.affinity.podAntiAffinity`),
  ];
}

function others(given: PodAffinity | undefined, path: string): FieldError[] {
  const required = given?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = given?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const field = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...required.flatMap((term, index) =>
      topologyKey(term.topologyKey, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}].topologyKey`),
    ),
    ...preferred.flatMap((term, index) => [
      ...weight(term.weight, `${field}[${index}].weight`),
      ...topologyKey(term.podAffinityTerm?.topologyKey, `${field}[${index}].podAffinityTerm.topologyKey`),
    ]),
  ];
}

const weight = (value: number, field: string): FieldError[] =>
  value >= 1 && value <= 100 ? [] : [problemOf.invalid(field, value, 'must be in the range 1-100')];

const topologyKey = (key: string | undefined, field: string): FieldError[] =>
  key ? [] : [problemOf.required(field, 'can not be empty')];

function spread({ spec, path }: Subject): FieldError[] {
  return (spec.topologySpreadConstraints ?? []).flatMap(({ maxSkew, topologyKey: key, whenUnsatisfiable }, index) => {
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    return [
      ...(maxSkew > 0 ? [] : [problemOf.invalid(`${field}.maxSkew`, maxSkew, 'must be greater than zero')]),
      ...topologyKey(key, `${field}.topologyKey`),
      ...(actions.includes(whenUnsatisfiable)
        ? []
        : [problemOf.notSupported(`${field}.whenUnsatisfiable`, whenUnsatisfiable, actions)]),
    ];
  });
}
