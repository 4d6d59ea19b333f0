import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, list, string, struct } from '../../schema.ts';
import { ageDate, phaseColumn } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { KubeVirtSpec } from './kubeVirtSpec.ts';

export const KubeVirtCondition = struct(
  'io.kubevirt.v1.KubeVirtCondition',
  'One observation about the installation.',
  conditionFields,
);
export interface KubeVirtCondition extends Infer<typeof KubeVirtCondition> {}

export const GenerationStatus = struct(
  'io.kubevirt.v1.GenerationStatus',
  'An object of the installation, as it was last written.',
  {
    group: required(string, 'Group of the object.'),
    hash: optional(string, 'Checksum of an object without generations.'),
    lastGeneration: required(int64, 'Its generation then.'),
    name: required(string, 'Name of the object.'),
    namespace: optional(string, 'Namespace of the object.'),
    resource: required(string, 'Resource of the object.'),
  },
);
export interface GenerationStatus extends Infer<typeof GenerationStatus> {}

export const HypervisorStatus = struct(
  'io.kubevirt.v1.HypervisorStatus',
  'Nodes that are alike in what runs their new machines.',
  {
    name: required(string, 'The hypervisor.'),
    ready: required(boolean, 'Whether these nodes can run machines by it.'),
    message: optional(string, 'Why they cannot.'),
    nodes: required(list(string, 'atomic'), 'Names of the nodes.'),
  },
);
export interface HypervisorStatus extends Infer<typeof HypervisorStatus> {}

export const KubeVirtStatus = struct('io.kubevirt.v1.KubeVirtStatus', 'How the installation is doing.', {
  activeHypervisor: optional(string, 'What runs new machines.'),
  conditions: optional(
    list(KubeVirtCondition),
    'Observations about the installation: Available, Progressing, Degraded and Created.',
  ),
  defaultArchitecture: optional(string, 'Architecture when none is given.'),
  generations: optional(list(GenerationStatus, 'atomic'), 'Objects of the installation, as they were last written.'),
  hypervisors: optional(list(HypervisorStatus, 'atomic'), 'What runs new machines on each node.'),
  observedDeploymentConfig: optional(string, 'Settings of what is installed.'),
  observedDeploymentID: optional(string, 'Checksum of those settings.'),
  observedGeneration: optional(int64, 'The generation that this was observed at.'),
  observedKubeVirtRegistry: optional(string, 'Registry of what is installed.'),
  observedKubeVirtVersion: optional(string, 'Version that is installed.'),
  operatorVersion: optional(string, 'Version of the operator.'),
  outdatedVirtualMachineInstanceWorkloads: optional(int32, 'Running machines that were started by an older version.'),
  phase: optional(string, 'Deploying, Deployed, Deleting or Deleted.'),
  synchronizationAddresses: optional(list(string, 'atomic'), 'Where other clusters reach this one.'),
  targetDeploymentConfig: optional(string, 'Settings of what is to be installed.'),
  targetDeploymentID: optional(string, 'Checksum of those settings.'),
  targetKubeVirtRegistry: optional(string, 'Registry of what is to be installed.'),
  targetKubeVirtVersion: optional(string, 'Version that is to be installed.'),
});
export interface KubeVirtStatus extends Infer<typeof KubeVirtStatus> {}

export const KubeVirtSchema = struct(
  'io.kubevirt.v1.KubeVirt',
  'The installation: its settings, and how it is doing.',
  {
    ...objectFields,
    spec: required(KubeVirtSpec, 'What is wanted.'),
    status: optional(KubeVirtStatus, 'What was last observed. Written by the system.'),
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
