import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, int64, intOrString, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, formatLabels, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const RollingUpdateDaemonSet = struct('io.k8s.api.apps.v1.RollingUpdateDaemonSet', '', {
  maxSurge: opt(2, intOrString),
  maxUnavailable: opt(1, intOrString),
});
export interface RollingUpdateDaemonSet extends Infer<typeof RollingUpdateDaemonSet> {}

export const DaemonSetUpdateStrategy = struct('io.k8s.api.apps.v1.DaemonSetUpdateStrategy', '', {
  rollingUpdate: opt(2, RollingUpdateDaemonSet),
  type: opt(1, string),
});
export interface DaemonSetUpdateStrategy extends Infer<typeof DaemonSetUpdateStrategy> {}

export const DaemonSetSpec = struct('io.k8s.api.apps.v1.DaemonSetSpec', '', {
  minReadySeconds: opt(4, int32),
  revisionHistoryLimit: opt(6, int32, { default: 10 }),
  selector: req(1, LabelSelector),
  template: req(2, PodTemplateSpec),
  updateStrategy: opt(3, DaemonSetUpdateStrategy),
});
export interface DaemonSetSpec extends Infer<typeof DaemonSetSpec> {}

export const DaemonSetCondition = struct('io.k8s.api.apps.v1.DaemonSetCondition', '', {
  lastTransitionTime: opt(3, time),
  message: opt(5, string),
  reason: opt(4, string),
  status: req(2, string),
  type: req(1, string),
});
export interface DaemonSetCondition extends Infer<typeof DaemonSetCondition> {}

export const DaemonSetStatus = struct('io.k8s.api.apps.v1.DaemonSetStatus', '', {
  collisionCount: opt(9, int32),
  conditions: opt(10, list(DaemonSetCondition, ['type']), { patch: 'merge', key: 'type' }),
  currentNumberScheduled: req(1, int32),
  desiredNumberScheduled: req(3, int32),
  numberAvailable: opt(7, int32),
  numberMisscheduled: req(2, int32),
  numberReady: req(4, int32),
  numberUnavailable: opt(8, int32),
  observedGeneration: opt(5, int64),
  updatedNumberScheduled: opt(6, int32),
});
export interface DaemonSetStatus extends Infer<typeof DaemonSetStatus> {}

export const DaemonSetSchema = struct('io.k8s.api.apps.v1.DaemonSet', '', {
  ...objectFields,
  spec: opt(2, DaemonSetSpec),
  status: opt(3, DaemonSetStatus),
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
      description: 'How many nodes should run the pod.',
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
      description: 'Which nodes get the pod.',
      value: ({ spec }) => formatLabels(spec?.template.spec?.nodeSelector),
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
