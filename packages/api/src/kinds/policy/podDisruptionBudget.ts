import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, intOrString, list, map, opt, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { Condition } from '../meta/condition.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const PodDisruptionBudgetSpec = struct(
  'io.k8s.api.policy.v1.PodDisruptionBudgetSpec',
  'Selector of the pods, and how many must stay available.',
  {
    maxUnavailable: opt(3, intOrString, 'Number or percentage of selected pods that may be unavailable.'),
    minAvailable: opt(1, intOrString, 'Number or percentage of selected pods that must stay available.'),
    selector: opt(2, LabelSelector, { patch: 'replace', doc: 'Selects the pods by their labels.' }),
    unhealthyPodEvictionPolicy: opt(4, string, {
      pointer: true,
      doc: 'Whether pods that are not ready may always go: IfHealthyBudget or AlwaysAllow.',
    }),
  },
);
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

export const PodDisruptionBudgetStatus = struct(
  'io.k8s.api.policy.v1.PodDisruptionBudgetStatus',
  'Number of pods that may be disrupted now.',
  {
    conditions: opt(7, list(Condition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
    currentHealthy: opt(4, int32, 'Number of pods that are ready.'),
    desiredHealthy: opt(5, int32, 'Pods that must be ready.'),
    disruptedPods: opt(2, map(time), 'Pods whose eviction was granted, and when.'),
    disruptionsAllowed: opt(3, int32, 'Number of pods that may be evicted now.'),
    expectedPods: opt(6, int32, 'Number of pods that the budget counts.'),
    observedGeneration: opt(1, int64, 'The generation that this was observed at.'),
  },
);
export interface PodDisruptionBudgetStatus extends Infer<typeof PodDisruptionBudgetStatus> {}

export const PodDisruptionBudgetSchema = struct(
  'io.k8s.api.policy.v1.PodDisruptionBudget',
  'Limits how many pods may be disrupted voluntarily.',
  {
    ...objectFields,
    spec: opt(2, PodDisruptionBudgetSpec, 'Desired state of the PodDisruptionBudget.'),
    status: opt(3, PodDisruptionBudgetStatus, 'Observed state of the PodDisruptionBudget. The system writes it.'),
  },
);
export interface PodDisruptionBudget extends Infer<typeof PodDisruptionBudgetSchema> {}

export const PodDisruptionBudget = defineKind<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
  shortNames: ['pdb'],
  schema: PodDisruptionBudgetSchema,
  columns: [
    {
      name: 'Min Available',
      type: 'string',
      description: 'Number of pods that must stay available.',
      value: ({ spec }) => spec?.minAvailable ?? 'N/A',
    },
    {
      name: 'Max Unavailable',
      type: 'string',
      description: 'Number of pods that may be unavailable.',
      value: ({ spec }) => spec?.maxUnavailable ?? 'N/A',
    },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      description: 'Number of pods that may be evicted now.',
      value: ({ status }) => status?.disruptionsAllowed ?? 0,
    },
    ageColumn,
  ],
});
