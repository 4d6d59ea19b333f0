import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { registerHypervisor } from '../registries.ts';
import { machine } from '../testing/fixtures.ts';
import { kubevirtWith } from '../testing/kubevirt.ts';
import { summary, validateVm, validateVmi } from './index.ts';

const plain = clusterConfig(undefined);
type Domain = Partial<VirtualMachineInstanceSpec['domain']>;
type Rest = Partial<Omit<VirtualMachineInstanceSpec, 'domain'>>;

const pod = { networks: [{ name: 'default', pod: {} }] };
const card = (more: object): Domain => ({ devices: { interfaces: [{ name: 'default', ...more }] } });
const disk = (more: object): Domain => ({ devices: { disks: [{ name: 'root', ...more }] } });
const volume = (source: object): Rest => ({ volumes: [{ name: 'root', ...source }] });
const claim = volume({ persistentVolumeClaim: { claimName: 'c' } });
const withDisk: Domain = disk({ disk: { bus: 'virtio' } });
const D = 'spec.domain.devices';

/** Each line: what the spec says, which field is blamed, and in which words. */
const refused: [domain: Domain, rest: Rest, field: string, text: string | RegExp][] = [
  [{}, { hostname: 'A_B' }, 'spec.hostname', /^spec.hostname does not conform to the kubernetes DNS_LABEL rules : /],
  [
    {},
    { subdomain: '..' },
    'spec.subdomain',
    /^spec.subdomain does not conform to the kubernetes DNS_SUBDOMAIN rules : /,
  ],
  [
    { resources: { requests: { memory: '-1' } } },
    {},
    'spec.domain.resources.requests.memory',
    "spec.domain.resources.requests.memory '-1': must be greater than or equal to 0.",
  ],
  [
    { resources: { requests: { memory: '64' } } },
    {},
    'spec.domain.resources.requests.memory',
    "spec.domain.resources.requests.memory '64': must be greater than or equal to 1M.",
  ],
  [
    { resources: { limits: { memory: '-1' } } },
    {},
    'spec.domain.resources.limits.memory',
    "spec.domain.resources.limits.memory '-1': must be greater than or equal to 0.",
  ],
  [
    { resources: { requests: { memory: '65Mi' }, limits: { memory: '64Mi' } } },
    {},
    'spec.domain.resources.requests.memory',
    "spec.domain.resources.requests.memory '65Mi' is greater than spec.domain.resources.limits.memory '64Mi'",
  ],
  [
    { memory: { guest: '1Gi', hugepages: { pageSize: '2Mb' } } },
    {},
    'spec.domain.memory.hugepages.pageSize',
    /^spec.domain.memory.hugepages.pageSize '2Mb': quantities must match/,
  ],
  [
    { memory: { guest: '1Mi', hugepages: { pageSize: '2Mi' } } },
    {},
    'spec.domain.memory.guest',
    /must be equal to or larger than page size/,
  ],
  [
    { memory: { guest: '3Mi', hugepages: { pageSize: '2Mi' } } },
    {},
    'spec.domain.memory.guest',
    /is not a multiple of the page size/,
  ],
  [
    { machine: { type: 'pc-i440fx' } },
    {},
    'spec.domain.machine.type',
    'spec.domain.machine.type is not supported: pc-i440fx (allowed values: [q35* pc-q35*])',
  ],
  [
    { firmware: { acpi: {} } },
    {},
    'spec.domain.firmware.acpi',
    'ACPI was set but no SLIC nor MSDM volume reference was set',
  ],
  [
    { firmware: { acpi: { slicNameRef: 'x' } } },
    {},
    'spec.domain.firmware.acpi.slicNameRef',
    'spec.domain.firmware.acpi does not have a matching Volume.',
  ],
  [
    { resources: { requests: { cpu: '-1' } } },
    {},
    'spec.domain.resources.requests.cpu',
    "spec.domain.resources.requests.cpu '-1': must be greater than or equal to 0.",
  ],
  [
    { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    {},
    'spec.domain.resources.requests.cpu',
    "spec.domain.resources.requests.cpu '2' is greater than spec.domain.resources.limits.cpu '1'",
  ],
  [
    { cpu: { dedicatedCpuPlacement: true, cores: 1 } },
    {},
    'spec.domain.resources.limits.memory',
    'spec.domain.resources.requests.memory or spec.domain.resources.limits.memory should be provided',
  ],
  [
    { cpu: { dedicatedCpuPlacement: true }, resources: { requests: { cpu: '500m', memory: '1Gi' } } },
    {},
    'spec.domain.resources.requests.cpu',
    'provided resources CPU requests must be an interger',
  ],
  [
    { cpu: { dedicatedCpuPlacement: true, threads: 3 }, resources: { requests: { memory: '1Gi' } } },
    {},
    'spec.domain.cpu.dedicatedCpuPlacement',
    'Not more than two threads must be provided at spec.domain.cpu.threads (got 3) when DedicatedCPUPlacement is true',
  ],
  [
    { cpu: { numa: { guestMappingPassthrough: {} } }, memory: { guest: '2Mi', hugepages: { pageSize: '2Mi' } } },
    {},
    'spec.domain.cpu.numa.guestMappingPassthrough',
    'spec.domain.cpu.dedicatedCpuPlacement must be set to true when NUMA topology strategy is set in spec.domain.cpu.numa.guestMappingPassthrough',
  ],
  [
    { cpu: { isolateEmulatorThread: true } },
    {},
    'spec.domain.cpu.isolateEmulatorThread',
    'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
  ],
  [
    { cpu: { features: [{ name: 'vmx', policy: 'maybe' }] } },
    {},
    'spec.domain.cpu.features[0].policy',
    'CPU feature vmx uses policy maybe that is not supported.',
  ],
  [
    { cpu: { sockets: 4, maxSockets: 2 } },
    {},
    'spec.domain.cpu.sockets',
    'Number of sockets in CPU topology is greater than the maximum sockets allowed',
  ],
  [{}, { startStrategy: 'Fast' }, 'spec.startStrategy', 'spec.startStrategy is set with an unrecognized option: Fast'],
  [
    {},
    { startStrategy: 'Paused', livenessProbe: { guestAgentPing: {} } },
    'spec.startStrategy',
    /Pausing VMI with LivenessProbe is not supported$/,
  ],
  [{}, pod, 'spec.networks[0].name', "spec.networks[0].name 'default' not found."],
  [card({}), {}, `${D}.interfaces[0].name`, `${D}.interfaces[0].name 'default' not found.`],
  [card({}), { networks: [{ name: 'default' }] }, 'spec.networks[0]', 'should have a network type'],
  [
    card({}),
    { networks: [{ name: 'default', pod: {}, multus: { networkName: 'x' } }] },
    'spec.networks[0]',
    'should have only one network type',
  ],
  [
    card({}),
    { networks: [{ name: 'default', multus: { networkName: '' } }] },
    'spec.networks[0]',
    'CNI delegating plugin must have a networkName',
  ],
  [
    card({ model: 'ne3000' }),
    pod,
    `${D}.interfaces[0].model`,
    `interface ${D}.interfaces[0].name uses model ne3000 that is not supported.`,
  ],
  [
    card({ macAddress: 'nonsense' }),
    pod,
    `${D}.interfaces[0].macAddress`,
    `interface ${D}.interfaces[0].name has malformed MAC address (nonsense).`,
  ],
  [card({ macAddress: 'de:ad:00:00:be:af:00:01' }), pod, `${D}.interfaces[0].macAddress`, /that is too long\.$/],
  [
    card({ pciAddress: '0000:80.10.1' }),
    pod,
    `${D}.interfaces[0].pciAddress`,
    `interface ${D}.interfaces[0].name has malformed PCI address (0000:80.10.1).`,
  ],
  [card({ masquerade: {}, bridge: {} }), pod, `${D}.interfaces[0]`, /more than one interface binding method/],
  [card({ slirp: {} }), pod, `${D}.interfaces[0].name`, 'Slirp interface support has been discontinued since v1.3'],
  [
    card({ masquerade: {} }),
    { networks: [{ name: 'default', multus: { networkName: 'x' } }] },
    `${D}.interfaces[0].name`,
    'Masquerade interface only implemented with pod network',
  ],
  [
    card({ masquerade: {}, macAddress: '02:00:00:00:00:00' }),
    pod,
    `${D}.interfaces[0].macAddress`,
    'The requested MAC address is reserved for the in-pod bridge. Please choose another one.',
  ],
  [
    card({ state: 'maybe' }),
    pod,
    `${D}.interfaces[0].state`,
    'logical default interface state value is unsupported: maybe',
  ],
  [
    card({ ports: [{ port: 70000 }] }),
    pod,
    `${D}.interfaces[0].ports[0]`,
    'Port field must be in range 0 < x < 65536.',
  ],
  [
    card({ ports: [{ port: 80, protocol: 'SCTP' }] }),
    pod,
    `${D}.interfaces[0].ports[0].protocol`,
    'Unknown protocol, only TCP or UDP allowed',
  ],
  [
    card({ ports: [{ port: 80, name: 'Web' }] }),
    pod,
    `${D}.interfaces[0].ports[0].name`,
    'Invalid name of the port: Web',
  ],
  [
    card({ portRanges: [{ start: 1, end: 2, protocol: 'TCP' }] }),
    pod,
    `${D}.interfaces[0].portRanges`,
    'PortRanges feature gate is not enabled',
  ],
  [
    card({ dhcpOptions: { privateOptions: [{ option: 1, value: 'x' }] } }),
    pod,
    `${D}.interfaces[0]`,
    'provided DHCPPrivateOptions are out of range, must be in range 224 to 254',
  ],
  [
    card({ dhcpOptions: { ntpServers: ['::1'] } }),
    pod,
    `${D}.interfaces[0].dhcpOptions.ntpServers[0]`,
    'NTP servers must be a list of valid IPv4 addresses.',
  ],
  [withDisk, {}, `${D}.disks[0].name`, `${D}.disks[0].name 'root' not found.`],
  [
    disk({ lun: { bus: 'scsi' } }),
    volume({ containerDisk: { image: 'x' } }),
    `${D}.disks[0].lun`,
    `${D}.disks[0].lun can only be mapped to a DataVolume or PersistentVolumeClaim volume.`,
  ],
  [disk({ bootOrder: 0 }), claim, `${D}.disks[0].bootOrder`, `${D}.disks[0] must have a boot order > 0, if supplied`],
  [
    { devices: { inputs: [{ name: 'm', type: 'mouse', bus: 'usb' }] } },
    {},
    `${D}.inputs[0].type`,
    'Input device can have only tablet type.',
  ],
  [
    { devices: { inputs: [{ name: 'm', type: 'tablet', bus: 'ps2' }] } },
    {},
    `${D}.inputs[0].bus`,
    'Input device can have only virtio or usb bus.',
  ],
  [{ ioThreadsPolicy: 'many' }, {}, 'spec.domain.ioThreadsPolicy', 'Invalid IOThreadsPolicy (many)'],
  [
    {},
    { readinessProbe: {} },
    'spec.readinessProbe',
    'either spec.readinessProbe.tcpSocket, spec.readinessProbe.exec or spec.readinessProbe.httpGet must be set if a spec.readinessProbe is specified',
  ],
  [
    {},
    { readinessProbe: { tcpSocket: { port: 80 } } },
    'spec.readinessProbe.tcpSocket',
    'spec.readinessProbe.tcpSocket is only allowed if the Pod Network is attached',
  ],
  [disk({ disk: {}, cdrom: {} }), claim, `${D}.disks[0]`, `${D}.disks[0] can only have a single target type defined`],
  [disk({ disk: { bus: 'ide' } }), claim, `${D}.disks[0].disk.bus`, 'IDE bus is not supported'],
  [
    disk({ disk: { bus: 'floppy' } }),
    claim,
    `${D}.disks[0].disk.bus`,
    `${D}.disks[0] is set with an unrecognized bus floppy, must be one of: [virtio scsi sata usb]`,
  ],
  [
    disk({ cdrom: { bus: 'virtio' } }),
    claim,
    `${D}.disks[0].cdrom.bus`,
    'Bus type virtio is invalid for CD-ROM device',
  ],
  [
    disk({ disk: { bus: 'sata', readonly: true } }),
    claim,
    `${D}.disks[0].disk.bus`,
    'sata hard-disks do not support read-only.',
  ],
  [
    disk({ disk: { bus: 'sata' }, dedicatedIOThread: true }),
    claim,
    `${D}.disks[0]`,
    'IOThreads are not supported for disks on a sata bus',
  ],
  [
    disk({ serial: 'a b' }),
    claim,
    `${D}.disks[0].serial`,
    `${D}.disks[0] must be made up of the following characters [A-Za-z0-9_.+-], if specified`,
  ],
  [disk({ cache: 'unsafe' }), claim, `${D}.disks[0].cache`, `${D}.disks[0].cache has invalid value unsafe`],
  [disk({ errorPolicy: 'x' }), claim, `${D}.disks[0].errorPolicy`, `${D}.disks[0].errorPolicy has invalid value "x"`],
  [
    disk({ blockSize: { custom: { logical: 1234, physical: 4096 } } }),
    claim,
    `${D}.disks[0].blockSize.custom.logical`,
    'Provided size of 1234 is not a power of 2',
  ],
  [
    { firmware: { bootloader: { efi: { secureBoot: false }, bios: {} } } },
    {},
    'spec.domain.firmware.bootloader',
    'spec.domain.firmware.bootloader has both EFI and BIOS configured, but they are mutually exclusive.',
  ],
  [
    { firmware: { bootloader: { efi: {} } } },
    {},
    'spec.domain',
    'spec.domain has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.',
  ],
  [
    { firmware: { kernelBoot: { kernelArgs: 'x' } } },
    {},
    'spec.domain.firmware.kernelBoot.kernelArgs',
    'kernel arguments cannot be provided without an external kernel',
  ],
  [
    { firmware: { kernelBoot: { container: { image: 'x', kernelPath: '../k' } } } },
    {},
    'spec.domain.firmware.kernelBoot.container.kernelPath',
    /must be an absolute path to a file without relative components$/,
  ],
  [{ firmware: { serial: '<x>' } }, {}, 'spec.domain.firmware.serial', /must be made up of the following characters/],
  [withDisk, volume({}), 'spec.volumes[0]', 'spec.volumes[0] must have exactly one source type set'],
  [
    withDisk,
    volume({ cloudInitNoCloud: {} }),
    'spec.volumes[0].cloudInitNoCloud',
    'spec.volumes[0].cloudInitNoCloud must have at least one userdatasource or one networkdatasource set.',
  ],
  [
    withDisk,
    volume({ cloudInitNoCloud: { userDataBase64: '#!' } }),
    'spec.volumes[0].cloudInitNoCloud.userDataBase64',
    /is not a valid base64 value\.$/,
  ],
  [
    withDisk,
    volume({ cloudInitConfigDrive: { userData: 'ä'.repeat(1025) } }),
    'spec.volumes[0].cloudInitConfigDrive',
    /userdata exceeds 2048 byte limit/,
  ],
  [
    withDisk,
    volume({ hostDisk: { path: '/x', type: 'Disk' } }),
    'spec.volumes[0]',
    'HostDisk feature gate is not enabled',
  ],
  [
    withDisk,
    volume({ secret: {} }),
    'spec.volumes[0].secret.secretName',
    'spec.volumes[0].secret.secretName is a required field',
  ],
  [
    withDisk,
    volume({ containerDisk: { image: 'x', path: '/' } }),
    'spec.volumes[0].containerDisk',
    'spec.volumes[0].containerDisk must not point to root',
  ],
  [{}, claim, 'spec.domain.volumes[0].name', "spec.domain.volumes[0].name 'root' not found."],
  [
    {},
    { accessCredentials: [{}] },
    'spec.accessCredentials[0]',
    'spec.accessCredentials[0] must have exactly one access credential type set',
  ],
  [{}, { dnsPolicy: 'None' }, 'spec.dnsConfig', 'must provide `dnsConfig` when `dnsPolicy` is None'],
  [{}, { dnsConfig: { nameservers: ['dns'] } }, 'spec.dnsConfig.nameservers', 'must be valid IP address: dns'],
  [
    {},
    { evictionStrategy: 'Now' },
    'spec.evictionStrategy',
    'spec.evictionStrategy is set with an unrecognized option: Now',
  ],
  [
    { devices: { hostDevices: [] } },
    {},
    `${D}.hostDevices`,
    'Host Devices feature gate is not enabled in kubevirt-config',
  ],
  [
    { devices: { sound: { name: 's', model: 'sb16' } } },
    {},
    `${D}.sound`,
    "Sound device type is not supported. Options: 'ich9' or 'ac97'",
  ],
  [
    { devices: { autoattachVSOCK: true } },
    {},
    `${D}.autoattachVSOCK`,
    'VSOCK feature gate is not enabled in kubevirt-config',
  ],
  [{ devices: { video: { type: 'vga' } } }, { architecture: 's390x' }, `${D}.video.type`, /is not supported on s390x/],
  [
    { memory: {} },
    {},
    'spec.domain.memory.guest',
    "no memory requested, at least one of 'spec.domain.memory.guest', 'spec.domain.memory.hugepages.size' or 'spec.domain.resources.requests.memory' must be set",
  ],
  [
    { features: { hyperv: {}, hypervPassthrough: {} } },
    {},
    'spec.domain.features.hyperv',
    /cannot be used at the same time$/,
  ],
  [
    { features: { hyperv: { synictimer: { enabled: true }, synic: { enabled: false } } } },
    {},
    'spec.domain.features.hyperv.synictimer',
    /requires 'synic'/,
  ],
  [{}, { architecture: 'sparc' }, 'spec.architecture', 'unsupported architecture: sparc'],
  [
    { firmware: { bootloader: { bios: {} } } },
    { architecture: 'arm64' },
    'spec.domain.firmware.bootloader.bios',
    /uefi boot$/,
  ],
  [{ launchSecurity: { sev: {} } }, {}, 'spec.domain.launchSecurity', 'SEV requires OVMF (UEFI)'],
];

describe('rules for a VMI', () => {
  it.each(refused)('%j %j: %s', (domain, rest, field, text) => {
    const errors = validateVmi(machine(domain, rest), plain);
    const matching = errors.filter((error) => (typeof text === 'string' ? error.text === text : text.test(error.text)));
    expect(
      matching.map((error) => error.field),
      JSON.stringify(errors),
    ).toEqual([field]);
  });

  it.each<[string, Domain, Rest]>([
    ['next to nothing', {}, {}],
    [
      'a usual machine',
      {
        ...withDisk,
        devices: { ...withDisk.devices, ...card({ masquerade: {}, ports: [{ port: 80, name: 'http' }] }).devices },
      },
      { ...pod, ...claim },
    ],
    ['an empty CD-ROM drive', { devices: { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] } }, {}],
    ['secure boot with SMM', { features: { smm: {} }, firmware: { bootloader: { efi: {} } } }, {}],
    ['another version of the machine', { machine: { type: 'pc-q35-7.2' } }, {}],
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
    expect(validateVmi(machine(domain, rest), plain)).toEqual([]);
  });

  it('speak of each repeated name and boot order', () => {
    const disks = [
      { name: 'root', bootOrder: 1 },
      { name: 'root', bootOrder: 1 },
    ];
    const texts = validateVmi(machine({ devices: { disks } }, claim), plain).map(({ text }) => text);
    expect(texts).toEqual([
      `Boot order for ${D}.disks[1].bootOrder already set for a different device.`,
      `${D}.disks[1] and ${D}.disks[0] must not have the same Name.`,
    ]);
  });

  it('hold memory to its limit where nothing grows', () => {
    const config = clusterConfig(kubevirtWith({ vmRolloutStrategy: 'Stage' }));
    const domain = { memory: { guest: '2Gi' }, resources: { limits: { memory: '1Gi' } } };
    expect(validateVmi(machine(domain), config)[0]?.text).toMatch(/must be equal to or less than the memory limit/);
  });

  it('follow gates', () => {
    const closed = clusterConfig(
      kubevirtWith({ developerConfiguration: { disabledFeatureGates: ['DeclarativeHotplugVolumes'] } }),
    );
    const empty = machine({ devices: { disks: [{ name: 'cd', cdrom: {} }] } });
    expect(validateVmi(empty, closed)[0]?.text).toBe(
      'DeclarativeHotplugVolumes feature gate not enabled, cannot define an empty CD-ROM disk',
    );
    const open = clusterConfig(kubevirtWith({ developerConfiguration: { featureGates: ['HostDisk'] } }));
    const host = machine(withDisk, volume({ hostDisk: { path: '/x', type: 'DiskOrCreate', capacity: '1Gi' } }));
    expect(validateVmi(host, open)).toEqual([]);
  });

  it('keep reserved labels for the system', () => {
    const vmi = machine();
    const labelled = { ...vmi, metadata: { ...vmi.metadata, labels: { 'kubevirt.io/nodeName': 'n' } } };
    expect(validateVmi(labelled, plain).map(({ field }) => field)).toEqual(['metadata.labels']);
    expect(validateVmi(labelled, plain, { isSystem: true })).toEqual([]);
  });

  it('end with those of the hypervisor', () => {
    const error = { type: 'FieldValueForbidden', field: 'spec.domain.devices.rng', text: 'no dice' } as const;
    const unregister = registerHypervisor({ name: 'stub', admission: { validate: () => [error] } });
    expect(validateVmi(machine(), { ...plain, hypervisor: 'stub' })).toEqual([error]);
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
      { running: true, ...template({ memory: { guest: '2Gi', maxGuest: '1Gi' } }) },
      'spec.template.spec.domain.memory.guest',
      'Guest memory is greater than the configured maxGuest memory',
    ],
    [
      { running: true, dataVolumeTemplates: [{ metadata: { name: 'd' }, spec: { ...source, storage: {} } }] },
      'spec.dataVolumeTemplates[0]',
      "DataVolumeTemplate entry spec.dataVolumeTemplates[0] must be referenced in the VMI template's 'volumes' list",
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
