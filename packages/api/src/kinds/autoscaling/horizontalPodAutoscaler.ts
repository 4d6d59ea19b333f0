import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { applyAutoscalerDefaults, formatTargets } from './autoscalerRules.ts';
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from './metrics.ts';

export const HPAScalingPolicy = struct('io.k8s.api.autoscaling.v2.HPAScalingPolicy', '', {
  periodSeconds: req(3, int32),
  type: req(1, string),
  value: req(2, int32),
});
export interface HPAScalingPolicy extends Infer<typeof HPAScalingPolicy> {}

export const HPAScalingRules = struct('io.k8s.api.autoscaling.v2.HPAScalingRules', '', {
  policies: opt(2, list(HPAScalingPolicy, 'atomic')),
  selectPolicy: opt(1, string),
  stabilizationWindowSeconds: opt(3, int32),
  tolerance: opt(4, quantity),
});
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

export const HorizontalPodAutoscalerBehavior = struct('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior', '', {
  scaleDown: opt(2, HPAScalingRules),
  scaleUp: opt(1, HPAScalingRules),
});
export interface HorizontalPodAutoscalerBehavior extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

export const HorizontalPodAutoscalerSpec = struct('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec', '', {
  behavior: opt(5, HorizontalPodAutoscalerBehavior),
  maxReplicas: req(3, int32),
  metrics: opt(4, list(MetricSpec, 'atomic')),
  minReplicas: opt(2, int32, { default: 1 }),
  scaleTargetRef: req(1, CrossVersionObjectReference),
});
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

export const HorizontalPodAutoscalerCondition = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition',
  '',
  {
    lastTransitionTime: opt(3, time),
    message: opt(5, string),
    reason: opt(4, string),
    status: req(2, string),
    type: req(1, string),
  },
);
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

export const HorizontalPodAutoscalerStatus = struct('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus', '', {
  conditions: opt(6, list(HorizontalPodAutoscalerCondition, ['type']), { patch: 'merge', key: 'type' }),
  currentMetrics: opt(5, list(MetricStatus, 'atomic')),
  currentReplicas: opt(3, int32),
  desiredReplicas: req(4, int32),
  lastScaleTime: opt(2, time),
  observedGeneration: opt(1, int64),
});
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

export const HorizontalPodAutoscalerSchema = struct('io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler', '', {
  ...objectFields,
  spec: req(2, HorizontalPodAutoscalerSpec),
  status: opt(3, HorizontalPodAutoscalerStatus),
});
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscalerSchema> {}

export const HorizontalPodAutoscaler = defineKind<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
  shortNames: ['hpa'],
  categories: ['all'],
  schema: HorizontalPodAutoscalerSchema,
  generation: false,
  columns: [
    {
      name: 'Reference',
      type: 'string',
      description: 'What is scaled.',
      value: ({ spec }) => `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`,
    },
    { name: 'Targets', type: 'string', description: 'The measured load, and the wanted one.', value: formatTargets },
    {
      name: 'MinPods',
      type: 'string',
      description: 'Fewest pods.',
      value: ({ spec }) => spec?.minReplicas ?? '<unset>',
    },
    { name: 'MaxPods', type: 'string', description: 'Most pods.', value: ({ spec }) => spec?.maxReplicas },
    {
      name: 'Replicas',
      type: 'string',
      description: 'How many pods there are.',
      value: ({ status }) => status?.currentReplicas ?? 0,
    },
    ageColumn,
  ],
  applyDefaults: ({ spec }) => {
    if (spec) applyAutoscalerDefaults(spec);
  },
});
