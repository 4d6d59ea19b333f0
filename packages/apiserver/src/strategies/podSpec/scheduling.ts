import {
  type Affinity,
  type FieldError,
  field,
  type NodeSelector,
  type NodeSelectorTerm,
  type PodAffinityTerm,
  type PodSpec,
  type Toleration,
  type TopologySpreadConstraint,
} from '@vireo/api';
import { dnsSubdomain, labelValueErrors, qualifiedNameErrors } from '@vireo/api/names.ts';
import { duplicates, each, greaterThanZero, inRange, invalidFor, oneOf, requiredText } from '../fields.ts';
import { validateLabelSelector, validateLabels, validateNodeRequirement } from '../selectors.ts';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Everything in a pod's spec that says where it may run. */
export const validateScheduling = (spec: PodSpec, path: string): FieldError[] => [
  ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
  ...validateAffinity(spec.affinity, `${path}.affinity`),
  ...validateTolerations(spec.tolerations, `${path}.tolerations`),
  ...validateSpread(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`),
  ...each(spec.schedulingGates, `${path}.schedulingGates`, (gate, at) =>
    requiredText(at, gate.name, qualifiedNameErrors),
  ),
  ...duplicates(
    spec.schedulingGates,
    (gate) => gate.name,
    (index) => `${path}.schedulingGates[${index}]`,
  ),
];

const validateTolerations = (tolerations: readonly Toleration[] | undefined, path: string): FieldError[] =>
  each(tolerations, path, (toleration, at) => {
    const { key = '', operator = '', value = '', effect, tolerationSeconds } = toleration;
    return [
      ...(key ? invalidFor(`${at}.key`, key, qualifiedNameErrors(key)) : []),
      ...(!key && operator !== 'Exists'
        ? [
            field.invalid(
              `${at}.operator`,
              operator,
              'operator must be Exists when `key` is empty, which means "match all values and all keys"',
            ),
          ]
        : []),
      ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
        ? [field.invalid(`${at}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set")]
        : []),
      ...(operator === '' || operator === 'Equal' ? invalidFor(`${at}.operator`, value, labelValueErrors(value)) : []),
      ...(operator === 'Exists' && value !== ''
        ? [field.invalid(`${at}.operator`, toleration, "value must be empty when `operator` is 'Exists'")]
        : []),
      ...oneOf(`${at}.operator`, operator, ['Equal', 'Exists']),
      ...oneOf(`${at}.effect`, effect, TAINT_EFFECTS),
    ];
  });

function validateAffinity(affinity: Affinity | undefined, path: string): FieldError[] {
  if (!affinity) return [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const hard = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return [
    ...(hard ? validateNodeSelector(hard, `${path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`) : []),
    ...each(
      nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
      `${path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution`,
      (term, at) => [
        ...validateWeight(term.weight, `${at}.weight`),
        ...validateNodeTerm(term.preference, `${at}.preference`),
      ],
    ),
    ...validatePodAffinity(podAffinity, `${path}.podAffinity`),
    ...validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`),
  ];
}

/** A choice of nodes: at least one term, each of valid requirements. */
export function validateNodeSelector(selector: NodeSelector, path: string): FieldError[] {
  if ((selector.nodeSelectorTerms ?? []).length === 0) {
    return [field.required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term')];
  }
  return each(selector.nodeSelectorTerms, `${path}.nodeSelectorTerms`, validateNodeTerm);
}

const validateNodeTerm = (term: NodeSelectorTerm | undefined, path: string): FieldError[] => [
  ...each(term?.matchExpressions, `${path}.matchExpressions`, validateNodeRequirement),
  ...each(term?.matchFields, `${path}.matchFields`, (requirement, at) => {
    if (requirement.key !== 'metadata.name') {
      return [field.invalid(`${at}.key`, requirement.key ?? '', 'not a valid field selector key')];
    }
    if (requirement.operator !== 'In' && requirement.operator !== 'NotIn') {
      return [field.invalid(`${at}.operator`, requirement.operator ?? '', 'not a valid selector operator')];
    }
    return (requirement.values ?? []).length === 1
      ? each(requirement.values, `${at}.values`, (value, valueAt) => invalidFor(valueAt, value, dnsSubdomain(value)))
      : [
          field.required(
            `${at}.values`,
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
          ),
        ];
  }),
];

const validatePodAffinity = (affinity: Affinity['podAffinity'], path: string): FieldError[] => [
  ...each(
    affinity?.requiredDuringSchedulingIgnoredDuringExecution,
    `${path}.requiredDuringSchedulingIgnoredDuringExecution`,
    validatePodAffinityTerm,
  ),
  ...each(
    affinity?.preferredDuringSchedulingIgnoredDuringExecution,
    `${path}.preferredDuringSchedulingIgnoredDuringExecution`,
    (term, at) => [
      ...validateWeight(term.weight, `${at}.weight`),
      ...(term.podAffinityTerm
        ? validatePodAffinityTerm(term.podAffinityTerm, `${at}.podAffinityTerm`)
        : [field.required(`${at}.podAffinityTerm`)]),
    ],
  ),
];

const validatePodAffinityTerm = (term: PodAffinityTerm, path: string): FieldError[] => [
  ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
  ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
  ...(term.topologyKey
    ? invalidFor(`${path}.topologyKey`, term.topologyKey, qualifiedNameErrors(term.topologyKey))
    : [field.required(`${path}.topologyKey`, 'can not be empty')]),
];

const validateWeight = (weight: number | undefined, path: string): FieldError[] =>
  inRange(path, weight ?? 0, 1, 100).map(() => field.invalid(path, weight ?? 0, 'must be in the range 1-100'));

const validateSpread = (constraints: readonly TopologySpreadConstraint[] | undefined, path: string): FieldError[] => [
  ...each(constraints, path, (constraint, at) => [
    ...greaterThanZero(`${at}.maxSkew`, constraint.maxSkew ?? 0),
    ...(constraint.topologyKey
      ? invalidFor(`${at}.topologyKey`, constraint.topologyKey, qualifiedNameErrors(constraint.topologyKey))
      : [field.required(`${at}.topologyKey`, 'can not be empty')]),
    ...oneOf(`${at}.whenUnsatisfiable`, constraint.whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway'], 'required'),
    ...greaterThanZero(`${at}.minDomains`, constraint.minDomains),
    ...(constraint.minDomains !== undefined && constraint.whenUnsatisfiable === 'ScheduleAnyway'
      ? [
          field.invalid(
            `${at}.minDomains`,
            constraint.minDomains,
            'can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
          ),
        ]
      : []),
    ...oneOf(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ['Honor', 'Ignore']),
    ...oneOf(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ['Honor', 'Ignore']),
    ...validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`),
  ]),
  ...duplicates(
    constraints,
    ({ topologyKey, whenUnsatisfiable }) =>
      topologyKey && whenUnsatisfiable ? `{${topologyKey}, ${whenUnsatisfiable}}` : undefined,
    (index) => `${path}[${index}].{topologyKey, whenUnsatisfiable}`,
  ),
];
