import { boolean, type Infer, int32, int64, list, map, oneOf, quantity, string, struct } from '../../schema.ts';
import { atMost, nullable, optional } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';
import {
  ArchConfiguration,
  ConfidentialComputeConfiguration,
  HypervisorConfiguration,
  SMBiosConfiguration,
} from './architectureConfiguration.ts';
import {
  DeveloperConfiguration,
  ReloadableComponentConfiguration,
  SeccompConfiguration,
  SupportContainerResources,
  TLSConfiguration,
} from './componentConfiguration.ts';
import { MediatedDevicesConfiguration, PermittedHostDevices } from './hostDeviceConfiguration.ts';
import { MigrationConfiguration } from './migrationConfiguration.ts';
import { NetworkConfiguration } from './networkConfiguration.ts';

export const ChangedBlockTrackingSelectors = struct(
  'io.kubevirt.v1.ChangedBlockTrackingSelectors',
  'Machines whose changed blocks are tracked.',
  {
    namespaceLabelSelector: optional(LabelSelector, 'Namespaces whose machines are.'),
    virtualMachineLabelSelector: optional(LabelSelector, 'Machines that are.'),
  },
);
export interface ChangedBlockTrackingSelectors extends Infer<typeof ChangedBlockTrackingSelectors> {}

export const CommonInstancetypesDeployment = struct(
  'io.kubevirt.v1.CommonInstancetypesDeployment',
  'The instance types that come with KubeVirt.',
  {
    enabled: optional(nullable(boolean), 'Whether they are there; true when missing.'),
  },
);
export interface CommonInstancetypesDeployment extends Infer<typeof CommonInstancetypesDeployment> {}

export const VirtTemplateDeployment = struct(
  'io.kubevirt.v1.VirtTemplateDeployment',
  'The templates that come with KubeVirt.',
  {
    enabled: optional(nullable(boolean), 'Whether they are there.'),
  },
);
export interface VirtTemplateDeployment extends Infer<typeof VirtTemplateDeployment> {}

export const InstancetypeConfiguration = struct(
  'io.kubevirt.v1.InstancetypeConfiguration',
  'How machines refer to instance types.',
  {
    referencePolicy: optional(
      nullable(oneOf('reference', 'expand', 'expandAll')),
      'reference, expand (write them into the machine) or expandAll (those with a revision too). reference when missing.',
    ),
  },
);
export interface InstancetypeConfiguration extends Infer<typeof InstancetypeConfiguration> {}

export const KSMConfiguration = struct('io.kubevirt.v1.KSMConfiguration', 'Nodes that share equal memory pages.', {
  nodeLabelSelector: optional(LabelSelector, 'Labels of the nodes.'),
});
export interface KSMConfiguration extends Infer<typeof KSMConfiguration> {}

export const LiveUpdateConfiguration = struct(
  'io.kubevirt.v1.LiveUpdateConfiguration',
  'How far running machines can grow.',
  {
    maxCpuSockets: optional(int64, 'Sockets at most.'),
    maxGuest: optional(quantity, 'Memory at most.'),
    maxHotplugRatio: optional(int64, 'How many times its size a machine can grow to; 4 when missing.'),
  },
);
export interface LiveUpdateConfiguration extends Infer<typeof LiveUpdateConfiguration> {}

export const PersistentReservationConfiguration = struct(
  'io.kubevirt.v1.PersistentReservationConfiguration',
  'SCSI reservations by guests.',
  {
    enabled: optional(boolean, 'Whether they are possible.'),
  },
);
export interface PersistentReservationConfiguration extends Infer<typeof PersistentReservationConfiguration> {}

export const DisableFreePageReporting = struct(
  'io.kubevirt.v1.DisableFreePageReporting',
  'Guests do not tell which pages are free.',
  {},
);
export interface DisableFreePageReporting extends Infer<typeof DisableFreePageReporting> {}

export const DisableSerialConsoleLog = struct(
  'io.kubevirt.v1.DisableSerialConsoleLog',
  'Serial consoles are not logged.',
  {},
);
export interface DisableSerialConsoleLog extends Infer<typeof DisableSerialConsoleLog> {}

export const VirtualMachineOptions = struct('io.kubevirt.v1.VirtualMachineOptions', 'Settings for all machines.', {
  disableFreePageReporting: optional(DisableFreePageReporting, 'Guests do not tell which pages are free.'),
  disableSerialConsoleLog: optional(DisableSerialConsoleLog, 'Serial consoles are not logged.'),
});
export interface VirtualMachineOptions extends Infer<typeof VirtualMachineOptions> {}

export const KubeVirtConfiguration = struct(
  'io.kubevirt.v1.KubeVirtConfiguration',
  'Settings of the whole installation.',
  {
    additionalGuestMemoryOverheadRatio: optional(string, 'Factor on the calculated memory overhead; 1 when missing.'),
    apiConfiguration: optional(ReloadableComponentConfiguration, 'Settings of virt-api.'),
    architectureConfiguration: optional(ArchConfiguration, 'Defaults by architecture.'),
    autoCPULimitNamespaceLabelSelector: optional(LabelSelector, 'Namespaces whose machines get a processor limit.'),
    changedBlockTrackingLabelSelectors: optional(
      nullable(ChangedBlockTrackingSelectors),
      'Machines whose changed blocks are tracked.',
    ),
    commonInstancetypesDeployment: optional(
      nullable(CommonInstancetypesDeployment),
      'The instance types that come with KubeVirt.',
    ),
    confidentialCompute: optional(
      nullable(ConfidentialComputeConfiguration),
      'Settings of guests that are protected from their host.',
    ),
    controllerConfiguration: optional(ReloadableComponentConfiguration, 'Settings of virt-controller.'),
    cpuModel: optional(string, 'Processor model when none is given.'),
    cpuRequest: optional(quantity, 'Processor time to set aside when none is given.'),
    defaultRuntimeClass: optional(string, 'Runtime class of launchers.'),
    developerConfiguration: optional(DeveloperConfiguration, 'Settings for developers, feature gates among them.'),
    emulatedMachines: optional(list(string), "Old place of architectureConfiguration's."),
    evictionStrategy: optional(
      string,
      'What happens to machines when their node is drained: None, LiveMigrate, LiveMigrateIfPossible or External.',
    ),
    handlerConfiguration: optional(ReloadableComponentConfiguration, 'Settings of virt-handler.'),
    hypervisorConfiguration: optional(
      HypervisorConfiguration,
      'The hypervisor of the cluster; goes before hypervisors.',
    ),
    hypervisors: optional(
      atMost(1, list(HypervisorConfiguration, 'atomic')),
      'The hypervisor of the cluster; one at most.',
    ),
    imagePullPolicy: optional(oneOf('Always', 'IfNotPresent', 'Never'), 'How images of launchers are pulled.'),
    instancetype: optional(nullable(InstancetypeConfiguration), 'How machines refer to instance types.'),
    ksmConfiguration: optional(KSMConfiguration, 'Nodes that share equal memory pages.'),
    liveUpdateConfiguration: optional(LiveUpdateConfiguration, 'How far running machines can grow.'),
    machineType: optional(string, "Old place of architectureConfiguration's."),
    mediatedDevicesConfiguration: optional(MediatedDevicesConfiguration, 'Virtual devices that nodes make.'),
    memBalloonStatsPeriod: optional(int64, "Seconds between two reports of a guest's memory."),
    migrations: optional(MigrationConfiguration, 'How machines are migrated.'),
    minCPUModel: optional(string, 'No longer used.'),
    network: optional(NetworkConfiguration, 'How machines are joined to networks.'),
    obsoleteCPUModels: optional(map(boolean), 'Processor models that are not used, by name.'),
    ovmfPath: optional(string, "Old place of architectureConfiguration's."),
    permittedHostDevices: optional(PermittedHostDevices, 'Devices of nodes that machines may use.'),
    persistentReservationConfiguration: optional(
      nullable(PersistentReservationConfiguration),
      'SCSI reservations by guests.',
    ),
    roleAggregationStrategy: optional(
      oneOf('AggregateToDefault', 'Manual'),
      'Whether our cluster roles add to admin, edit and view: AggregateToDefault or Manual.',
    ),
    seccompConfiguration: optional(SeccompConfiguration, 'Seccomp settings.'),
    selinuxLauncherType: optional(string, 'SELinux type of launchers.'),
    smbios: optional(SMBiosConfiguration, 'What guests read about their maker.'),
    supportContainerResources: optional(
      list(SupportContainerResources, ['type']),
      'What containers that serve a machine need.',
    ),
    supportedGuestAgentVersions: optional(list(string), 'No longer used.'),
    tlsConfiguration: optional(TLSConfiguration, 'Settings of TLS.'),
    virtTemplateDeployment: optional(nullable(VirtTemplateDeployment), 'The templates that come with KubeVirt.'),
    virtualMachineInstancesPerNode: optional(int32, 'How many machines a node may run; 1000 when missing.'),
    virtualMachineOptions: optional(VirtualMachineOptions, 'Settings for all machines.'),
    vmRolloutStrategy: optional(
      nullable(oneOf('Stage', 'LiveUpdate')),
      'How changes reach running machines: LiveUpdate where possible, or Stage them for the next start.',
    ),
    vmStateStorageClass: optional(string, 'Storage class for the state of TPM and UEFI.'),
    webhookConfiguration: optional(ReloadableComponentConfiguration, 'Settings of the webhooks.'),
  },
);
export interface KubeVirtConfiguration extends Infer<typeof KubeVirtConfiguration> {}
