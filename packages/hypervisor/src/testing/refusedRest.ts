import type { Refusal } from './refusal.ts';
import { D, type Domain, type Rest } from './specParts.ts';

const dedicated = (cpu: object, resources: object = {}): Domain => ({
  cpu: { dedicatedCpuPlacement: true, ...cpu },
  resources,
});
const GATE = 'feature gate is not enabled in kubevirt-config';
const secret = { source: { secret: { secretName: 's' } } };
const agent = { propagationMethod: { qemuGuestAgent: {} } };
const credential = (of: object): Rest => ({ accessCredentials: [of] });
const KEYS = 'spec.accessCredentials[0].sshPublicKey';
const efi = { firmware: { bootloader: { efi: { secureBoot: false } } } };
const SECURITY = 'spec.domain.launchSecurity';
const AFFINITY = 'spec.affinity';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const BOOT = 'spec.domain.firmware.kernelBoot.container';
const SPREAD = 'spec.topologySpreadConstraints[0]';

/** Each line: what the spec says about all but disks and networks, which field is blamed, and in which words. */
export const refusedRest: Refusal[] = [
  [
    { resources: { limits: { cpu: '-1' } } },
    {},
    'spec.domain.resources.limits.cpu',
    "spec.domain.resources.limits.cpu '-1': must be greater than or equal to 0.",
  ],
  [
    dedicated({}, { limits: { cpu: '500m' } }),
    {},
    'spec.domain.resources.limits.cpu',
    'provided resources CPU limits must be an interger',
  ],
  [
    dedicated({ cores: 1 }, { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } }),
    {},
    'spec.domain.resources.requests.memory',
    'spec.domain.resources.requests.memory must be equal to spec.domain.resources.limits.memory',
  ],
  [dedicated({}), {}, 'spec.domain.cpu.dedicatedCpuPlacement', /must be provided when DedicatedCPUPlacement is true $/],
  [
    dedicated({}, { requests: { cpu: '1' }, limits: { cpu: '2' } }),
    {},
    'spec.domain.cpu.dedicatedCpuPlacement',
    /must be equal when DedicatedCPUPlacement is true $/,
  ],
  [
    dedicated({ cores: 2 }, { requests: { cpu: '3' }, limits: { cpu: '3' } }),
    {},
    'spec.domain.cpu.dedicatedCpuPlacement',
    /must not be provided at the same time with spec.domain.cpu.cores when DedicatedCPUPlacement is true $/,
  ],
  [
    dedicated({ threads: 2 }),
    { architecture: 'arm64' },
    'spec.architecture',
    'threads must not be greater than 1 at spec.domain.cpu.threads (got 2) when spec.architecture is arm64',
  ],
  [
    { cpu: { cores: 1, dedicatedCpuPlacement: true, numa: { guestMappingPassthrough: {} } } },
    {},
    'spec.domain.cpu.numa.guestMappingPassthrough',
    'spec.domain.memory.hugepages must be requested when NUMA topology strategy is set in spec.domain.cpu.numa.guestMappingPassthrough',
  ],
  [
    { cpu: { realtime: {} } },
    {},
    'spec.domain.cpu.dedicatedCpuPlacement',
    'spec.domain.cpu.dedicatedCpuPlacement must be set to true when spec.domain.cpu.realtime is used',
  ],
  [
    { cpu: { realtime: {} } },
    {},
    'spec.domain.cpu.numa.guestMappingPassthrough',
    'spec.domain.cpu.numa.guestMappingPassthrough must be defined when spec.domain.cpu.realtime is used',
  ],
  [
    { cpu: { cores: 4, realtime: { mask: '0-7,^1' } } },
    {},
    'spec.domain.cpu.realtime.mask',
    "spec.domain.cpu.realtime.mask '0-7,^1' must name vCPUs from 0 to 3, such as 0-3",
  ],
  [
    {},
    { affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [] } } } },
    `${AFFINITY}.nodeAffinity.${REQUIRED}.nodeSelectorTerms`,
    /Required value: must have at least one node selector term$/,
  ],
  [
    {},
    { affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 0, preference: {} }] } } },
    `${AFFINITY}.nodeAffinity.${PREFERRED}[0].weight`,
    /must be in the range 1-100$/,
  ],
  [
    {},
    { affinity: { podAffinity: { [PREFERRED]: [{ weight: 101, podAffinityTerm: { topologyKey: 'x' } }] } } },
    `${AFFINITY}.podAffinity.${PREFERRED}[0].weight`,
    /must be in the range 1-100$/,
  ],
  [
    {},
    { affinity: { podAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: '' } }] } } },
    `${AFFINITY}.podAffinity.${PREFERRED}[0].podAffinityTerm.topologyKey`,
    /Required value: can not be empty$/,
  ],
  [
    {},
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'DoNotSchedule' }] },
    `${SPREAD}.topologyKey`,
    /Required value: can not be empty$/,
  ],
  [
    {},
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'Never' }] },
    `${SPREAD}.whenUnsatisfiable`,
    /Unsupported value: "Never"/,
  ],
  [
    { firmware: { acpi: { msdmNameRef: 'v' } } },
    { volumes: [{ name: 'v', emptyDisk: { capacity: '1Gi' } }] },
    'spec.domain.firmware.acpi.msdmNameRef',
    'spec.domain.firmware.acpi refers to Volume of unsupported type.',
  ],
  [
    { firmware: { serial: 'a'.repeat(257) } },
    {},
    'spec.domain.firmware.serial',
    'spec.domain.firmware.serial must be less than or equal to 256 in length, if specified',
  ],
  [
    { firmware: { kernelBoot: { container: { image: '', kernelPath: '/k' } } } },
    {},
    `${BOOT}.image`,
    `${BOOT} must be defined with an image`,
  ],
  [
    { firmware: { kernelBoot: { container: { image: 'x' } } } },
    {},
    BOOT,
    `${BOOT} must be defined with at least one of the following: kernelPath, initrdPath`,
  ],
  [
    { firmware: { kernelBoot: { container: { image: 'x', initrdPath: '/' } } } },
    {},
    `${BOOT}.initrdPath`,
    `${BOOT}.initrdPath must not point to root`,
  ],
  [
    { ioThreadsPolicy: 'supplementalPool' },
    {},
    'spec.domain.ioThreads.supplementalPoolThreadCount',
    'the number of iothreads needs to be set and positive for the dedicated policy',
  ],
  [
    {},
    credential({ sshPublicKey: { propagationMethod: { noCloud: {} } } }),
    `${KEYS}.source`,
    'spec.accessCredentials[0] must have exactly one source set',
  ],
  [
    {},
    credential({ sshPublicKey: { ...secret, propagationMethod: {} } }),
    `${KEYS}.propagationMethod`,
    'spec.accessCredentials[0] must have exactly one propagationMethod set',
  ],
  [
    {},
    credential({ userPassword: { ...agent } }),
    'spec.accessCredentials[0].userPassword.source',
    'spec.accessCredentials[0] must have exactly one source set',
  ],
  [
    {},
    credential({ userPassword: { ...secret, propagationMethod: {} } }),
    'spec.accessCredentials[0].userPassword.propagationMethod',
    'spec.accessCredentials[0] must have exactly one propagationMethod set',
  ],
  [
    {},
    credential({ sshPublicKey: { ...secret, propagationMethod: { noCloud: {} } } }),
    `${KEYS}.propagationMethod`,
    /requires a noCloud volume to exist/,
  ],
  [
    {},
    credential({ sshPublicKey: { ...secret, propagationMethod: { configDrive: {} } } }),
    `${KEYS}.propagationMethod`,
    /requires a configDrive volume to exist/,
  ],
  [
    {},
    credential({ sshPublicKey: { ...secret, ...agent } }),
    `${KEYS}.propagationMethod.qemuGuestAgent.users`,
    'spec.accessCredentials[0] requires at least one user to be present in the users list',
  ],
  [
    {},
    { dnsPolicy: 'None', dnsConfig: {} },
    'spec.dnsConfig.nameservers',
    'must provide at least one DNS nameserver when `dnsPolicy` is None',
  ],
  [
    {
      devices: {
        gpus: ['a', 'b'].map((name) => ({
          name,
          deviceName: 'x/y',
          virtualGPUOptions: { display: { ramFB: { enabled: true } } },
        })),
      },
    },
    {},
    `${D}.gpus`,
    'configuring multiple displays with ramfb is not valid ',
  ],
  [{ devices: { sound: { name: '' } } }, {}, `${D}.sound`, 'Sound device requires a name field.'],
  [{ devices: { downwardMetrics: {} } }, {}, `${D}.downwardMetrics`, `DownwardMetrics ${GATE}`],
  [
    { devices: { filesystems: [{ name: 'share', virtiofs: {} }] } },
    { volumes: [{ name: 'share', persistentVolumeClaim: { claimName: 'c' } }] },
    `${D}.filesystems`,
    /^virtiofs is not allowed: virtiofs feature gate is not enabled for PVC; add EnableVirtioFsStorageVolumes to /,
  ],
  [
    { devices: { filesystems: [{ name: 'share', virtiofs: {} }] } },
    {},
    `${D}.filesystems[0].name`,
    `${D}.filesystems[0].name 'share' not found.`,
  ],
  [
    { devices: { filesystems: ['share', 'share'].map((name) => ({ name, virtiofs: {} })) } },
    { volumes: [{ name: 'share', configMap: { name: 'c' } }] },
    `${D}.filesystems[1].name`,
    `${D}.filesystems[1] and ${D}.filesystems[0] must not have the same Name.`,
  ],
  [
    { devices: { filesystems: [{ name: 's'.repeat(37), virtiofs: {} }] } },
    { volumes: [{ name: 's'.repeat(37), configMap: { name: 'c' } }] },
    `${D}.filesystems[0].name`,
    /is longer than the 36 bytes that virtiofs has for it$/,
  ],
  [
    { devices: { filesystems: [{ name: 'share', virtiofs: {} }], disks: [{ name: 'share', disk: {} }] } },
    { volumes: [{ name: 'share', secret: { secretName: 's' } }] },
    `${D}.filesystems[0].name`,
    /'share' is also the name of a disk: a volume is either a disk or a filesystem$/,
  ],
  [
    { devices: { filesystems: [{ name: 'share', virtiofs: {} }] } },
    { volumes: [{ name: 'share', emptyDisk: { capacity: '1Gi' } }] },
    `${D}.filesystems[0].name`,
    /'share' is a volume of kind emptyDisk, which cannot be shared: use persistentVolumeClaim, /,
  ],
  [{ rebootPolicy: 'Terminate' }, {}, 'spec.domain.rebootPolicy', `RebootPolicy ${GATE}`],
  [
    { memory: { guest: '1Gi', reservedOverhead: {} } },
    {},
    'spec.domain.memory.reservedOverhead',
    `ReservedOverheadMemlock ${GATE}`,
  ],
  [
    { devices: { video: { type: 'vga' }, autoattachGraphicsDevice: false } },
    {},
    `${D}.video`,
    `${D}.video is not allowed when ${D}.autoattachGraphicsDevice is false`,
  ],
  [{ devices: { video: { type: 'vga' } } }, { architecture: 'arm64' }, `${D}.video.type`, /is not supported on arm64/],
  [
    { devices: { panicDevices: [{ model: 'isa' }] } },
    { architecture: 's390x' },
    `${D}.panicDevices[0].model`,
    'custom panic devices are not supported on s390x architecture',
  ],
  [
    { devices: { panicDevices: [{ model: 'blue' }] } },
    {},
    `${D}.panicDevices[0].model`,
    `${D}.panicDevices[0].model: blue is not one of hyperv, isa, pvpanic`,
  ],
  [{}, { serviceAccountName: 'A B' }, 'spec.serviceAccountName', /^spec.serviceAccountName .*lower case alphanumeric/],
  [
    { devices: { disks: [{ name: 'token', disk: { bus: 'virtio' } }] } },
    { serviceAccountName: 'a', volumes: [{ name: 'token', serviceAccount: { serviceAccountName: 'b' } }] },
    'spec.serviceAccountName',
    'spec.serviceAccountName must be the service account of the serviceAccount volume, b',
  ],
  [{ launchSecurity: {} }, { architecture: 's390x' }, SECURITY, `SecureExecution ${GATE}`],
  [{ launchSecurity: { sev: {} } }, { architecture: 'arm64' }, SECURITY, 'launch security is not supported on arm64'],
  [
    { ...efi, launchSecurity: { sev: {}, tdx: {} } },
    {},
    SECURITY,
    'One and only one launch security type should be set',
  ],
  [{ ...efi, launchSecurity: { snp: {} } }, {}, SECURITY, `WorkloadEncryptionSEV ${GATE}`],
  [{ ...efi, launchSecurity: { tdx: {} } }, {}, SECURITY, `WorkloadEncryptionTDX ${GATE}`],
  [
    { launchSecurity: { sev: {} }, features: { smm: {} }, firmware: { bootloader: { efi: {} } } },
    {},
    SECURITY,
    'SEV does not work along with SecureBoot',
  ],
  [
    { ...efi, launchSecurity: { sev: { attestation: {} } } },
    {},
    SECURITY,
    "SEV attestation requires VMI StartStrategy 'Paused'",
  ],
  [
    { ...efi, launchSecurity: { sev: {} }, devices: { interfaces: [{ name: 'n', bridge: {}, bootOrder: 1 }] } },
    { networks: [{ name: 'n', pod: {} }] },
    SECURITY,
    'SEV does not work with bootable NICs: n',
  ],
  [
    {
      features: { hyperv: { evmcs: { enabled: true }, vapic: { enabled: true } } },
      cpu: { features: [{ name: 'vmx', policy: 'disable' }] },
    },
    {},
    'spec.domain.cpu.features',
    'evmcs requires the CPU feature vmx with the policy require',
  ],
  [
    { devices: { watchdog: { name: 'w', diag288: {} } } },
    {},
    `${D}.watchdog.diag288`,
    'amd64 only supports i6300esb watchdog device',
  ],
  [
    { devices: { watchdog: { name: 'w', i6300esb: {} } } },
    { architecture: 's390x' },
    `${D}.watchdog.i6300esb`,
    's390x only supports diag288 watchdog device',
  ],
  [{ devices: { watchdog: { name: 'w' } } }, {}, `${D}.watchdog`, `${D}.watchdog must have the model i6300esb`],
  [
    { devices: { watchdog: { name: 'w', i6300esb: { action: 'bark' } } } },
    {},
    `${D}.watchdog.i6300esb.action`,
    `${D}.watchdog.i6300esb.action bark is not one of poweroff, reset, shutdown`,
  ],
  [
    { devices: { watchdog: { name: 'w', i6300esb: {} } } },
    { architecture: 'arm64' },
    `${D}.watchdog`,
    'Arm64 not support Watchdog device',
  ],
  [
    { firmware: { bootloader: { efi: {} } }, features: { smm: {} } },
    { architecture: 'arm64' },
    'spec.domain.firmware.bootloader.efi.secureboot',
    'UEFI secure boot is currently not supported on aarch64 Arch',
  ],
  [
    { cpu: { model: 'Haswell' } },
    { architecture: 'arm64' },
    'spec.domain.cpu.model',
    'currently, Haswell is not supported on Arm64 Arch',
  ],
  [
    { devices: { disks: [{ name: 'root', disk: { bus: 'sata' } }] } },
    { architecture: 'arm64', volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }] },
    `${D}.disks[0].disk.bus`,
    'Arm64 not support this disk bus type, please use virtio or scsi',
  ],
  [{ devices: { sound: { name: 's' } } }, { architecture: 'arm64' }, `${D}.sound`, 'Arm64 not support sound device'],
];
