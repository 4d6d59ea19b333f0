import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const ReplicaSetSpec = struct('io.k8s.api.apps.v1.ReplicaSetSpec', 'How many pods, of what.', {
  minReadySeconds: opt(4, int32, 'Seconds a pod must be ready to count as available.'),
  replicas: opt(1, int32, { default: 1, pointer: true, doc: 'How many pods.' }),
  selector: req(2, LabelSelector, 'Labels of the pods that belong to it.'),
  template: opt(3, PodTemplateSpec, 'What the pods are made from.'),
});
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

export const ReplicaSetCondition = struct(
  'io.k8s.api.apps.v1.ReplicaSetCondition',
  'One observation about a replica set.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'The same in words, for people.'),
    reason: opt(4, string, 'Why, in one CamelCase word.'),
    status: req(2, string, 'True, False or Unknown.'),
    type: req(1, string, 'What the condition is about.'),
  },
);
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}

export const ReplicaSetStatus = struct('io.k8s.api.apps.v1.ReplicaSetStatus', 'How a replica set is doing.', {
  availableReplicas: opt(5, int32, 'Pods that have been ready for long enough.'),
  conditions: opt(6, list(ReplicaSetCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Observations about the object, one a type.',
  }),
  fullyLabeledReplicas: opt(2, int32, 'Pods that have all labels of the template.'),
  observedGeneration: opt(3, int64, 'The generation that this was observed at.'),
  readyReplicas: opt(4, int32, 'Pods that are ready.'),
  replicas: req(1, int32, 'Pods that there are.'),
  terminatingReplicas: opt(7, int32, { pointer: true, doc: 'Pods that are going.' }),
});
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatus> {}

export const ReplicaSetSchema = struct('io.k8s.api.apps.v1.ReplicaSet', 'A number of pods of one kind.', {
  ...objectFields,
  spec: opt(2, ReplicaSetSpec, 'Desired state of the ReplicaSet.'),
  status: opt(3, ReplicaSetStatus, 'Observed state of the ReplicaSet. The system writes it.'),
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
