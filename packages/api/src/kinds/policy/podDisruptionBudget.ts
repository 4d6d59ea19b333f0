import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, intOrString, list, map, opt, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { Condition } from '../meta/condition.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const PodDisruptionBudgetSpec = struct('io.k8s.api.policy.v1.PodDisruptionBudgetSpec', '', {
  maxUnavailable: opt(3, intOrString),
  minAvailable: opt(1, intOrString),
  selector: opt(2, LabelSelector, { patch: 'replace' }),
  unhealthyPodEvictionPolicy: opt(4, string),
});
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

export const PodDisruptionBudgetStatus = struct('io.k8s.api.policy.v1.PodDisruptionBudgetStatus', '', {
  conditions: opt(7, list(Condition, ['type']), { patch: 'merge', key: 'type' }),
  currentHealthy: opt(4, int32),
  desiredHealthy: opt(5, int32),
  disruptedPods: opt(2, map(time)),
  disruptionsAllowed: opt(3, int32),
  expectedPods: opt(6, int32),
  observedGeneration: opt(1, int64),
});
export interface PodDisruptionBudgetStatus extends Infer<typeof PodDisruptionBudgetStatus> {}

export const PodDisruptionBudgetSchema = struct('io.k8s.api.policy.v1.PodDisruptionBudget', '', {
  ...objectFields,
  spec: opt(2, PodDisruptionBudgetSpec),
  status: opt(3, PodDisruptionBudgetStatus),
});
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
      description: 'How many pods must stay.',
      value: ({ spec }) => spec?.minAvailable ?? 'N/A',
    },
    {
      name: 'Max Unavailable',
      type: 'string',
      description: 'How many pods may be missing.',
      value: ({ spec }) => spec?.maxUnavailable ?? 'N/A',
    },
    {
      name: 'Allowed Disruptions',
      type: 'integer',
      description: 'How many pods may be evicted now.',
      value: ({ status }) => status?.disruptionsAllowed ?? 0,
    },
    ageColumn,
  ],
});
