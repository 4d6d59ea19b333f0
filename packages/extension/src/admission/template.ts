import { type FieldError, field } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { validateAnnotations, validateLabels } from '@vireo/api/validateMeta.ts';
import { applyPresets, missingMemory } from '@vireo/hypervisor';
import type { AdmissionContext } from './rule.ts';

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
  { config, presets }: AdmissionContext,
): Promise<FieldError[]> {
  if (!spec) return [];
  const settings = await config();
  const errors = missingMemory(spec, path, settings);
  if (errors.length === 0) return [];
  const preset = applyPresets({ metadata, spec } as VirtualMachineInstance, (await presets?.(namespace)) ?? []);
  return missingMemory(preset.spec, path, settings);
}

/** What is wrong with labels and annotations that everything made from a template gets. */
export const templateMetaErrors = (metadata: Template['metadata'], path: string): FieldError[] =>
  [
    ...validateLabels(metadata?.labels ?? {}, `${path}.labels`),
    ...validateAnnotations(metadata?.annotations ?? {}, `${path}.annotations`),
  ].map(withFieldInText);

/** What is wrong with the beginning of the names that are generated. */
export const namePrefixErrors = (prefix: string, path: string): FieldError[] =>
  dnsSubdomain(prefix, true).map((why) => withFieldInText(field.invalid(path, prefix, why)));

/** Refusals are made of whole sentences: each names its field. */
const withFieldInText = (error: FieldError): FieldError => ({ ...error, text: `${error.field}: ${error.text}` });
