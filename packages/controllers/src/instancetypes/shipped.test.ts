import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import {
  applyInstancetype,
  applyVmiDefaults,
  clusterConfig,
  instancetypeRules,
  preferenceRules,
  preferenceWarnings,
  unmetRequirements,
  validateVmi,
} from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { clusterPreferences } from './preferences.ts';
import { clusterInstancetypes } from './series.ts';

const config = clusterConfig(undefined);
const types = new Map(clusterInstancetypes().map((type) => [type.metadata.name ?? '', type]));
const preferences = new Map(clusterPreferences().map((each) => [each.metadata.name ?? '', each]));
const spec: VirtualMachineInstanceSpec = {
  architecture: 'amd64',
  domain: { devices: {} },
  volumes: [{ name: 'root', containerDisk: { image: 'vireo/guest' } }],
};
const NOW = '2026-01-01T00:00:00Z';

/** The VMI that a VM with nothing but a disk becomes, and what is wrong with it. */
function made(type: string, preference: string) {
  const given = { instancetype: types.get(type)?.spec, preference: preferences.get(preference)?.spec };
  const { vmi: applied, conflicts } = applyInstancetype({ spec, annotations: {} }, given, { config });
  const vmi = applyVmiDefaults(
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'it', namespace: 'default' },
      spec: applied.spec,
    },
    config,
    { randomUuid: () => '5d307ca9-b3ef-428c-8861-06e72d69f223', now: NOW },
  );
  return { vmi, problems: [...conflicts, ...validateVmi(vmi, config)].map(({ text }) => text) };
}

describe('the instance types that come along', () => {
  it.each([
    ['u1.nano', 1, '512Mi'],
    ['u1.2xlarge', 8, '32Gi'],
    ['o1.small', 1, '2Gi'],
    ['cx1.large', 2, '4Gi'],
    ['m1.large', 2, '16Gi'],
    ['n1.medium', 4, '4Gi'],
    ['rt1.micro', 1, '1Gi'],
  ])('%s has %i processors and %s', (name, guest, memory) => {
    const type = types.get(name);
    expect(type?.spec).toMatchObject({ cpu: { guest }, memory: { guest: memory } });
    expect(type?.metadata.labels).toMatchObject({
      'instancetype.kubevirt.io/cpu': String(guest),
      'instancetype.kubevirt.io/memory': memory,
      'instancetype.kubevirt.io/size': name.split('.')[1],
    });
  });

  it.each([...types.keys()])('%s makes a sound VM', (name) => {
    expect(instancetypeRules(types.get(name)?.spec ?? { cpu: { guest: 0 }, memory: { guest: 0 } })).toEqual([]);
    expect(made(name, 'cirros').problems).toEqual([]);
  });
});

describe('the preferences that come along', () => {
  it.each([...preferences.keys()])('%s makes a sound VM', (name) => {
    const preference = preferences.get(name)?.spec ?? {};
    expect([...preferenceRules(preference), ...preferenceWarnings(preference)]).toEqual([]);
    expect(made('u1.xlarge', name).problems).toEqual([]);
  });

  it('give Linux the devices of virtio', () => {
    const { devices } = made('u1.nano', 'linux').vmi.spec.domain;
    expect(devices).toMatchObject({ disks: [{ disk: { bus: 'virtio' } }], interfaces: [{ model: 'virtio' }], rng: {} });
  });

  it('give Windows 11 what it insists on, with drivers that it has', () => {
    const { domain } = made('u1.large', 'windows.11').vmi.spec;
    expect(domain).toMatchObject({
      cpu: { sockets: 1, cores: 2 },
      firmware: { bootloader: { efi: { secureBoot: true } } },
      features: { smm: { enabled: true }, hyperv: { synic: { enabled: true } } },
      clock: { timer: { hpet: { present: false }, hyperv: {} } },
      devices: {
        disks: [{ disk: { bus: 'sata' } }],
        interfaces: [{ model: 'e1000e' }],
        inputs: [{ bus: 'usb', type: 'tablet' }],
        tpm: { persistent: true },
      },
    });
  });

  it('tell what is too small for them', () => {
    const unmet = (type: string, preference: string) =>
      unmetRequirements(spec, types.get(type)?.spec, preferences.get(preference)?.spec).length;
    expect(unmet('u1.medium', 'windows.11')).toBe(1);
    expect(unmet('u1.2xmedium', 'windows.11')).toBe(0);
    expect(unmet('u1.nano', 'fedora')).toBe(1);
    expect(unmet('u1.nano', 'linux')).toBe(0);
  });
});
