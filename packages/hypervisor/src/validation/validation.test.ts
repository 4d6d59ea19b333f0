import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { registerHypervisor } from '../registries.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { kubevirtWith } from '../testing/kubevirt.ts';
import { refusedBasics } from '../testing/refusedBasics.ts';
import { refusedDevices } from '../testing/refusedDevices.ts';
import { refusedDisks } from '../testing/refusedDisks.ts';
import { refusedNetworks } from '../testing/refusedNetworks.ts';
import { refusedPlaces } from '../testing/refusedPlaces.ts';
import { refusedRest } from '../testing/refusedRest.ts';
import { card, claim, D, type Domain, pod, type Rest, volume, withDisk } from '../testing/specParts.ts';
import { summary, validateVm, validateVmi } from './index.ts';

const plain = clusterConfig(undefined);

describe('rules for a VMI', () => {
  const refused = [
    ...refusedBasics,
    ...refusedDevices,
    ...refusedDisks,
    ...refusedNetworks,
    ...refusedPlaces,
    ...refusedRest,
  ];
  it.each(refused)('%j %j: %s', (domain, rest, field, text) => {
    const errors = validateVmi(vmiWith(domain, rest), plain);
    const matching = errors.filter((error) => (typeof text === 'string' ? error.text === text : text.test(error.text)));
    expect(
      matching.map((error) => error.field),
      JSON.stringify(errors),
    ).toEqual([field]);
  });

  it('give each the cause that clients go by', async () => {
    const lines = refused.flatMap(([domain, rest]) =>
      validateVmi(vmiWith(domain, rest), plain).map(({ type, field, text }) => `${type} ${field}: ${text}`),
    );
    await expect(`${[...new Set(lines)].sort().join('\n')}\n`).toMatchFileSnapshot('../testing/causes.txt');
  });

  it.each<[string, Domain, Rest]>([
    ['next to nothing', {}, {}],
    [
      'a usual VMI',
      {
        ...withDisk,
        devices: { ...withDisk.devices, ...card({ masquerade: {}, ports: [{ port: 80, name: 'http' }] }).devices },
      },
      { ...pod, ...claim },
    ],
    ['an empty CD-ROM drive', { devices: { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] } }, {}],
    ['secure boot with SMM', { features: { smm: {} }, firmware: { bootloader: { efi: {} } } }, {}],
    ['another version of the machine type', { machine: { type: 'pc-q35-7.2' } }, {}],
    [
      'dedicated processors',
      { cpu: { cores: 2, dedicatedCpuPlacement: true }, resources: { requests: { memory: '1Gi' } } },
      {},
    ],
    ['arm64', { machine: { type: 'virt-7.2' }, cpu: { model: 'host-passthrough' } }, { architecture: 'arm64' }],
    [
      'memory over its limit, which grows with it',
      { memory: { guest: '2Gi' }, resources: { limits: { memory: '1Gi' } } },
      {},
    ],
  ])('accept %s', (_title, domain, rest) => {
    expect(validateVmi(vmiWith(domain, rest), plain)).toEqual([]);
  });

  it('speak of each repeated name and boot order', () => {
    const disks = [
      { name: 'root', bootOrder: 1 },
      { name: 'root', bootOrder: 1 },
    ];
    const texts = validateVmi(vmiWith({ devices: { disks } }, claim), plain).map(({ text }) => text);
    expect(texts).toEqual([
      `Boot order for ${D}.disks[1].bootOrder already set for a different device.`,
      `${D}.disks[1] and ${D}.disks[0] must not have the same Name.`,
    ]);
  });

  it('hold memory to its limit where nothing grows', () => {
    const config = clusterConfig(kubevirtWith({ vmRolloutStrategy: 'Stage' }));
    const domain = { memory: { guest: '2Gi' }, resources: { limits: { memory: '1Gi' } } };
    expect(validateVmi(vmiWith(domain), config)[0]?.text).toMatch(/must be equal to or less than the memory limit/);
  });

  it('follow gates', () => {
    const closed = clusterConfig(
      kubevirtWith({ developerConfiguration: { disabledFeatureGates: ['DeclarativeHotplugVolumes'] } }),
    );
    const empty = vmiWith({ devices: { disks: [{ name: 'cd', cdrom: {} }] } });
    expect(validateVmi(empty, closed)[0]?.text).toBe(
      'DeclarativeHotplugVolumes feature gate not enabled, cannot define an empty CD-ROM disk',
    );
    const open = clusterConfig(kubevirtWith({ developerConfiguration: { featureGates: ['HostDisk'] } }));
    const host = vmiWith(withDisk, volume({ hostDisk: { path: '/x', type: 'DiskOrCreate', capacity: '1Gi' } }));
    expect(validateVmi(host, open)).toEqual([]);
  });

  it('allow metrics of the host where their gate is open', () => {
    const open = clusterConfig(kubevirtWith({ developerConfiguration: { featureGates: ['DownwardMetrics'] } }));
    expect(validateVmi(vmiWith(withDisk, volume({ downwardMetrics: {} })), open)).toEqual([]);
    expect(validateVmi(vmiWith({ devices: { downwardMetrics: {} } }), open)).toEqual([]);
  });

  it('follow the settings of networks', () => {
    const config = clusterConfig(kubevirtWith({ network: { permitBridgeInterfaceOnPodNetwork: false } }));
    expect(validateVmi(vmiWith(card({ bridge: {} }), pod), config)).toEqual([
      {
        type: 'FieldValueInvalid',
        field: `${D}.interfaces[0].name`,
        text: 'Bridge on pod network configuration is not enabled under kubevirt-config',
      },
    ]);
  });

  it.each([
    ['kubevirt.io/ignitiondata', 'ExperimentalIgnitionSupport', 'ExperimentalIgnitionSupport'],
    ['hooks.kubevirt.io/hookSidecars', 'Sidecar', 'sidecar'],
  ])('open the annotation %s with the gate %s', (annotation, gate, word) => {
    const vmi = { ...vmiWith(), metadata: { ...vmiWith().metadata, annotations: { [annotation]: '{}' } } };
    const text = `${word} feature gate is not enabled in kubevirt-config, invalid entry metadata.annotations.${annotation}`;
    expect(validateVmi(vmi, plain)).toEqual([{ type: 'FieldValueInvalid', field: 'metadata.annotations', text }]);
    const open = clusterConfig(kubevirtWith({ developerConfiguration: { featureGates: [gate] } }));
    expect(validateVmi(vmi, open)).toEqual([]);
  });

  it('keep reserved labels for the system', () => {
    const vmi = vmiWith();
    const labelled = { ...vmi, metadata: { ...vmi.metadata, labels: { 'kubevirt.io/nodeName': 'n' } } };
    expect(validateVmi(labelled, plain).map(({ field }) => field)).toEqual(['metadata.labels']);
    expect(validateVmi(labelled, plain, { isSystem: true })).toEqual([]);
  });

  it('end with those of the hypervisor', () => {
    const error = { type: 'FieldValueForbidden', field: 'spec.domain.devices.rng', text: 'no dice' } as const;
    const unregister = registerHypervisor({ name: 'sample', admission: { validate: () => [error] } });
    expect(validateVmi(vmiWith(), { ...plain, hypervisor: 'sample' })).toEqual([error]);
    unregister();
  });

  it('are summed up by the first ten', () => {
    const errors = Array.from(
      { length: 12 },
      (_, index) => ({ type: 'FieldValueInvalid', field: 'f', text: `e${index}` }) as const,
    );
    expect(summary(errors)).toMatch(/^e0, e1, .*e9, and 2 more validation errors$/);
    expect(summary(errors.slice(0, 2))).toBe('e0, e1');
  });
});

describe('rules for a VM', () => {
  const vm = (spec: Partial<VirtualMachine['spec']>): VirtualMachine => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace: 'a', name: 'vm' },
    spec: { template: { spec: { domain: { devices: {} } } }, ...spec },
  });
  const template = (domain: object, more: object = {}) => ({
    template: { spec: { domain: { devices: {}, ...domain }, ...more } },
  });
  const source = { source: { blank: {} } };
  const using = (name: string) =>
    template({ devices: withDisk.devices }, { volumes: [{ name: 'root', dataVolume: { name } }] });

  it.each<[spec: Partial<VirtualMachine['spec']>, field: string, text: string]>([
    [{}, 'spec.runStrategy', 'RunStrategy must be specified'],
    [{ runStrategy: 'Sometimes' }, 'spec.runStrategy', 'Invalid RunStrategy (Sometimes)'],
    [{ runStrategy: 'WaitAsReceiver' }, 'spec.runStrategy', 'Invalid RunStrategy (WaitAsReceiver)'],
    [
      { runStrategy: 'Always', running: true },
      'spec.running',
      'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
    ],
    [
      { running: true, ...template({ machine: { type: 'x' } }) },
      'spec.template.spec.domain.machine.type',
      'spec.template.spec.domain.machine.type is not supported: x (allowed values: [q35* pc-q35*])',
    ],
    [
      { running: true, ...template({ machine: { type: 'q35,accel=kvm' } }) },
      'spec.template.spec.domain.machine.type',
      'spec.template.spec.domain.machine.type is not supported: q35,accel=kvm (allowed values: [q35* pc-q35*])',
    ],
    [
      { running: true, ...template({ memory: { guest: '2Gi', maxGuest: '1Gi' } }) },
      'spec.template.spec.domain.memory.guest',
      'Guest memory is greater than the configured maxGuest memory',
    ],
    [
      { running: true, dataVolumeTemplates: [{ metadata: { name: 'd' }, spec: { ...source, storage: {} } }] },
      'spec.dataVolumeTemplates[0]',
      "DataVolumeTemplate entry spec.dataVolumeTemplates[0] must be referenced in the VMI template's 'volumes' list",
    ],
    [
      { running: true, ...template({ memory: { maxGuest: '1Gi' } }) },
      'spec.template.spec.domain.memory.guest',
      'Guest memory must be configured when memory hotplug is enabled',
    ],
    [
      { running: true, ...template({ memory: { guest: '512Mi', maxGuest: '1Gi' } }) },
      'spec.template.spec.domain.memory.guest',
      'Memory hotplug is only available for VMs with at least 1Gi of guest memory',
    ],
    [
      {
        running: true,
        ...template({
          cpu: { cores: 1, dedicatedCpuPlacement: true, numa: { guestMappingPassthrough: {} } },
          memory: { guest: '1Gi', maxGuest: '2Gi', hugepages: { pageSize: '2Mi' } },
        }),
      },
      'spec.template.spec.domain.memory.guest',
      'Memory hotplug is not compatible with guest mapping passthrough',
    ],
    [
      { running: true, ...template({ memory: { guest: '1025Mi', maxGuest: '2Gi' } }) },
      'spec.template.spec.domain.memory.guest',
      'Guest memory must be 2Mi aligned',
    ],
    [
      {
        running: true,
        ...template({ memory: { guest: '1Gi', maxGuest: '1026Mi', hugepages: { pageSize: '1Gi' } } }),
      },
      'spec.template.spec.domain.memory.guest',
      'MaxGuest must be 1Gi aligned',
    ],
    [
      { running: true, ...using('d'), dataVolumeTemplates: [{ metadata: { name: 'd' }, spec: source }] },
      'spec.dataVolumeTemplates[0]',
      'Missing Data volume PVC or Storage',
    ],
    [
      {
        running: true,
        ...using('d'),
        dataVolumeTemplates: [{ metadata: { name: 'd' }, spec: { ...source, pvc: {}, storage: {} } }],
      },
      'spec.dataVolumeTemplates[0]',
      'Duplicate storage definition, both target storage and target pvc defined',
    ],
    [
      {
        running: true,
        ...using('d'),
        dataVolumeTemplates: [{ metadata: { name: 'd', namespace: 'b' }, spec: { ...source, storage: {} } }],
      },
      'spec.dataVolumeTemplates[0].namespace',
      'Embedded DataVolume namespace b differs from VM namespace a',
    ],
    [
      { running: true, dataVolumeTemplates: [{ metadata: {}, spec: { ...source, storage: {} } }] },
      'spec.dataVolumeTemplates[0].name',
      "'name' field must not be empty for DataVolumeTemplate entry spec.dataVolumeTemplates[0].",
    ],
  ])('%j', (spec, field, text) => {
    const errors = validateVm(vm(spec), plain);
    expect(errors.map((error) => [error.field, error.text])).toEqual([[field, text]]);
  });

  it('accept every run strategy, and templates without memory', () => {
    for (const runStrategy of ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once']) {
      expect(validateVm(vm({ runStrategy }), plain)).toEqual([]);
    }
    expect(validateVm(vm({ running: false }), plain)).toEqual([]);
  });

  it('let a VM go that is being deleted', () => {
    const leaving = vm({});
    leaving.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(validateVm(leaving, plain)).toEqual([]);
  });
});
