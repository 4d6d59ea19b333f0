import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, intOrString, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const RollingUpdateDeployment = struct(
  'io.k8s.api.apps.v1.RollingUpdateDeployment',
  'Speed of a rolling update.',
  {
    maxSurge: opt(2, intOrString, 'Number or percentage of pods above the desired number during an update.'),
    maxUnavailable: opt(1, intOrString, 'Number or percentage of pods that may be unavailable during an update.'),
  },
);
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeployment> {}

export const DeploymentStrategy = struct(
  'io.k8s.api.apps.v1.DeploymentStrategy',
  'How pods are replaced when the template changes.',
  {
    rollingUpdate: opt(2, RollingUpdateDeployment, 'Speed of the update, for type RollingUpdate.'),
    type: opt(1, string, 'Type of the update: RollingUpdate or Recreate. Defaults to RollingUpdate.'),
  },
);
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategy> {}

export const DeploymentSpec = struct(
  'io.k8s.api.apps.v1.DeploymentSpec',
  'Number, selector, template and update strategy of a Deployment.',
  {
    minReadySeconds: opt(5, int32, 'Seconds a pod must be ready to count as available.'),
    paused: opt(7, boolean, 'Whether changes of the template are held back.'),
    progressDeadlineSeconds: opt(9, int32, {
      default: 600,
      pointer: true,
      doc: 'Seconds without progress after which it counts as failed.',
    }),
    replicas: opt(1, int32, { default: 1, pointer: true, doc: 'Number of pods to keep. Defaults to 1.' }),
    revisionHistoryLimit: opt(6, int32, { default: 10, pointer: true, doc: 'How many old states are kept.' }),
    selector: req(2, LabelSelector, 'Labels of the pods that belong to it.'),
    strategy: opt(4, DeploymentStrategy, {
      patch: 'retainKeys',
      doc: 'How pods are replaced when the template changes.',
    }),
    template: req(3, PodTemplateSpec, 'Template that new pods are created from.'),
  },
);
export interface DeploymentSpec extends Infer<typeof DeploymentSpec> {}

export const DeploymentCondition = struct(
  'io.k8s.api.apps.v1.DeploymentCondition',
  'A condition of a Deployment, such as Available.',
  {
    lastTransitionTime: opt(7, time, 'When the status of the condition last changed.'),
    lastUpdateTime: opt(6, time, 'When the condition was last written.'),
    message: opt(5, string, 'Human-readable details about the last transition.'),
    reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface DeploymentCondition extends Infer<typeof DeploymentCondition> {}

export const DeploymentStatus = struct(
  'io.k8s.api.apps.v1.DeploymentStatus',
  'Counts and conditions of a Deployment.',
  {
    availableReplicas: opt(4, int32, 'Pods that have been ready for long enough.'),
    collisionCount: opt(8, int32, { pointer: true, doc: 'How often a name was taken.' }),
    conditions: opt(6, list(DeploymentCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
    observedGeneration: opt(1, int64, 'The generation that this was observed at.'),
    readyReplicas: opt(7, int32, 'Number of pods that are ready.'),
    replicas: opt(2, int32, 'Number of pods that match the selector.'),
    terminatingReplicas: opt(9, int32, { pointer: true, doc: 'Number of pods that are terminating.' }),
    unavailableReplicas: opt(5, int32, 'Number of pods that are still missing.'),
    updatedReplicas: opt(3, int32, 'Pods that follow the current template.'),
  },
);
export interface DeploymentStatus extends Infer<typeof DeploymentStatus> {}

export const DeploymentSchema = struct(
  'io.k8s.api.apps.v1.Deployment',
  'Keeps a number of identical pods, and replaces them step by step when the template changes.',
  {
    ...objectFields,
    spec: opt(2, DeploymentSpec, 'Desired state of the Deployment.'),
    status: opt(3, DeploymentStatus, 'Observed state of the Deployment. The system writes it.'),
  },
);
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
