import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, intOrString, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const RollingUpdateDeployment = struct('io.k8s.api.apps.v1.RollingUpdateDeployment', '', {
  maxSurge: opt(2, intOrString),
  maxUnavailable: opt(1, intOrString),
});
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeployment> {}

export const DeploymentStrategy = struct('io.k8s.api.apps.v1.DeploymentStrategy', '', {
  rollingUpdate: opt(2, RollingUpdateDeployment),
  type: opt(1, string),
});
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategy> {}

export const DeploymentSpec = struct('io.k8s.api.apps.v1.DeploymentSpec', '', {
  minReadySeconds: opt(5, int32),
  paused: opt(7, boolean),
  progressDeadlineSeconds: opt(9, int32, { default: 600 }),
  replicas: opt(1, int32, { default: 1 }),
  revisionHistoryLimit: opt(6, int32, { default: 10 }),
  selector: req(2, LabelSelector),
  strategy: opt(4, DeploymentStrategy, { patch: 'retainKeys' }),
  template: req(3, PodTemplateSpec),
});
export interface DeploymentSpec extends Infer<typeof DeploymentSpec> {}

export const DeploymentCondition = struct('io.k8s.api.apps.v1.DeploymentCondition', '', {
  lastTransitionTime: opt(7, time),
  lastUpdateTime: opt(6, time),
  message: opt(5, string),
  reason: opt(4, string),
  status: req(2, string),
  type: req(1, string),
});
export interface DeploymentCondition extends Infer<typeof DeploymentCondition> {}

export const DeploymentStatus = struct('io.k8s.api.apps.v1.DeploymentStatus', '', {
  availableReplicas: opt(4, int32),
  collisionCount: opt(8, int32),
  conditions: opt(6, list(DeploymentCondition, ['type']), { patch: 'merge', key: 'type' }),
  observedGeneration: opt(1, int64),
  readyReplicas: opt(7, int32),
  replicas: opt(2, int32),
  terminatingReplicas: opt(9, int32),
  unavailableReplicas: opt(5, int32),
  updatedReplicas: opt(3, int32),
});
export interface DeploymentStatus extends Infer<typeof DeploymentStatus> {}

export const DeploymentSchema = struct('io.k8s.api.apps.v1.Deployment', '', {
  ...objectFields,
  spec: opt(2, DeploymentSpec),
  status: opt(3, DeploymentStatus),
});
export interface Deployment extends Infer<typeof DeploymentSchema> {}

export const Deployment = defineKind<Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  shortNames: ['deploy'],
  categories: ['all'],
  schema: DeploymentSchema,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    {
      name: 'Ready',
      type: 'string',
      description: 'How many pods are ready, of how many.',
      value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    },
    {
      name: 'Up-to-date',
      type: 'string',
      description: 'How many pods follow the current template.',
      value: ({ status }) => status?.updatedReplicas ?? 0,
    },
    {
      name: 'Available',
      type: 'string',
      description: 'How many pods have been ready for long enough.',
      value: ({ status }) => status?.availableReplicas ?? 0,
    },
    ageColumn,
    ...templateColumns<Deployment>(({ spec }) => spec),
  ],
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    applyTemplateDefaults(spec.template);
    spec.strategy ??= {};
    spec.strategy.type ??= 'RollingUpdate';
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate = { maxSurge: '25%', maxUnavailable: '25%', ...spec.strategy.rollingUpdate };
    }
  },
});
