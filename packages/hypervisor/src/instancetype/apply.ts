import type { FieldError } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { completeStructure } from '../defaults/structure.ts';
import { withDefaults } from './defaults.ts';
import { preferAutoattach } from './deviceDefaults.ts';
import { type AnnotatedVmiSpec, sizeConflicts, withSize } from './size.ts';

/** What gives a VM its size and its defaults. */
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
 * A VM with its instance type and preference written out. What the instance type gives is the VM's for good:
 * that the VM says something else is a conflict. A preference speaks only where the VM is silent.
 *
 * @example
 * applyInstancetype({ spec, annotations: {} }, { instancetype: { cpu: { guest: 2 }, memory: { guest: '4Gi' } } }, { config });
 */
export function applyInstancetype(
  vmi: AnnotatedVmiSpec,
  { instancetype, preference }: InstancetypeAndPreference,
  { config, path = 'spec.template.spec' }: ApplyOptions,
): { vmi: AnnotatedVmiSpec; conflicts: FieldError[] } {
  if (!instancetype && !preference) return { vmi, conflicts: [] };
  const conflicts = instancetype ? sizeConflicts(vmi, instancetype, preference, path) : [];
  if (conflicts.length > 0) return { vmi, conflicts };
  // Devices that come by themselves are there before preferences are: those are for them too.
  const spec = completeStructure(preferAutoattach(vmi.spec, preference?.devices), config);
  const whole = { ...vmi, spec };
  const sized = instancetype ? withSize(whole, instancetype, preference) : whole;
  return { vmi: preference ? withDefaults(sized, preference) : sized, conflicts: [] };
}
