import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { applyAutoscalerDefaults, formatTargets } from './autoscalerRules.ts';
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from './metrics.ts';

export const HPAScalingPolicy = struct(
  'io.k8s.api.autoscaling.v2.HPAScalingPolicy',
  'A limit on the change within a period.',
  {
    periodSeconds: req(3, int32, 'Length of the period in seconds.'),
    type: req(1, string, 'What the limit counts: Pods or Percent.'),
    value: req(2, int32, 'Maximum change within the period.'),
  },
);
export interface HPAScalingPolicy extends Infer<typeof HPAScalingPolicy> {}

export const HPAScalingRules = struct(
  'io.k8s.api.autoscaling.v2.HPAScalingRules',
  'How fast to scale in one direction.',
  {
    policies: opt(2, list(HPAScalingPolicy, 'atomic'), 'Limits on the speed of scaling.'),
    selectPolicy: opt(1, string, { pointer: true, doc: 'Which step counts: Max, Min or Disabled.' }),
    stabilizationWindowSeconds: opt(3, int32, {
      pointer: true,
      doc: 'Seconds of past recommendations that are considered.',
    }),
    tolerance: opt(4, quantity, 'Tolerance of the load before the number of replicas is changed.'),
  },
);
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

export const HorizontalPodAutoscalerBehavior = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior',
  'Policies for scaling up and down.',
  {
    scaleDown: opt(2, HPAScalingRules, 'Policy for scaling down.'),
    scaleUp: opt(1, HPAScalingRules, 'Policy for scaling up.'),
  },
);
export interface HorizontalPodAutoscalerBehavior extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

export const HorizontalPodAutoscalerSpec = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec',
  'Target, metrics and bounds of the autoscaler.',
  {
    behavior: opt(5, HorizontalPodAutoscalerBehavior, 'Policies for scaling up and down.'),
    maxReplicas: req(3, int32, 'Maximum number of replicas.'),
    metrics: opt(
      4,
      list(MetricSpec, 'atomic'),
      'Metrics that determine the number of replicas. The largest result is used.',
    ),
    minReplicas: opt(2, int32, { default: 1, pointer: true, doc: 'Minimum number of replicas. Defaults to 1.' }),
    scaleTargetRef: req(1, CrossVersionObjectReference, 'Object whose replicas are scaled.'),
  },
);
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

export const HorizontalPodAutoscalerCondition = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition',
  'A condition of the autoscaler, such as ScalingActive.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'Human-readable details about the last transition.'),
    reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

export const HorizontalPodAutoscalerStatus = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus',
  'Counts, measurements and conditions of the autoscaler.',
  {
    conditions: opt(6, list(HorizontalPodAutoscalerCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
    currentMetrics: opt(5, list(MetricStatus, 'atomic'), 'Measured values of the metrics.'),
    currentReplicas: opt(3, int32, 'Current number of replicas.'),
    desiredReplicas: req(4, int32, 'Pods that there should be.'),
    lastScaleTime: opt(2, time, 'Time at which the number of replicas last changed.'),
    observedGeneration: opt(1, int64, { pointer: true, doc: 'The generation that this was observed at.' }),
  },
);
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

export const HorizontalPodAutoscalerSchema = struct(
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'Scales the number of replicas with the load.',
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
      description: 'Object whose replicas are scaled.',
      value: ({ spec }) => `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}`,
    },
    { name: 'Targets', type: 'string', description: 'The measured load, and the wanted one.', value: formatTargets },
    {
      name: 'MinPods',
      type: 'string',
      description: 'Minimum number of replicas.',
      value: ({ spec }) => spec?.minReplicas ?? '<unset>',
    },
    {
      name: 'MaxPods',
      type: 'string',
      description: 'Maximum number of replicas.',
      value: ({ spec }) => spec?.maxReplicas,
    },
    {
      name: 'Replicas',
      type: 'string',
      description: 'Current number of pods.',
      value: ({ status }) => status?.currentReplicas ?? 0,
    },
    ageColumn,
  ],
  applyDefaults: ({ spec }) => {
    if (spec) applyAutoscalerDefaults(spec);
  },
});
