import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, replicaColumns, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const ReplicaSetSpec = struct(
  'io.k8s.api.apps.v1.ReplicaSetSpec',
  'Number, selector and template of the pods.',
  {
    minReadySeconds: opt(4, int32, 'Seconds a pod must be ready to count as available.'),
    replicas: opt(1, int32, { default: 1, pointer: true, doc: 'Number of pods to keep. Defaults to 1.' }),
    selector: req(2, LabelSelector, 'Labels of the pods that belong to it.'),
    template: opt(3, PodTemplateSpec, 'Template that new pods are created from.'),
  },
);
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

export const ReplicaSetCondition = struct(
  'io.k8s.api.apps.v1.ReplicaSetCondition',
  'A condition of a ReplicaSet, such as ReplicaFailure.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'Human-readable details about the last transition.'),
    reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}

export const ReplicaSetStatus = struct(
  'io.k8s.api.apps.v1.ReplicaSetStatus',
  'Counts and conditions of a ReplicaSet.',
  {
    availableReplicas: opt(5, int32, 'Pods that have been ready for long enough.'),
    conditions: opt(6, list(ReplicaSetCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
    fullyLabeledReplicas: opt(2, int32, 'Pods that have all labels of the template.'),
    observedGeneration: opt(3, int64, 'The generation that this was observed at.'),
    readyReplicas: opt(4, int32, 'Number of pods that are ready.'),
    replicas: req(1, int32, 'Number of pods that match the selector.'),
    terminatingReplicas: opt(7, int32, { pointer: true, doc: 'Number of pods that are terminating.' }),
  },
);
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatus> {}

export const ReplicaSetSchema = struct('io.k8s.api.apps.v1.ReplicaSet', 'Keeps a number of identical pods running.', {
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
  columns: [...replicaColumns<ReplicaSet>(), ageColumn, ...templateColumns<ReplicaSet>(({ spec }) => spec)],
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  applyDefaults: ({ spec }) => applyTemplateDefaults(spec?.template),
});
