import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const ReplicaSetSpec = struct('io.k8s.api.apps.v1.ReplicaSetSpec', '', {
  minReadySeconds: opt(4, int32),
  replicas: opt(1, int32, { default: 1 }),
  selector: req(2, LabelSelector),
  template: opt(3, PodTemplateSpec),
});
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

export const ReplicaSetCondition = struct('io.k8s.api.apps.v1.ReplicaSetCondition', '', {
  lastTransitionTime: opt(3, time),
  message: opt(5, string),
  reason: opt(4, string),
  status: req(2, string),
  type: req(1, string),
});
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}

export const ReplicaSetStatus = struct('io.k8s.api.apps.v1.ReplicaSetStatus', '', {
  availableReplicas: opt(5, int32),
  conditions: opt(6, list(ReplicaSetCondition, ['type']), { patch: 'merge', key: 'type' }),
  fullyLabeledReplicas: opt(2, int32),
  observedGeneration: opt(3, int64),
  readyReplicas: opt(4, int32),
  replicas: req(1, int32),
  terminatingReplicas: opt(7, int32),
});
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatus> {}

export const ReplicaSetSchema = struct('io.k8s.api.apps.v1.ReplicaSet', '', {
  ...objectFields,
  spec: opt(2, ReplicaSetSpec),
  status: opt(3, ReplicaSetStatus),
});
export interface ReplicaSet extends Infer<typeof ReplicaSetSchema> {}

export const ReplicaSet = defineKind<ReplicaSet>({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
  shortNames: ['rs'],
  categories: ['all'],
  schema: ReplicaSetSchema,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    {
      name: 'Desired',
      type: 'integer',
      description: 'How many pods there should be.',
      value: ({ spec }) => spec?.replicas ?? 0,
    },
    {
      name: 'Current',
      type: 'integer',
      description: 'How many pods there are.',
      value: ({ status }) => status?.replicas ?? 0,
    },
    {
      name: 'Ready',
      type: 'integer',
      description: 'How many pods are ready.',
      value: ({ status }) => status?.readyReplicas ?? 0,
    },
    ageColumn,
    ...templateColumns<ReplicaSet>(({ spec }) => spec),
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  applyDefaults: ({ spec }) => applyTemplateDefaults(spec?.template),
});
