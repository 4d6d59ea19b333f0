import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { applyAutoscalerDefaults, formatTargets } from './autoscalerRules.ts';
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from './metrics.ts';

export const HPAScalingPolicy = struct('io.k8s.api.autoscaling.v2.HPAScalingPolicy', 'One allowed step.', {
  periodSeconds: req(3, int32, 'In how many seconds.'),
  type: req(1, string, 'Pods or Percent.'),
  value: req(2, int32, 'How many.'),
});
export interface HPAScalingPolicy extends Infer<typeof HPAScalingPolicy> {}

export const HPAScalingRules = struct('io.k8s.api.autoscaling.v2.HPAScalingRules', 'How fast it scales one way.', {
  policies: opt(2, list(HPAScalingPolicy, 'atomic'), 'Steps that are allowed.'),
  selectPolicy: opt(1, string, { pointer: true, doc: 'Which step counts: Max, Min or Disabled.' }),
  stabilizationWindowSeconds: opt(3, int32, {
    pointer: true,
    doc: 'Seconds of past answers that are taken into account.',
  }),
  tolerance: opt(4, quantity, 'How far off the load may be before anything happens.'),
});
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

export const HorizontalPodAutoscalerBehavior = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior',
  'How fast it scales, each way.',
  {
    scaleDown: opt(2, HPAScalingRules, 'How fast it takes pods away.'),
    scaleUp: opt(1, HPAScalingRules, 'How fast it adds pods.'),
  },
);
export interface HorizontalPodAutoscalerBehavior extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

export const HorizontalPodAutoscalerSpec = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec',
  'What is scaled, by what, and within which bounds.',
  {
    behavior: opt(5, HorizontalPodAutoscalerBehavior, 'How fast it scales.'),
    maxReplicas: req(3, int32, 'Most pods.'),
    metrics: opt(4, list(MetricSpec, 'atomic'), 'What is measured; the largest answer counts.'),
    minReplicas: opt(2, int32, { default: 1, pointer: true, doc: 'Fewest pods.' }),
    scaleTargetRef: req(1, CrossVersionObjectReference, 'What is scaled.'),
  },
);
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

export const HorizontalPodAutoscalerCondition = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition',
  'One observation about the scaling.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'The same in words, for people.'),
    reason: opt(4, string, 'Why, in one CamelCase word.'),
    status: req(2, string, 'True, False or Unknown.'),
    type: req(1, string, 'What the condition is about.'),
  },
);
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

export const HorizontalPodAutoscalerStatus = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus',
  'How the scaling is doing.',
  {
    conditions: opt(6, list(HorizontalPodAutoscalerCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Observations about the object, one a type.',
    }),
    currentMetrics: opt(5, list(MetricStatus, 'atomic'), 'What was measured.'),
    currentReplicas: opt(3, int32, 'Pods that there are.'),
    desiredReplicas: req(4, int32, 'Pods that there should be.'),
    lastScaleTime: opt(2, time, 'When the number last changed.'),
    observedGeneration: opt(1, int64, { pointer: true, doc: 'The generation that this was observed at.' }),
  },
);
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

export const HorizontalPodAutoscalerSchema = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'Keeps the number of pods in step with the load.',
  {
    ...objectFields,
    spec: req(2, HorizontalPodAutoscalerSpec, 'Desired state of the HorizontalPodAutoscaler.'),
    status: opt(
      3,
      HorizontalPodAutoscalerStatus,
      'Observed state of the HorizontalPodAutoscaler. The system writes it.',
    ),
  },
);
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
      value: ({ spec }) => `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}`,
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
