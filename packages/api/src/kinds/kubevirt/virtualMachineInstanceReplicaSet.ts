import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, list, string, struct } from '../../schema.ts';
import { replicaColumns, replicaScale } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { VirtualMachineInstanceTemplateSpec } from './virtualMachineInstanceSpec.ts';

export const VirtualMachineInstanceReplicaSetCondition = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSetCondition',
  'One observation about a replica set.',
  conditionFields,
);
export interface VirtualMachineInstanceReplicaSetCondition
  extends Infer<typeof VirtualMachineInstanceReplicaSetCondition> {}

export const VirtualMachineInstanceReplicaSetSpec = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSetSpec',
  'How many instances, of what.',
  {
    paused: optional(boolean, 'Whether the controller leaves the instances alone.'),
    replicas: optional(int32, { default: 1, doc: 'How many instances.' }),
    selector: required(LabelSelector, 'Labels of the instances that belong to it.'),
    template: required(VirtualMachineInstanceTemplateSpec, 'What the instances are made from.'),
  },
);
export interface VirtualMachineInstanceReplicaSetSpec extends Infer<typeof VirtualMachineInstanceReplicaSetSpec> {}

export const VirtualMachineInstanceReplicaSetStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSetStatus',
  'How a replica set is doing.',
  {
    conditions: optional(
      list(VirtualMachineInstanceReplicaSetCondition),
      'Observations about the replica set, one a type.',
    ),
    labelSelector: optional(string, 'The selector as text, for autoscalers.'),
    readyReplicas: optional(int32, 'Instances that are ready.'),
    replicas: optional(int32, 'Instances that there are.'),
  },
);
export interface VirtualMachineInstanceReplicaSetStatus extends Infer<typeof VirtualMachineInstanceReplicaSetStatus> {}

export const VirtualMachineInstanceReplicaSetSchema = struct(
  'io.kubevirt.v1.VirtualMachineInstanceReplicaSet',
  'A number of instances of one kind.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstanceReplicaSetSpec, 'What is wanted.'),
    status: optional(VirtualMachineInstanceReplicaSetStatus, 'What was last observed. Written by the system.'),
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
  columns: replicaColumns('instances'),
});
