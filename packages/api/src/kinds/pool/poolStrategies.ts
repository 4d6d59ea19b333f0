import { type Infer, int64, list, oneOf, struct } from '../../schema.ts';
import { NodeSelectorRequirement } from '../core/nodeSelector.ts';
import { duration, optional, within } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const VirtualMachinePoolSelectors = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolSelectors',
  'Selects VMs of the pool. All given selectors must match.',
  {
    labelSelector: optional(LabelSelector, 'Selects VMs by their labels and those of their templates.'),
    nodeSelectorRequirementMatcher: optional(
      list(NodeSelectorRequirement),
      'Selects VMs by the labels of their nodes and the node selectors of their templates.',
    ),
  },
);
export interface VirtualMachinePoolSelectors extends Infer<typeof VirtualMachinePoolSelectors> {}

export const VirtualMachinePoolSelectionPolicy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolSelectionPolicy',
  'Order in which VMs are selected.',
  {
    selectors: optional(VirtualMachinePoolSelectors, 'VMs to choose from. Others are left alone.'),
    sortPolicy: optional(
      oneOf('AscendingOrder', 'DescendingOrder', 'Newest', 'Oldest', 'Random'),
      'Order of the VMs: AscendingOrder or DescendingOrder of their index, Newest, Oldest or Random. Defaults to Random.',
    ),
  },
);
export interface VirtualMachinePoolSelectionPolicy extends Infer<typeof VirtualMachinePoolSelectionPolicy> {}

export const VirtualMachinePoolUnmanagedStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolUnmanagedStrategy',
  'Leaves the VMs alone.',
  {},
);
export interface VirtualMachinePoolUnmanagedStrategy extends Infer<typeof VirtualMachinePoolUnmanagedStrategy> {}

export const VirtualMachinePoolOpportunisticScaleInStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolOpportunisticScaleInStrategy',
  'Shrinks the pool only as VMs are deleted by others.',
  {
    statePreservation: optional(
      oneOf('Disabled', 'Offline', 'Online'),
      'What is preserved: nothing (Disabled), claims (Offline), or claims and memory (Online).',
    ),
  },
);
export interface VirtualMachinePoolOpportunisticScaleInStrategy
  extends Infer<typeof VirtualMachinePoolOpportunisticScaleInStrategy> {}

export const VirtualMachinePoolProactiveScaleInStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolProactiveScaleInStrategy',
  'Deletes VMs to shrink the pool.',
  {
    selectionPolicy: optional(VirtualMachinePoolSelectionPolicy, 'Order in which VMs are deleted.'),
    statePreservation: optional(
      oneOf('Disabled', 'Offline', 'Online'),
      'What is preserved: nothing (Disabled), claims (Offline), or claims and memory (Online).',
    ),
  },
);
export interface VirtualMachinePoolProactiveScaleInStrategy
  extends Infer<typeof VirtualMachinePoolProactiveScaleInStrategy> {}

export const VirtualMachinePoolScaleInStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolScaleInStrategy',
  'How the pool shrinks. Set exactly one field.',
  {
    opportunistic: optional(
      VirtualMachinePoolOpportunisticScaleInStrategy,
      'Shrink the pool only as VMs are deleted by others.',
    ),
    proactive: optional(
      VirtualMachinePoolProactiveScaleInStrategy,
      'Delete VMs to shrink the pool. This is the default.',
    ),
    unmanaged: optional(VirtualMachinePoolUnmanagedStrategy, 'Leave the VMs alone. The pool does not delete any.'),
  },
);
export interface VirtualMachinePoolScaleInStrategy extends Infer<typeof VirtualMachinePoolScaleInStrategy> {}

export const VirtualMachineOpportunisticUpdateStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachineOpportunisticUpdateStrategy',
  'Changes a running VM at its next start.',
  {},
);
export interface VirtualMachineOpportunisticUpdateStrategy
  extends Infer<typeof VirtualMachineOpportunisticUpdateStrategy> {}

export const VirtualMachinePoolProactiveUpdateStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolProactiveUpdateStrategy',
  'Restarts running VMs to change them.',
  {
    selectionPolicy: optional(VirtualMachinePoolSelectionPolicy, 'Order in which VMs are restarted.'),
  },
);
export interface VirtualMachinePoolProactiveUpdateStrategy
  extends Infer<typeof VirtualMachinePoolProactiveUpdateStrategy> {}

export const VirtualMachinePoolUpdateStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolUpdateStrategy',
  'How a changed template reaches the VMs. Set exactly one field.',
  {
    opportunistic: optional(VirtualMachineOpportunisticUpdateStrategy, 'Change a running VM at its next start.'),
    proactive: optional(
      VirtualMachinePoolProactiveUpdateStrategy,
      'Restart running VMs to change them. This is the default.',
    ),
    unmanaged: optional(VirtualMachinePoolUnmanagedStrategy, 'Leave the VMs as they are.'),
  },
);
export interface VirtualMachinePoolUpdateStrategy extends Infer<typeof VirtualMachinePoolUpdateStrategy> {}

export const VirtualMachinePoolAutohealingStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolAutohealingStrategy',
  'When a VM that does not start is replaced.',
  {
    minFailingToStartDuration: optional(duration, 'Time for which a VM must have failed to start. Defaults to 5m.'),
    startUpFailureThreshold: optional(
      within(1, undefined, int64),
      'Number of starts that must have failed. Defaults to 3.',
    ),
  },
);
export interface VirtualMachinePoolAutohealingStrategy extends Infer<typeof VirtualMachinePoolAutohealingStrategy> {}
