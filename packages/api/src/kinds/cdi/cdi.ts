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
  affinity: optional(Affinity, 'Where they would like to be, and with whom.'),
  nodeSelector: optional(map(string), 'Labels that nodes must have.'),
  tolerations: optional(list(Toleration), 'Taints that they put up with.'),
} as const;

export const CDIWorkload = struct('io.kubevirt.cdi.v1beta1.NodePlacement', 'Where pods run.', placementFields);
export interface CDIWorkload extends Infer<typeof CDIWorkload> {}

export const CDIInfra = struct('io.kubevirt.cdi.v1beta1.ComponentConfig', 'Where components run, and how many.', {
  ...placementFields,
  apiServerReplicas: optional(int32, 'How many API servers.'),
  deploymentReplicas: optional(int32, 'How many controllers.'),
  uploadProxyReplicas: optional(int32, 'How many upload proxies.'),
});
export interface CDIInfra extends Infer<typeof CDIInfra> {}

export const CDISpec = struct('io.kubevirt.cdi.v1beta1.CDISpec', 'How the importer is installed and configured.', {
  certConfig: optional(anyObject, 'How certificates are renewed.'),
  cloneStrategyOverride: optional(oneOf('copy', 'snapshot', 'csi-clone'), 'How all claims are copied.'),
  config: optional(CDIConfigSpec, 'Settings.'),
  customizeComponents: optional(anyObject, 'Changes to the installation.'),
  imagePullPolicy: optional(oneOf('Always', 'IfNotPresent', 'Never'), 'How images of components are pulled.'),
  infra: optional(CDIInfra, 'Where controllers run.'),
  priorityClass: optional(string, 'Priority class of components.'),
  uninstallStrategy: optional(
    oneOf('RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'),
    'What happens to DataVolumes when the installation goes.',
  ),
  workload: optional(CDIWorkload, 'Where the pods that do the work run.'),
});
export interface CDISpec extends Infer<typeof CDISpec> {}

export const CDIStatus = struct('io.kubevirt.cdi.v1beta1.CDIStatus', 'How the installation is doing.', {
  conditions: optional(list(CdiCondition), 'Observations about it: Available, Progressing and Degraded.'),
  observedVersion: optional(string, 'Version that is installed.'),
  operatorVersion: optional(string, 'Version of the operator.'),
  phase: optional(string, 'Deploying, Deployed, Upgrading, Deleting, Deleted or Error.'),
  targetVersion: optional(string, 'Version that is to be installed.'),
});
export interface CDIStatus extends Infer<typeof CDIStatus> {}

export const CDISchema = struct('io.kubevirt.cdi.v1beta1.CDI', 'The installation of the importer.', {
  ...objectFields,
  spec: required(CDISpec, 'What is wanted.'),
  status: optional(CDIStatus, 'What was last observed. Written by the system.'),
});
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
