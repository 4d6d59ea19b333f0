import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, intOrString, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, formatLabels, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const RollingUpdateDaemonSet = struct(
  'io.k8s.api.apps.v1.RollingUpdateDaemonSet',
  'Speed of a rolling update.',
  {
    maxSurge: opt(2, intOrString, 'Number or percentage of nodes that may run an old and a new pod during an update.'),
    maxUnavailable: opt(1, intOrString, 'Number or percentage of nodes that may run no pod during an update.'),
  },
);
export interface RollingUpdateDaemonSet extends Infer<typeof RollingUpdateDaemonSet> {}

export const DaemonSetUpdateStrategy = struct(
  'io.k8s.api.apps.v1.DaemonSetUpdateStrategy',
  'How pods are replaced when the template changes.',
  {
    rollingUpdate: opt(2, RollingUpdateDaemonSet, 'Speed of the update, for type RollingUpdate.'),
    type: opt(1, string, 'Type of the update: RollingUpdate or OnDelete. Defaults to RollingUpdate.'),
  },
);
export interface DaemonSetUpdateStrategy extends Infer<typeof DaemonSetUpdateStrategy> {}

export const DaemonSetSpec = struct(
  'io.k8s.api.apps.v1.DaemonSetSpec',
  'Selector, template and update strategy of a DaemonSet.',
  {
    minReadySeconds: opt(4, int32, 'Seconds a pod must be ready to count as available.'),
    revisionHistoryLimit: opt(6, int32, { default: 10, pointer: true, doc: 'How many old states are kept.' }),
    selector: req(1, LabelSelector, 'Labels of the pods that belong to it.'),
    template: req(2, PodTemplateSpec, 'Template that new pods are created from.'),
    updateStrategy: opt(3, DaemonSetUpdateStrategy, 'How pods are replaced when the template changes.'),
  },
);
export interface DaemonSetSpec extends Infer<typeof DaemonSetSpec> {}

export const DaemonSetCondition = struct('io.k8s.api.apps.v1.DaemonSetCondition', 'A condition of a DaemonSet.', {
  lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
  message: opt(5, string, 'Human-readable details about the last transition.'),
  reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
  status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
  type: req(1, string, 'Name of the condition, such as Ready.'),
});
export interface DaemonSetCondition extends Infer<typeof DaemonSetCondition> {}

export const DaemonSetStatus = struct('io.k8s.api.apps.v1.DaemonSetStatus', 'Counts and conditions of a DaemonSet.', {
  collisionCount: opt(9, int32, { pointer: true, doc: 'How often a name was taken.' }),
  conditions: opt(10, list(DaemonSetCondition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Conditions of the object.',
  }),
  currentNumberScheduled: req(1, int32, 'Nodes that run the pod and should.'),
  desiredNumberScheduled: req(3, int32, 'Nodes that should run the pod.'),
  numberAvailable: opt(7, int32, 'Nodes whose pod has been ready for long enough.'),
  numberMisscheduled: req(2, int32, 'Nodes that run the pod and should not.'),
  numberReady: req(4, int32, 'Nodes whose pod is ready.'),
  numberUnavailable: opt(8, int32, 'Nodes whose pod is missing.'),
  observedGeneration: opt(5, int64, 'The generation that this was observed at.'),
  updatedNumberScheduled: opt(6, int32, 'Nodes whose pod follows the current template.'),
});
export interface DaemonSetStatus extends Infer<typeof DaemonSetStatus> {}

export const DaemonSetSchema = struct('io.k8s.api.apps.v1.DaemonSet', 'Runs a copy of a pod on every matching node.', {
  ...objectFields,
  spec: opt(2, DaemonSetSpec, 'Desired state of the DaemonSet.'),
  status: opt(3, DaemonSetStatus, 'Observed state of the DaemonSet. The system writes it.'),
});
export interface DaemonSet extends Infer<typeof DaemonSetSchema> {}

export const DaemonSet = defineKind<DaemonSet>({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
  shortNames: ['ds'],
  categories: ['all'],
  schema: DaemonSetSchema,
  columns: [
    {
      name: 'Desired',
      type: 'integer',
      description: 'Number of nodes that should run the pod.',
      value: ({ status }) => status?.desiredNumberScheduled ?? 0,
    },
    {
      name: 'Current',
      type: 'integer',
      description: 'How many nodes run the pod and should.',
      value: ({ status }) => status?.currentNumberScheduled ?? 0,
    },
    {
      name: 'Ready',
      type: 'integer',
      description: 'On how many nodes the pod is ready.',
      value: ({ status }) => status?.numberReady ?? 0,
    },
    {
      name: 'Up-to-date',
      type: 'integer',
      description: 'On how many nodes the pod follows the current template.',
      value: ({ status }) => status?.updatedNumberScheduled ?? 0,
    },
    {
      name: 'Available',
      type: 'integer',
      description: 'On how many nodes the pod has been ready for long enough.',
      value: ({ status }) => status?.numberAvailable ?? 0,
    },
    {
      name: 'Node Selector',
      type: 'string',
      description: 'Labels of the nodes that run the pod.',
      value: ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector),
    },
    ageColumn,
    ...templateColumns<DaemonSet>(({ spec }) => spec),
  ],
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    applyTemplateDefaults(spec.template);
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ??= 'RollingUpdate';
    if (spec.updateStrategy.type === 'RollingUpdate') {
      spec.updateStrategy.rollingUpdate = { maxSurge: 0, maxUnavailable: 1, ...spec.updateStrategy.rollingUpdate };
    }
  },
});
