import type { FieldError } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { completeStructure } from '../defaults/structure.ts';
import { withDefaults } from './defaults.ts';
import { preferAutoattach } from './deviceDefaults.ts';
import { type Machine, sizeConflicts, withSize } from './size.ts';

/** What gives a machine its size and its defaults. */
export interface InstancetypeAndPreference {
  readonly instancetype?: VirtualMachineInstancetypeSpec | undefined;
  readonly preference?: VirtualMachinePreferenceSpec | undefined;
}

/** Where the spec stands in its object, for messages. */
export interface ApplyOptions {
  readonly config: ClusterConfig;
  /** Default: that of a VM's template. */
  readonly path?: string;
}

/**
 * A machine with its instance type and preference written out. What the instance type gives is the machine's for good:
 * that the machine says something else is a conflict. A preference speaks only where the machine is silent.
 *
 * @example
 * applyInstancetype({ spec, annotations: {} }, { instancetype: { cpu: { guest: 2 }, memory: { guest: '4Gi' } } }, { config });
 */
export function applyInstancetype(
  machine: Machine,
  { instancetype, preference }: InstancetypeAndPreference,
  { config, path = 'spec.template.spec' }: ApplyOptions,
): { machine: Machine; conflicts: FieldError[] } {
  if (!instancetype && !preference) return { machine, conflicts: [] };
  const conflicts = instancetype ? sizeConflicts(machine, instancetype, preference, path) : [];
  if (conflicts.length > 0) return { machine, conflicts };
  // Devices that come by themselves are there before preferences are: those are for them too.
  const spec = completeStructure(preferAutoattach(machine.spec, preference?.devices), config);
  const whole = { ...machine, spec };
  const sized = instancetype ? withSize(whole, instancetype, preference) : whole;
  return { machine: preference ? withDefaults(sized, preference) : sized, conflicts: [] };
}
