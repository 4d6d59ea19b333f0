import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, list, map, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, replicaColumns, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from './podDefaults.ts';
import { PodTemplateSpec } from './podTemplate.ts';

export const ReplicationControllerSpec = struct(
  'io.k8s.api.core.v1.ReplicationControllerSpec',
  'Number, selector and template of a ReplicationController.',
  {
    minReadySeconds: opt(4, int32, 'Seconds a pod must be ready to count as available.'),
    replicas: opt(1, int32, { default: 1, pointer: true, doc: 'Number of pods to keep. Defaults to 1.' }),
    selector: opt(2, map(string, 'atomic'), "Labels of the pods that belong to it. Defaults to the template's."),
    template: opt(3, PodTemplateSpec, 'Template that new pods are created from.'),
  },
);
export interface ReplicationControllerSpec extends Infer<typeof ReplicationControllerSpec> {}

export const ReplicationControllerCondition = struct(
  'io.k8s.api.core.v1.ReplicationControllerCondition',
  'A condition of a ReplicationController.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'Human-readable details about the last transition.'),
    reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as ReplicaFailure.'),
  },
);
export interface ReplicationControllerCondition extends Infer<typeof ReplicationControllerCondition> {}

export const ReplicationControllerStatus = struct(
  'io.k8s.api.core.v1.ReplicationControllerStatus',
  'Counts and conditions of a ReplicationController.',
  {
    availableReplicas: opt(5, int32, 'Pods that have been ready for long enough.'),
    conditions: opt(6, list(ReplicationControllerCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
    fullyLabeledReplicas: opt(2, int32, 'Pods that have all labels of the template.'),
    observedGeneration: opt(3, int64, 'The generation that this was observed at.'),
    readyReplicas: opt(4, int32, 'Number of pods that are ready.'),
    replicas: req(1, int32, 'Number of pods that match the selector.'),
  },
);
export interface ReplicationControllerStatus extends Infer<typeof ReplicationControllerStatus> {}

export const ReplicationControllerSchema = struct(
  'io.k8s.api.core.v1.ReplicationController',
  'Keeps a number of identical pods running. ReplicaSets have replaced it.',
  {
    ...objectFields,
    spec: opt(2, ReplicationControllerSpec, 'Desired state of the ReplicationController.'),
    status: opt(3, ReplicationControllerStatus, 'Observed state of the ReplicationController. The system writes it.'),
  },
);
export interface ReplicationController extends Infer<typeof ReplicationControllerSchema> {}

export const ReplicationController = defineKind<ReplicationController>({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
  shortNames: ['rc'],
  categories: ['all'],
  schema: ReplicationControllerSchema,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    ...replicaColumns<ReplicationController>(),
    ageColumn,
    ...templateColumns<ReplicationController>(
      ({ spec }) => spec && { ...spec, selector: { matchLabels: spec.selector ?? {} } },
    ),
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  applyDefaults: ({ metadata, spec }) => {
    applyTemplateDefaults(spec?.template);
    const labels = spec?.template?.metadata?.labels;
    if (!spec || !labels) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  },
});
