import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, list, string, struct } from '../../schema.ts';
import { ageDate, phaseColumn } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { KubeVirtSpec } from './kubeVirtSpec.ts';

export const KubeVirtCondition = struct(
  'io.kubevirt.v1.KubeVirtCondition',
  'A condition of the installation, such as Available.',
  conditionFields,
);
export interface KubeVirtCondition extends Infer<typeof KubeVirtCondition> {}

export const GenerationStatus = struct(
  'io.kubevirt.v1.GenerationStatus',
  'Generation of an installed object when it was last written.',
  {
    group: required(string, 'API group of the object.'),
    hash: optional(string, 'Checksum of an object without generations.'),
    lastGeneration: required(int64, 'Generation of the object when it was last written.'),
    name: required(string, 'Name of the object.'),
    namespace: optional(string, 'Namespace of the object.'),
    resource: required(string, 'Resource name of the object, in the plural.'),
  },
);
export interface GenerationStatus extends Infer<typeof GenerationStatus> {}

export const HypervisorStatus = struct(
  'io.kubevirt.v1.HypervisorStatus',
  'A group of nodes that run new guests with the same hypervisor.',
  {
    name: required(string, 'Name of the hypervisor.'),
    ready: required(boolean, 'Whether the nodes can run guests with the hypervisor.'),
    message: optional(string, 'Reason why the nodes cannot run guests with it.'),
    nodes: required(list(string, 'atomic'), 'Names of the nodes in the group.'),
  },
);
export interface HypervisorStatus extends Infer<typeof HypervisorStatus> {}

export const KubeVirtStatus = struct('io.kubevirt.v1.KubeVirtStatus', 'Observed state of the installation.', {
  activeHypervisor: optional(string, 'Name of the hypervisor that runs new guests.'),
  conditions: optional(
    list(KubeVirtCondition),
    'Conditions of the installation: Available, Progressing, Degraded and Created.',
  ),
  defaultArchitecture: optional(string, 'Architecture of guests that set none.'),
  generations: optional(list(GenerationStatus, 'atomic'), 'Objects of the installation, as they were last written.'),
  hypervisors: optional(
    list(HypervisorStatus, 'atomic'),
    'The hypervisor that runs new guests, for each group of nodes.',
  ),
  observedDeploymentConfig: optional(string, 'Configuration of the installed version.'),
  observedDeploymentID: optional(string, 'Checksum of the installed configuration.'),
  observedGeneration: optional(int64, 'The generation that this was observed at.'),
  observedKubeVirtRegistry: optional(string, 'Registry that the installed images come from.'),
  observedKubeVirtVersion: optional(string, 'Version that is installed.'),
  operatorVersion: optional(string, 'Version of the operator.'),
  outdatedVirtualMachineInstanceWorkloads: optional(int32, 'Number of running guests that an older version started.'),
  phase: optional(string, 'State of the installation: Deploying, Deployed, Deleting or Deleted.'),
  synchronizationAddresses: optional(
    list(string, 'atomic'),
    'Addresses at which other clusters reach this one for migrations.',
  ),
  targetDeploymentConfig: optional(string, 'Configuration that is being installed.'),
  targetDeploymentID: optional(string, 'Checksum of the configuration that is being installed.'),
  targetKubeVirtRegistry: optional(string, 'Registry of the images that are being installed.'),
  targetKubeVirtVersion: optional(string, 'Version that is being installed.'),
});
export interface KubeVirtStatus extends Infer<typeof KubeVirtStatus> {}

export const KubeVirtSchema = struct(
  'io.kubevirt.v1.KubeVirt',
  'Installation and cluster-wide configuration of KubeVirt.',
  {
    ...objectFields,
    spec: required(KubeVirtSpec, 'Desired state of the KubeVirt.'),
    status: optional(KubeVirtStatus, 'Observed state of the KubeVirt. The system writes it.'),
  },
);
export interface KubeVirt extends Infer<typeof KubeVirtSchema> {}

export const KubeVirt = defineKind<KubeVirt>({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  namespaced: true,
  shortNames: ['kv', 'kvs'],
  categories: ['all'],
  schema: KubeVirtSchema,
  columns: [ageDate, phaseColumn],
});
