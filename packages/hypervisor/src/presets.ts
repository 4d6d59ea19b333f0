import { isDeepStrictEqual } from 'node:util';
import { type FieldError, fieldError, type Persisted } from '@vireo/api';
import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstancePreset } from '@vireo/api/kinds/kubevirt/virtualMachineInstancePreset.ts';
import { type LabelSelectorObject, selectorFromObject } from '@vireo/api/labelSelector.ts';

type Preset = Persisted<VirtualMachineInstancePreset>;

/** On VMIs that want no presets. */
const EXCLUDE_ANNOTATION = 'virtualmachineinstancepresets.admission.kubevirt.io/exclude';
/** On VMIs, with the name of each preset that they have something of. */
const APPLIED_PREFIX = 'virtualmachinepreset.kubevirt.io/';

/** What a preset can give, each as a whole; the settings of the domain by their paths. */
type Settings = Readonly<Record<string, unknown>>;

function settingsOf(domain: DomainSpec | undefined): Settings {
  const { cpu, firmware, clock, features, ioThreadsPolicy, resources, devices } = domain ?? {};
  const requests = Object.entries(resources?.requests ?? {}).map(
    ([name, amount]) => [`resources.requests.${name}`, amount] as const,
  );
  const all = { cpu, firmware, clock, features, ioThreadsPolicy, 'devices.watchdog': devices?.watchdog };
  return Object.fromEntries([...Object.entries(all), ...requests].filter(([, value]) => value !== undefined));
}

/** The presets for a VMI, in the order of their names. */
function presetsFor({ metadata }: VirtualMachineInstance, presets: readonly Preset[]): Preset[] {
  if (metadata.annotations?.[EXCLUDE_ANNOTATION] === 'true') return [];
  return presets
    .filter(
      ({ spec }) => spec && selectorFromObject(spec.selector as LabelSelectorObject).matches(metadata.labels ?? {}),
    )
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** What presets disagree on: nobody could say which of them is meant. */
export function presetConflicts(vmi: VirtualMachineInstance, presets: readonly Preset[]): FieldError[] {
  const first = new Map<string, { readonly by: string; readonly value: unknown }>();
  return presetsFor(vmi, presets).flatMap(({ metadata, spec }) =>
    Object.entries(settingsOf(spec?.domain)).flatMap(([path, value]) => {
      const earlier = first.get(path);
      if (!earlier) first.set(path, { by: metadata.name, value });
      if (!earlier || isDeepStrictEqual(earlier.value, value)) return [];
      const text = `VirtualMachinePresets cannot be applied due to conflicts: presets '${earlier.by}' and '${metadata.name}' differ in ${path}`;
      return [fieldError(`spec.domain.${path}`, text)];
    }),
  );
}

/** The VMI with what its presets give; what it says itself stays. */
export function applyPresets(vmi: VirtualMachineInstance, presets: readonly Preset[]): VirtualMachineInstance {
  let { metadata, spec } = vmi;
  for (const preset of presetsFor(vmi, presets)) {
    const own = settingsOf(spec.domain);
    const given = Object.entries(settingsOf(preset.spec?.domain)).filter(([path]) => own[path] === undefined);
    if (given.length === 0) continue;
    const applied = { [`${APPLIED_PREFIX}${preset.metadata.name}`]: preset.apiVersion };
    metadata = { ...metadata, annotations: { ...metadata.annotations, ...applied } };
    spec = { ...spec, domain: given.reduce(withSetting, spec.domain) };
  }
  return spec === vmi.spec ? vmi : { ...vmi, metadata, spec };
}

function withSetting(domain: DomainSpec, [path, value]: readonly [path: string, value: unknown]): DomainSpec {
  const request = /^resources\.requests\.(.+)$/.exec(path)?.[1];
  if (request !== undefined) {
    const requests = { ...domain.resources?.requests, [request]: value as string };
    return { ...domain, resources: { ...domain.resources, requests } };
  }
  if (path === 'devices.watchdog') return { ...domain, devices: { ...domain.devices, watchdog: value } } as DomainSpec;
  return { ...domain, [path]: value };
}
