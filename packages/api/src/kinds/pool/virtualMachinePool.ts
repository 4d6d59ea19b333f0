import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, intOrString, list, string, struct } from '../../schema.ts';
import { replicaColumns, replicaScale } from '../customColumns.ts';
import { conditionFields, optional, required, templateMetadata, within } from '../customResource.ts';
import { VirtualMachineSpec } from '../kubevirt/virtualMachineSpec.ts';
import { LabelSelector } from '../meta/selectors.ts';
import {
  VirtualMachinePoolAutohealingStrategy,
  VirtualMachinePoolScaleInStrategy,
  VirtualMachinePoolUpdateStrategy,
} from './poolStrategies.ts';

export const VirtualMachinePoolCondition = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolCondition',
  'One observation about a pool.',
  conditionFields,
);
export interface VirtualMachinePoolCondition extends Infer<typeof VirtualMachinePoolCondition> {}

export const VirtualMachinePoolNameGeneration = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolNameGeneration',
  'Names that carry the number of the machine.',
  {
    appendIndexToConfigMapRefs: optional(boolean, 'Whether names of ConfigMaps do.'),
    appendIndexToSecretRefs: optional(boolean, 'Whether names of Secrets do.'),
  },
);
export interface VirtualMachinePoolNameGeneration extends Infer<typeof VirtualMachinePoolNameGeneration> {}

export const VirtualMachinePoolTemplateSpec = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachineTemplateSpec',
  'What machines are made from.',
  {
    metadata: optional(templateMetadata, 'Labels and annotations for the machines.'),
    spec: optional(VirtualMachineSpec, 'What the machines are made of.'),
  },
);
export interface VirtualMachinePoolTemplateSpec extends Infer<typeof VirtualMachinePoolTemplateSpec> {}

export const VirtualMachinePoolSpec = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolSpec',
  'How many machines, of what.',
  {
    autohealing: optional(VirtualMachinePoolAutohealingStrategy, 'When a machine that does not start is replaced.'),
    maxUnavailable: optional(
      intOrString,
      'How many machines may be down during an update, as a number or a percentage; 100% when missing.',
    ),
    nameGeneration: optional(VirtualMachinePoolNameGeneration, 'Names that carry the number of the machine.'),
    paused: optional(boolean, 'Whether the controller leaves the machines alone.'),
    replicas: optional(within(0, undefined, int32), { default: 1, doc: 'How many machines.' }),
    scaleInStrategy: optional(VirtualMachinePoolScaleInStrategy, 'How the pool shrinks.'),
    selector: required(LabelSelector, 'Labels of the machines that belong to it.'),
    updateStrategy: optional(VirtualMachinePoolUpdateStrategy, 'How a new template reaches the machines.'),
    virtualMachineTemplate: required(VirtualMachinePoolTemplateSpec, 'What the machines are made from.'),
  },
);
export interface VirtualMachinePoolSpec extends Infer<typeof VirtualMachinePoolSpec> {}

export const VirtualMachinePoolStatus = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolStatus',
  'How a pool is doing.',
  {
    conditions: optional(list(VirtualMachinePoolCondition, 'atomic'), 'Observations about the pool, one a type.'),
    labelSelector: optional(string, 'The selector as text, for autoscalers.'),
    readyReplicas: optional(int32, 'Machines that are ready.'),
    replicas: optional(int32, 'Machines that there are.'),
  },
);
export interface VirtualMachinePoolStatus extends Infer<typeof VirtualMachinePoolStatus> {}

export const VirtualMachinePoolSchema = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePool',
  'A number of machines of one kind, each with disks of its own.',
  {
    ...objectFields,
    spec: required(VirtualMachinePoolSpec, 'What is wanted.'),
    status: optional(VirtualMachinePoolStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachinePool extends Infer<typeof VirtualMachinePoolSchema> {}

export const VirtualMachinePool = defineKind<VirtualMachinePool>({
  group: 'pool.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachinePool',
  plural: 'virtualmachinepools',
  namespaced: true,
  shortNames: ['vmpool', 'vmpools'],
  categories: ['all'],
  schema: VirtualMachinePoolSchema,
  scale: replicaScale,
  columns: replicaColumns('machines'),
});
