import { type Infer, int64, list, oneOf, struct } from '../../schema.ts';
import { NodeSelectorRequirement } from '../core/nodeSelector.ts';
import { duration, optional, within } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const VirtualMachinePoolSelectors = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolSelectors',
  'Selects VMs of the pool. All given selectors must match.',
  {
    labelSelector: optional(LabelSelector, 'Selects VMs by their labels.'),
    nodeSelectorRequirementMatcher: optional(
      list(NodeSelectorRequirement),
      'Selects VMs by the labels of their nodes.',
    ),
  },
);
export interface VirtualMachinePoolSelectors extends Infer<typeof VirtualMachinePoolSelectors> {}

export const VirtualMachinePoolSelectionPolicy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolSelectionPolicy',
  'Order in which VMs are selected.',
  {
    selectors: optional(VirtualMachinePoolSelectors, 'VMs to select before all others.'),
    sortPolicy: optional(
      oneOf('AscendingOrder', 'DescendingOrder', 'Newest', 'Oldest', 'Random'),
      'AscendingOrder and DescendingOrder of their numbers, Newest, Oldest or Random. Random when missing.',
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
      'What stays of them: Disabled for nothing, Offline for claims, Online for memory too.',
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
      'What stays of them: Disabled for nothing, Offline for claims, Online for memory too.',
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
      'Machines go when they are deleted by someone else.',
    ),
    proactive: optional(VirtualMachinePoolProactiveScaleInStrategy, 'Machines are deleted; so when nothing is said.'),
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
    opportunistic: optional(VirtualMachineOpportunisticUpdateStrategy, 'Running machines change at their next start.'),
    proactive: optional(
      VirtualMachinePoolProactiveUpdateStrategy,
      'Running machines are restarted; so when nothing is said.',
    ),
    unmanaged: optional(VirtualMachinePoolUnmanagedStrategy, 'Leave the VMs as they are.'),
  },
);
export interface VirtualMachinePoolUpdateStrategy extends Infer<typeof VirtualMachinePoolUpdateStrategy> {}

export const VirtualMachinePoolAutohealingStrategy = struct(
  'io.kubevirt.pool.v1beta1.VirtualMachinePoolAutohealingStrategy',
  'When a VM that does not start is replaced.',
  {
    minFailingToStartDuration: optional(duration, 'How long it must have failed; 5m when missing.'),
    startUpFailureThreshold: optional(within(1, undefined, int64), 'How many starts must have failed; 3 when missing.'),
  },
);
export interface VirtualMachinePoolAutohealingStrategy extends Infer<typeof VirtualMachinePoolAutohealingStrategy> {}
