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
  'A condition of a VirtualMachinePool.',
  conditionFields,
);
export interface VirtualMachinePoolCondition extends Infer<typeof VirtualMachinePoolCondition> {}

export const VirtualMachinePoolNameGeneration = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolNameGeneration',
  'Whether the index of the VM is appended to names in its template.',
  {
    appendIndexToConfigMapRefs: optional(boolean, "Whether to append the VM's index to names of ConfigMaps."),
    appendIndexToSecretRefs: optional(boolean, "Whether to append the VM's index to names of Secrets."),
  },
);
export interface VirtualMachinePoolNameGeneration extends Infer<typeof VirtualMachinePoolNameGeneration> {}

export const VirtualMachinePoolTemplateSpec = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachineTemplateSpec',
  'Template for VirtualMachines.',
  {
    metadata: optional(templateMetadata, 'Labels and annotations of the created VirtualMachines.'),
    spec: optional(VirtualMachineSpec, 'Spec of the created VirtualMachines.'),
  },
);
export interface VirtualMachinePoolTemplateSpec extends Infer<typeof VirtualMachinePoolTemplateSpec> {}

export const VirtualMachinePoolSpec = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolSpec',
  'Number, selector and template of the VirtualMachines.',
  {
    autohealing: optional(VirtualMachinePoolAutohealingStrategy, 'When a VM that does not start is replaced.'),
    maxUnavailable: optional(
      intOrString,
      'Maximum number of VMs that may be down during an update, as a number or percentage. Defaults to 100%.',
    ),
    nameGeneration: optional(
      VirtualMachinePoolNameGeneration,
      'Whether the index of the VM is appended to names in its template.',
    ),
    paused: optional(boolean, 'Whether the controller leaves the VMs alone.'),
    replicas: optional(within(0, undefined, int32), {
      default: 1,
      doc: 'Number of VirtualMachines to keep. Defaults to 1.',
    }),
    scaleInStrategy: optional(VirtualMachinePoolScaleInStrategy, 'Which VMs are deleted when the pool shrinks.'),
    selector: required(LabelSelector, 'Selects the VMs that belong to the pool by their labels.'),
    updateStrategy: optional(VirtualMachinePoolUpdateStrategy, 'How a changed template reaches the VMs.'),
    virtualMachineTemplate: required(
      VirtualMachinePoolTemplateSpec,
      'Template that the VirtualMachines are created from.',
    ),
  },
);
export interface VirtualMachinePoolSpec extends Infer<typeof VirtualMachinePoolSpec> {}

export const VirtualMachinePoolStatus = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolStatus',
  'Counts and conditions of a VirtualMachinePool.',
  {
    conditions: optional(list(VirtualMachinePoolCondition, 'atomic'), 'Conditions of the pool.'),
    labelSelector: optional(string, 'The label selector in its text form, as autoscalers read it.'),
    readyReplicas: optional(int32, 'Number of VMs that are ready.'),
    replicas: optional(int32, 'Number of VMs in the pool.'),
  },
);
export interface VirtualMachinePoolStatus extends Infer<typeof VirtualMachinePoolStatus> {}

export const VirtualMachinePoolSchema = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePool',
  'Keeps a number of VirtualMachines, each with its own disks.',
  {
    ...objectFields,
    spec: required(VirtualMachinePoolSpec, 'Desired state of the VirtualMachinePool.'),
    status: optional(VirtualMachinePoolStatus, 'Observed state of the VirtualMachinePool. The system writes it.'),
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
  columns: replicaColumns('VMs'),
});
