import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const CrossVersionObjectReferenceV1 = struct(
  'io.k8s.api.autoscaling.v1.CrossVersionObjectReference',
  'Refers to an object that can be scaled.',
  {
    apiVersion: opt(3, string, 'Group and version of the object.'),
    kind: req(1, string, 'Kind of the object.'),
    name: req(2, string, 'Name of the object.'),
  },
  { mapType: 'atomic' },
);
export interface CrossVersionObjectReferenceV1 extends Infer<typeof CrossVersionObjectReferenceV1> {}

export const HorizontalPodAutoscalerSpecV1 = struct(
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec',
  'Target and bounds of the autoscaler.',
  {
    maxReplicas: req(3, int32, 'Maximum number of replicas.'),
    minReplicas: opt(2, int32, { default: 1, pointer: true, doc: 'Minimum number of replicas. Defaults to 1.' }),
    scaleTargetRef: req(1, CrossVersionObjectReferenceV1, 'Object whose replicas are scaled.'),
    targetCPUUtilizationPercentage: opt(4, int32, {
      pointer: true,
      doc: 'Processor load to keep, in percent of the requests.',
    }),
  },
);
export interface HorizontalPodAutoscalerSpecV1 extends Infer<typeof HorizontalPodAutoscalerSpecV1> {}

export const HorizontalPodAutoscalerStatusV1 = struct(
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus',
  'Counts and measurements of the autoscaler.',
  {
    currentCPUUtilizationPercentage: opt(5, int32, {
      pointer: true,
      doc: 'Measured CPU use in percent of the requests.',
    }),
    currentReplicas: req(3, int32, 'Current number of replicas.'),
    desiredReplicas: req(4, int32, 'Pods that there should be.'),
    lastScaleTime: opt(2, time, 'Time at which the number of replicas last changed.'),
    observedGeneration: opt(1, int64, { pointer: true, doc: 'The generation that this was observed at.' }),
  },
);
export interface HorizontalPodAutoscalerStatusV1 extends Infer<typeof HorizontalPodAutoscalerStatusV1> {}

export const HorizontalPodAutoscalerV1Schema = struct(
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler',
  'Scales the number of replicas with the CPU load.',
  {
    ...objectFields,
    spec: req(2, HorizontalPodAutoscalerSpecV1, 'Desired state of the HorizontalPodAutoscalerV1.'),
    status: opt(
      3,
      HorizontalPodAutoscalerStatusV1,
      'Observed state of the HorizontalPodAutoscalerV1. The system writes it.',
    ),
  },
);
export interface HorizontalPodAutoscalerV1 extends Infer<typeof HorizontalPodAutoscalerV1Schema> {}

const percent = (value: number | undefined, unknown: string): string => (value === undefined ? unknown : `${value}%`);

export const HorizontalPodAutoscalerV1 = defineKind<HorizontalPodAutoscalerV1>({
  group: 'autoscaling',
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
  shortNames: ['hpa'],
  categories: ['all'],
  schema: HorizontalPodAutoscalerV1Schema,
  generation: false,
  columns: [
    {
      name: 'Reference',
      type: 'string',
      description: 'Object whose replicas are scaled.',
      value: ({ spec }) => `${spec?.scaleTargetRef?.kind}/${spec?.scaleTargetRef?.name}`,
    },
    {
      name: 'Targets',
      type: 'string',
      description: 'The measured load, and the wanted one.',
      value: ({ spec, status }) => {
        const target = spec?.targetCPUUtilizationPercentage;
        if (target === undefined) return '<none>';
        return `cpu: ${percent(status?.currentCPUUtilizationPercentage, '<unknown>')}/${percent(target, '<auto>')}`;
      },
    },
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
});
