import {
  type FieldError,
  fieldError,
  type LabelSelector,
  type NodeSelectorRequirement,
  field as problemOf,
} from '@vireo/api';
import type { PodAffinity, PodAffinityTerm } from '@vireo/api/kinds/core/affinity.ts';
import type { NodeSelectorTerm } from '@vireo/api/kinds/core/nodeSelector.ts';
import { validateLabelSelector } from '@vireo/api/labelSelector.ts';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import type { Rule, Subject } from './rule.ts';

/** Kubernetes' rules for what the launcher hands on to the scheduler, in Kubernetes' words. */
export const scheduling: Rule = (subject) =>
  [...affinity(subject), ...spread(subject)].map(({ field, text }) => fieldError(field, `${field}: ${text}`));

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
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, index) => nodeTerm(term, `${terms}[${index}]`)),
    ...preferred.flatMap(({ weight: value, preference }, index) => {
      const at = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      return [...weight(value, `${at}.weight`), ...nodeTerm(preference, `${at}.preference`)];
    }),
    ...others(podAffinity, `${path}.affinity.podAffinity`),
    ...others(podAntiAffinity, `${path}.affinity.podAntiAffinity`),
  ];
}

const nodeTerm = (term: NodeSelectorTerm | undefined, path: string): FieldError[] => [
  ...(term?.matchExpressions ?? []).flatMap((requirement, index) => {
    const field = `${path}.matchExpressions[${index}]`;
    return [...values(requirement, field), ...labelKey(requirement.key, `${field}.key`)];
  }),
  ...(term?.matchFields ?? []).flatMap(({ key = '' }, index) =>
    key === 'metadata.name'
      ? []
      : [problemOf.invalid(`${path}.matchFields[${index}].key`, key, 'not a valid field selector key')],
  ),
];

/** How many values each operator takes. */
function values({ operator = '', values: given = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (given.length > 0) return [];
      return [problemOf.required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (given.length === 0) return [];
      return [problemOf.forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (given.length === 1) return [];
      return [problemOf.required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [problemOf.invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

const labelKey = (key = '', field: string): FieldError[] =>
  qualifiedNameErrors(key).map((why) => problemOf.invalid(field, key, why));

function others(given: PodAffinity | undefined, path: string): FieldError[] {
  const required = given?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = given?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const field = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...required.flatMap((term, index) =>
      podTerm(term, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...preferred.flatMap((term, index) => [
      ...weight(term.weight, `${field}[${index}].weight`),
      ...podTerm(term.podAffinityTerm, `${field}[${index}].podAffinityTerm`),
    ]),
  ];
}

const podTerm = (term: PodAffinityTerm | undefined, path: string): FieldError[] => [
  ...selector(term?.labelSelector, `${path}.labelSelector`),
  ...selector(term?.namespaceSelector, `${path}.namespaceSelector`),
  ...topologyKey(term?.topologyKey, `${path}.topologyKey`),
];

const selector = (given: LabelSelector | undefined, path: string): FieldError[] =>
  validateLabelSelector(
    {
      matchLabels: given?.matchLabels,
      matchExpressions: given?.matchExpressions?.map(({ key = '', operator = '', values: of }) => ({
        key,
        operator,
        values: of,
      })),
    },
    path,
  );

const weight = (value: number, field: string): FieldError[] =>
  value >= 1 && value <= 100 ? [] : [problemOf.invalid(field, value, 'must be in the range 1-100')];

const topologyKey = (key: string | undefined, field: string): FieldError[] =>
  key ? [] : [problemOf.required(field, 'can not be empty')];

function spread({ spec, path }: Subject): FieldError[] {
  return (spec.topologySpreadConstraints ?? []).flatMap((constraint, index) => {
    const { maxSkew, topologyKey: key, whenUnsatisfiable, labelSelector } = constraint;
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    return [
      ...(maxSkew > 0 ? [] : [problemOf.invalid(`${field}.maxSkew`, maxSkew, 'must be greater than zero')]),
      ...topologyKey(key, `${field}.topologyKey`),
      ...(actions.includes(whenUnsatisfiable)
        ? []
        : [problemOf.notSupported(`${field}.whenUnsatisfiable`, whenUnsatisfiable, actions)]),
      ...selector(labelSelector, `${field}.labelSelector`),
    ];
  });
}
