import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, intOrString, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { PersistentVolumeClaim, PersistentVolumeClaimSchema } from '../core/persistentVolumeClaim.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const RollingUpdateStatefulSetStrategy = struct(
  'io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy',
  'Which pods a rolling update replaces, and how many at a time.',
  {
    maxUnavailable: opt(2, intOrString, 'Number or percentage of pods that may be unavailable during an update.'),
    partition: opt(1, int32, { pointer: true, doc: 'Ordinal from which pods are updated. Defaults to 0.' }),
  },
);
export interface RollingUpdateStatefulSetStrategy extends Infer<typeof RollingUpdateStatefulSetStrategy> {}

export const StatefulSetUpdateStrategy = struct(
  'io.k8s.api.apps.v1.StatefulSetUpdateStrategy',
  'How pods are replaced when the template changes.',
  {
    rollingUpdate: opt(2, RollingUpdateStatefulSetStrategy, 'Details of the update, for type RollingUpdate.'),
    type: opt(1, string, 'Type of the update: RollingUpdate or OnDelete. Defaults to RollingUpdate.'),
  },
);
export interface StatefulSetUpdateStrategy extends Infer<typeof StatefulSetUpdateStrategy> {}

export const StatefulSetPersistentVolumeClaimRetentionPolicy = struct(
  'io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy',
  'What happens to claims of the set.',
  {
    whenDeleted: opt(1, string, 'What happens when the set is deleted: Retain or Delete. Defaults to Retain.'),
    whenScaled: opt(2, string, 'What happens when the set is scaled down: Retain or Delete. Defaults to Retain.'),
  },
);
export interface StatefulSetPersistentVolumeClaimRetentionPolicy
  extends Infer<typeof StatefulSetPersistentVolumeClaimRetentionPolicy> {}

export const StatefulSetOrdinals = struct('io.k8s.api.apps.v1.StatefulSetOrdinals', 'How pods are numbered.', {
  start: req(1, int32, 'Number of the first pod.'),
});
export interface StatefulSetOrdinals extends Infer<typeof StatefulSetOrdinals> {}

export const StatefulSetSpec = struct(
  'io.k8s.api.apps.v1.StatefulSetSpec',
  'Number, selector, template and claims of a StatefulSet.',
  {
    minReadySeconds: opt(9, int32, 'Seconds a pod must be ready to count as available.'),
    ordinals: opt(11, StatefulSetOrdinals, 'How pods are numbered. By default from 0.'),
    persistentVolumeClaimRetentionPolicy: opt(
      10,
      StatefulSetPersistentVolumeClaimRetentionPolicy,
      'What happens to claims of the set. By default they are kept.',
    ),
    podManagementPolicy: opt(6, string, 'How pods are created: OrderedReady or Parallel. Defaults to OrderedReady.'),
    replicas: opt(1, int32, { default: 1, pointer: true, doc: 'Number of pods to keep. Defaults to 1.' }),
    revisionHistoryLimit: opt(8, int32, { default: 10, pointer: true, doc: 'How many old states are kept.' }),
    selector: req(2, LabelSelector, 'Labels of the pods that belong to it.'),
    serviceName: opt(5, string, 'Name of the Service that gives pods their names in DNS.'),
    template: req(3, PodTemplateSpec, 'Template that new pods are created from.'),
    updateStrategy: opt(7, StatefulSetUpdateStrategy, 'How pods are replaced when the template changes.'),
    volumeClaimTemplates: opt(
      4,
      list(PersistentVolumeClaimSchema, 'atomic'),
      'Claims that every pod gets one of each of.',
    ),
  },
);
export interface StatefulSetSpec extends Infer<typeof StatefulSetSpec> {}

export const StatefulSetCondition = struct('io.k8s.api.apps.v1.StatefulSetCondition', 'A condition of a StatefulSet.', {
  lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
  message: opt(5, string, 'Human-readable details about the last transition.'),
  reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
  status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
  type: req(1, string, 'Name of the condition, such as Ready.'),
});
export interface StatefulSetCondition extends Infer<typeof StatefulSetCondition> {}

export const StatefulSetStatus = struct(
  'io.k8s.api.apps.v1.StatefulSetStatus',
  'Counts and conditions of a StatefulSet.',
  {
    availableReplicas: opt(11, int32, 'Pods that have been ready for long enough.'),
    collisionCount: opt(9, int32, { pointer: true, doc: 'How often a name was taken.' }),
    conditions: opt(10, list(StatefulSetCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
    currentReplicas: opt(4, int32, 'Pods that follow the template of the current revision.'),
    currentRevision: opt(6, string, 'Name of the current revision.'),
    observedGeneration: opt(1, int64, 'The generation that this was observed at.'),
    readyReplicas: opt(3, int32, 'Number of pods that are ready.'),
    replicas: req(2, int32, 'Number of pods that match the selector.'),
    updatedReplicas: opt(5, int32, 'Pods that follow the template of the new revision.'),
    updateRevision: opt(7, string, 'Name of the new revision.'),
  },
);
export interface StatefulSetStatus extends Infer<typeof StatefulSetStatus> {}

export const StatefulSetSchema = struct(
  'io.k8s.api.apps.v1.StatefulSet',
  'Keeps a number of pods that each have a name and claims of their own.',
  {
    ...objectFields,
    spec: opt(2, StatefulSetSpec, 'Desired state of the StatefulSet.'),
    status: opt(3, StatefulSetStatus, 'Observed state of the StatefulSet. The system writes it.'),
  },
);
export interface StatefulSet extends Infer<typeof StatefulSetSchema> {}

export const StatefulSet = defineKind<StatefulSet>({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
  shortNames: ['sts'],
  categories: ['all'],
  schema: StatefulSetSchema,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    {
      name: 'Ready',
      type: 'string',
      description: 'How many pods are ready, of how many.',
      value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    },
    ageColumn,
    ...templateColumns<StatefulSet>(({ spec }) => spec).filter(({ name }) => name !== 'Selector'),
  ],
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    applyTemplateDefaults(spec.template);
    spec.podManagementPolicy ||= 'OrderedReady';
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ||= 'RollingUpdate';
    if (spec.updateStrategy.type === 'RollingUpdate')
      spec.updateStrategy.rollingUpdate = { partition: 0, ...spec.updateStrategy.rollingUpdate };
    const retention = spec.persistentVolumeClaimRetentionPolicy ?? {};
    retention.whenDeleted ||= 'Retain';
    retention.whenScaled ||= 'Retain';
    spec.persistentVolumeClaimRetentionPolicy = retention;
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion ||= 'v1';
      claim.kind ||= PersistentVolumeClaim.kind;
      PersistentVolumeClaim.applyDefaults?.(claim);
    }
  },
});
