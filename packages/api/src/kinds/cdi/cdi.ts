import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { anyObject, type Infer, int32, list, map, oneOf, string, struct } from '../../schema.ts';
import { Affinity } from '../core/affinity.ts';
import { Toleration } from '../core/scheduling.ts';
import { ageDate, phaseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { CDIConfigSpec } from './cdiConfig.ts';
import { CdiCondition } from './cdiParts.ts';

const placementFields = {
  affinity: optional(Affinity, 'Scheduling rules about nodes and other pods.'),
  nodeSelector: optional(map(string), 'Labels that nodes must have for the pods to run on them.'),
  tolerations: optional(list(Toleration), 'Taints of nodes that the pods tolerate.'),
} as const;

export const CDIWorkload = struct(
  'io.kubevirt.cdi.v1beta1.NodePlacement',
  'Node placement of worker pods.',
  placementFields,
);
export interface CDIWorkload extends Infer<typeof CDIWorkload> {}

export const CDIInfra = struct(
  'io.kubevirt.cdi.v1beta1.ComponentConfig',
  "Node placement and number of CDI's components.",
  {
    ...placementFields,
    apiServerReplicas: optional(int32, 'Number of replicas of the API server.'),
    deploymentReplicas: optional(int32, 'Number of replicas of the controller.'),
    uploadProxyReplicas: optional(int32, 'Number of replicas of the upload proxy.'),
  },
);
export interface CDIInfra extends Infer<typeof CDIInfra> {}

export const CDISpec = struct('io.kubevirt.cdi.v1beta1.CDISpec', 'Installation and configuration of CDI.', {
  certConfig: optional(anyObject, 'Lifetime and renewal of certificates.'),
  cloneStrategyOverride: optional(
    oneOf('copy', 'snapshot', 'csi-clone'),
    'Strategy for cloning all claims: copy, snapshot or csi-clone.',
  ),
  config: optional(CDIConfigSpec, 'Configuration that is copied to the CDIConfig named config.'),
  customizeComponents: optional(anyObject, "Patches and flags for CDI's components."),
  imagePullPolicy: optional(
    oneOf('Always', 'IfNotPresent', 'Never'),
    'Pull policy for images of components: Always, IfNotPresent or Never.',
  ),
  infra: optional(CDIInfra, "Node placement and number of CDI's components."),
  priorityClass: optional(string, 'Name of the PriorityClass of components.'),
  uninstallStrategy: optional(
    oneOf('RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'),
    'What happens to DataVolumes when CDI is uninstalled.',
  ),
  workload: optional(CDIWorkload, 'Placement of the worker pods.'),
});
export interface CDISpec extends Infer<typeof CDISpec> {}

export const CDIStatus = struct('io.kubevirt.cdi.v1beta1.CDIStatus', 'Observed state of the CDI installation.', {
  conditions: optional(list(CdiCondition), 'Conditions of the object: Available, Progressing and Degraded.'),
  observedVersion: optional(string, 'Version that is installed.'),
  operatorVersion: optional(string, 'Version of the CDI operator.'),
  phase: optional(string, 'Deploying, Deployed, Upgrading, Deleting, Deleted or Error.'),
  targetVersion: optional(string, 'Version that is being installed.'),
});
export interface CDIStatus extends Infer<typeof CDIStatus> {}

export const CDISchema = struct(
  'io.kubevirt.cdi.v1beta1.CDI',
  'Installation of the Containerized Data Importer (CDI).',
  {
    ...objectFields,
    spec: required(CDISpec, 'Desired state of the CDI.'),
    status: optional(CDIStatus, 'Observed state of the CDI. The system writes it.'),
  },
);
export interface CDI extends Infer<typeof CDISchema> {}

export const CDI = defineKind<CDI>({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'CDI',
  plural: 'cdis',
  namespaced: false,
  shortNames: ['cdi', 'cdis'],
  schema: CDISchema,
  columns: [ageDate, phaseColumn],
});
