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
  'Selects the VMs whose changed blocks are tracked.',
  {
    namespaceLabelSelector: optional(LabelSelector, 'Selects the namespaces of the VMs.'),
    virtualMachineLabelSelector: optional(LabelSelector, 'Selects the VMs by their labels.'),
  },
);
export interface ChangedBlockTrackingSelectors extends Infer<typeof ChangedBlockTrackingSelectors> {}

export const CommonInstancetypesDeployment = struct(
  'io.kubevirt.v1.CommonInstancetypesDeployment',
  'Deployment of the common instance types and preferences.',
  {
    enabled: optional(nullable(boolean), 'Whether they are deployed. Defaults to true.'),
  },
);
export interface CommonInstancetypesDeployment extends Infer<typeof CommonInstancetypesDeployment> {}

export const VirtTemplateDeployment = struct(
  'io.kubevirt.v1.VirtTemplateDeployment',
  'Deployment of the common VM templates.',
  {
    enabled: optional(nullable(boolean), 'Whether the templates are deployed.'),
  },
);
export interface VirtTemplateDeployment extends Infer<typeof VirtTemplateDeployment> {}

export const InstancetypeConfiguration = struct(
  'io.kubevirt.v1.InstancetypeConfiguration',
  'How VMs refer to instance types.',
  {
    referencePolicy: optional(
      nullable(oneOf('reference', 'expand', 'expandAll')),
      'How VMs refer to instance types: reference, expand (copy the values into the VM) or expandAll (also those with a revision). Defaults to reference.',
    ),
  },
);
export interface InstancetypeConfiguration extends Infer<typeof InstancetypeConfiguration> {}

export const KSMConfiguration = struct('io.kubevirt.v1.KSMConfiguration', 'Nodes that deduplicate memory with KSM.', {
  nodeLabelSelector: optional(LabelSelector, 'Selects the nodes by their labels.'),
});
export interface KSMConfiguration extends Infer<typeof KSMConfiguration> {}

export const LiveUpdateConfiguration = struct(
  'io.kubevirt.v1.LiveUpdateConfiguration',
  'Limits for hotplugging CPUs and memory.',
  {
    maxCpuSockets: optional(int64, 'Maximum number of CPU sockets of a guest.'),
    maxGuest: optional(quantity, 'Maximum memory of a guest.'),
    maxHotplugRatio: optional(
      int64,
      'Maximum memory and CPUs of a guest as a multiple of its initial size. Defaults to 4.',
    ),
  },
);
export interface LiveUpdateConfiguration extends Infer<typeof LiveUpdateConfiguration> {}

export const PersistentReservationConfiguration = struct(
  'io.kubevirt.v1.PersistentReservationConfiguration',
  'SCSI persistent reservations by guests.',
  {
    enabled: optional(boolean, 'Whether guests can make persistent reservations.'),
  },
);
export interface PersistentReservationConfiguration extends Infer<typeof PersistentReservationConfiguration> {}

export const DisableFreePageReporting = struct(
  'io.kubevirt.v1.DisableFreePageReporting',
  'Turns free page reporting of guests off.',
  {},
);
export interface DisableFreePageReporting extends Infer<typeof DisableFreePageReporting> {}

export const DisableSerialConsoleLog = struct(
  'io.kubevirt.v1.DisableSerialConsoleLog',
  'Turns logging of serial consoles off.',
  {},
);
export interface DisableSerialConsoleLog extends Infer<typeof DisableSerialConsoleLog> {}

export const VirtualMachineOptions = struct('io.kubevirt.v1.VirtualMachineOptions', 'Options that apply to all VMs.', {
  disableFreePageReporting: optional(DisableFreePageReporting, 'Turn free page reporting of guests off.'),
  disableSerialConsoleLog: optional(DisableSerialConsoleLog, 'Turn logging of serial consoles off.'),
});
export interface VirtualMachineOptions extends Infer<typeof VirtualMachineOptions> {}

export const KubeVirtConfiguration = struct(
  'io.kubevirt.v1.KubeVirtConfiguration',
  'Cluster-wide configuration of KubeVirt.',
  {
    additionalGuestMemoryOverheadRatio: optional(string, 'Factor on the calculated memory overhead. Defaults to 1.'),
    apiConfiguration: optional(ReloadableComponentConfiguration, 'Client settings of virt-api.'),
    architectureConfiguration: optional(ArchConfiguration, 'Defaults for each architecture.'),
    autoCPULimitNamespaceLabelSelector: optional(LabelSelector, 'Selects the namespaces whose guests get a CPU limit.'),
    changedBlockTrackingLabelSelectors: optional(
      nullable(ChangedBlockTrackingSelectors),
      'Selects the VMs whose changed blocks are tracked.',
    ),
    commonInstancetypesDeployment: optional(
      nullable(CommonInstancetypesDeployment),
      'The instance types that come with KubeVirt.',
    ),
    confidentialCompute: optional(
      nullable(ConfidentialComputeConfiguration),
      'Settings of guests that are protected from their host.',
    ),
    controllerConfiguration: optional(ReloadableComponentConfiguration, 'Client settings of virt-controller.'),
    cpuModel: optional(string, 'Processor model when none is given.'),
    cpuRequest: optional(quantity, 'Processor time to set aside when none is given.'),
    defaultRuntimeClass: optional(string, 'Runtime class of launcher pods.'),
    developerConfiguration: optional(DeveloperConfiguration, 'Settings for developers, feature gates among them.'),
    emulatedMachines: optional(list(string), 'Deprecated. Use architectureConfiguration.'),
    evictionStrategy: optional(
      string,
      'What happens to guests when their node is drained: None, LiveMigrate, LiveMigrateIfPossible or External.',
    ),
    handlerConfiguration: optional(ReloadableComponentConfiguration, 'Client settings of virt-handler.'),
    hypervisorConfiguration: optional(
      HypervisorConfiguration,
      'The hypervisor of the cluster. Takes precedence over hypervisors.',
    ),
    hypervisors: optional(
      atMost(1, list(HypervisorConfiguration, 'atomic')),
      'The hypervisor of the cluster; one at most.',
    ),
    imagePullPolicy: optional(oneOf('Always', 'IfNotPresent', 'Never'), 'How images of launchers are pulled.'),
    instancetype: optional(nullable(InstancetypeConfiguration), 'How VMs refer to instance types.'),
    ksmConfiguration: optional(KSMConfiguration, 'Nodes that share equal memory pages.'),
    liveUpdateConfiguration: optional(LiveUpdateConfiguration, 'Limits for hotplugging CPUs and memory.'),
    machineType: optional(string, 'Deprecated. Use architectureConfiguration.'),
    mediatedDevicesConfiguration: optional(
      MediatedDevicesConfiguration,
      'Types of mediated devices that nodes create.',
    ),
    memBalloonStatsPeriod: optional(int64, "Seconds between two reports of a guest's memory."),
    migrations: optional(MigrationConfiguration, 'Live migration settings for all VMs.'),
    minCPUModel: optional(string, 'No longer supported and ignored.'),
    network: optional(NetworkConfiguration, 'Cluster-wide network settings for VMs.'),
    obsoleteCPUModels: optional(map(boolean), 'Processor models that are not used, by name.'),
    ovmfPath: optional(string, 'Deprecated. Use architectureConfiguration.'),
    permittedHostDevices: optional(PermittedHostDevices, 'Devices of nodes that guests may use.'),
    persistentReservationConfiguration: optional(
      nullable(PersistentReservationConfiguration),
      'SCSI persistent reservations by guests.',
    ),
    roleAggregationStrategy: optional(
      oneOf('AggregateToDefault', 'Manual'),
      'Whether our cluster roles add to admin, edit and view: AggregateToDefault or Manual.',
    ),
    seccompConfiguration: optional(SeccompConfiguration, 'Seccomp profiles of pods.'),
    selinuxLauncherType: optional(string, 'SELinux type of launcher pods.'),
    smbios: optional(SMBiosConfiguration, 'SMBIOS data about the manufacturer, which guests can read.'),
    supportContainerResources: optional(
      list(SupportContainerResources, ['type']),
      'Resources of containers that support a guest.',
    ),
    supportedGuestAgentVersions: optional(list(string), 'No longer supported and ignored.'),
    tlsConfiguration: optional(TLSConfiguration, 'Minimum TLS version and cipher suites.'),
    virtTemplateDeployment: optional(nullable(VirtTemplateDeployment), 'The templates that come with KubeVirt.'),
    virtualMachineInstancesPerNode: optional(int32, 'Maximum number of guests per node. Defaults to 1000.'),
    virtualMachineOptions: optional(VirtualMachineOptions, 'Options that apply to all VMs.'),
    vmRolloutStrategy: optional(
      nullable(oneOf('Stage', 'LiveUpdate')),
      'How changes reach running VMs: LiveUpdate applies them where possible, Stage waits for the next start.',
    ),
    vmStateStorageClass: optional(string, 'Storage class for the state of TPM and UEFI.'),
    webhookConfiguration: optional(ReloadableComponentConfiguration, 'Client settings of the webhooks.'),
  },
);
export interface KubeVirtConfiguration extends Infer<typeof KubeVirtConfiguration> {}
