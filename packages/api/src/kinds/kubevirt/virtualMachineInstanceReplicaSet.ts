import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, list, string, struct } from '../../schema.ts';
import { replicaColumns, replicaScale } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { VirtualMachineInstanceTemplateSpec } from './virtualMachineInstanceSpec.ts';

export const VirtualMachineInstanceReplicaSetCondition = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSetCondition',
  'A condition of a replica set, such as ReplicaFailure.',
  conditionFields,
);
export interface VirtualMachineInstanceReplicaSetCondition
  extends Infer<typeof VirtualMachineInstanceReplicaSetCondition> {}

export const VirtualMachineInstanceReplicaSetSpec = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSetSpec',
  'Number, selector and template of the VMIs.',
  {
    paused: optional(boolean, 'Whether the controller leaves the VMIs alone.'),
    replicas: optional(int32, { default: 1, doc: 'Number of VirtualMachineInstances to keep. Defaults to 1.' }),
    selector: required(LabelSelector, 'Selects the VMIs that belong to the replica set by their labels.'),
    template: required(
      VirtualMachineInstanceTemplateSpec,
      'Template that the VirtualMachineInstances are created from.',
    ),
  },
);
export interface VirtualMachineInstanceReplicaSetSpec extends Infer<typeof VirtualMachineInstanceReplicaSetSpec> {}

export const VirtualMachineInstanceReplicaSetStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSetStatus',
  'Counts and conditions of a replica set.',
  {
    conditions: optional(
      list(VirtualMachineInstanceReplicaSetCondition),
      'Conditions of the replica set, such as ReplicaFailure.',
    ),
    labelSelector: optional(string, 'The label selector in its text form, as autoscalers read it.'),
    readyReplicas: optional(int32, 'Number of VMIs whose Ready condition is True.'),
    replicas: optional(int32, 'Number of VMIs that match the selector and have not ended.'),
  },
);
export interface VirtualMachineInstanceReplicaSetStatus extends Infer<typeof VirtualMachineInstanceReplicaSetStatus> {}

export const VirtualMachineInstanceReplicaSetSchema = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSet',
  'Keeps a number of identical VirtualMachineInstances running.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstanceReplicaSetSpec, 'Desired state of the VirtualMachineInstanceReplicaSet.'),
    status: optional(
      VirtualMachineInstanceReplicaSetStatus,
      'Observed state of the VirtualMachineInstanceReplicaSet. The system writes it.',
    ),
  },
);
export interface VirtualMachineInstanceReplicaSet extends Infer<typeof VirtualMachineInstanceReplicaSetSchema> {}

export const VirtualMachineInstanceReplicaSet = defineKind<VirtualMachineInstanceReplicaSet>({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceReplicaSet',
  plural: 'virtualmachineinstancereplicasets',
  namespaced: true,
  shortNames: ['vmirs', 'vmirss'],
  categories: ['all'],
  schema: VirtualMachineInstanceReplicaSetSchema,
  scale: replicaScale,
  columns: replicaColumns('VMIs'),
});
