import type { VirtualMachineInstancePreset } from '@vireo/api/kinds/kubevirt/virtualMachineInstancePreset.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { applyPresets, presetConflicts } from './presets.ts';
import { deepFreeze } from './testing/deepFreeze.ts';
import { vmiWith } from './testing/fixtures.ts';
import type { Domain } from './testing/specParts.ts';

const preset = (name: string, domain: Domain, labels = { size: 'small' }) =>
  persisted<VirtualMachineInstancePreset>({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstancePreset',
    metadata: { name, namespace: 'shop' },
    spec: { selector: { matchLabels: labels }, domain: { devices: {}, ...domain } },
  });
const small = (domain: Domain = {}, annotations: Record<string, string> = {}) => {
  const vmi = vmiWith({ memory: {}, ...domain });
  return deepFreeze({ ...vmi, metadata: { ...vmi.metadata, labels: { size: 'small' }, annotations } });
};

describe('presets', () => {
  const presets = [
    preset('cores', { cpu: { cores: 2 } }),
    preset('memory', { resources: { requests: { memory: '64Mi' } }, features: { acpi: {} } }),
    preset('others', { cpu: { cores: 8 } }, { size: 'large' }),
  ];

  it('give VMIs of their labels what those leave open, and leave their names', () => {
    const { metadata, spec } = applyPresets(small(), presets);
    expect(spec.domain).toMatchObject({ cpu: { cores: 2 }, resources: { requests: { memory: '64Mi' } } });
    expect(metadata.annotations).toEqual({
      'virtualmachinepreset.kubevirt.io/cores': 'kubevirt.io/v1',
      'virtualmachinepreset.kubevirt.io/memory': 'kubevirt.io/v1',
    });
  });

  it('never change what a VMI says', () => {
    const vmi = small({ cpu: { sockets: 1 }, resources: { requests: { memory: '1Gi' } }, features: {} });
    expect(applyPresets(vmi, presets)).toBe(vmi);
  });

  it('leave alone those that want none', () => {
    const vmi = small({}, { 'virtualmachineinstancepresets.admission.kubevirt.io/exclude': 'true' });
    expect(applyPresets(vmi, presets)).toBe(vmi);
  });

  it('that differ are refused, both by name', () => {
    expect(presetConflicts(small(), presets)).toEqual([]);
    const both = [...presets, preset('more-cores', { cpu: { cores: 4 } })];
    expect(presetConflicts(small(), both)).toEqual([
      {
        type: 'FieldValueInvalid',
        field: 'spec.domain.cpu',
        text: "VirtualMachinePresets cannot be applied due to conflicts: presets 'cores' and 'more-cores' differ in cpu",
      },
    ]);
  });
});
