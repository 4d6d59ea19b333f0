import type { FieldError } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { applyPresets, missingMemory } from '@vireo/hypervisor';
import type { AdmissionWorld } from './rule.ts';

/** What VMIs are made from. */
export interface Template {
  readonly metadata?: Pick<VirtualMachineInstance['metadata'], 'labels' | 'annotations'> | undefined;
  readonly spec?: VirtualMachineInstance['spec'] | undefined;
}

/** What is wrong where no VMI of the template would have memory, presets included: every one of them would be refused. */
export async function memoryErrors(
  { metadata = {}, spec }: Template,
  path: string,
  namespace = '',
  { config, presets }: AdmissionWorld,
): Promise<FieldError[]> {
  if (!spec) return [];
  const settings = await config();
  const errors = missingMemory(spec, path, settings);
  if (errors.length === 0) return [];
  const preset = applyPresets({ metadata, spec } as VirtualMachineInstance, (await presets?.(namespace)) ?? []);
  return missingMemory(preset.spec, path, settings);
}
