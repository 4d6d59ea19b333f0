import { boolean, type Infer, int32, int64, list, map, oneOf, quantity, string, struct } from '../../schema.ts';
import { float, optional, required, within } from '../customResource.ts';
import { ResourceRequirementsWithoutClaims } from './memory.ts';

export const TokenBucketRateLimiter = struct(
  'io.kubevirt.v1.TokenBucketRateLimiter',
  'A request limit that allows bursts.',
  {
    burst: required(int32, 'Maximum number of requests in a burst.'),
    qps: required(float, 'Number of requests per second.'),
  },
);
export interface TokenBucketRateLimiter extends Infer<typeof TokenBucketRateLimiter> {}

export const RateLimiter = struct('io.kubevirt.v1.RateLimiter', 'Limit on the requests of a client.', {
  tokenBucketRateLimiter: optional(TokenBucketRateLimiter, 'A request limit that allows bursts.'),
});
export interface RateLimiter extends Infer<typeof RateLimiter> {}

export const RESTClientConfiguration = struct(
  'io.kubevirt.v1.RESTClientConfiguration',
  'Settings of a Kubernetes client.',
  {
    rateLimiter: optional(RateLimiter, 'Limit on the requests of the client.'),
  },
);
export interface RESTClientConfiguration extends Infer<typeof RESTClientConfiguration> {}

export const ReloadableComponentConfiguration = struct(
  'io.kubevirt.v1.ReloadableComponentConfiguration',
  'Settings of a component that apply without a restart.',
  {
    restClient: optional(RESTClientConfiguration, "Settings of the component's Kubernetes client."),
  },
);
export interface ReloadableComponentConfiguration extends Infer<typeof ReloadableComponentConfiguration> {}

export const TLSConfiguration = struct('io.kubevirt.v1.TLSConfiguration', 'Minimum TLS version and cipher suites.', {
  ciphers: optional(list(string, 'set'), 'Ciphers that are allowed, below version 1.3.'),
  minTLSVersion: optional(
    oneOf('VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'),
    'The oldest version that is allowed, such as VersionTLS12.',
  ),
});
export interface TLSConfiguration extends Infer<typeof TLSConfiguration> {}

export const CustomProfile = struct('io.kubevirt.v1.CustomProfile', 'A seccomp profile on the node.', {
  localhostProfile: optional(string, 'Path of a profile on the node.'),
  runtimeDefaultProfile: optional(boolean, "Whether to take the container runtime's own."),
});
export interface CustomProfile extends Infer<typeof CustomProfile> {}

export const VirtualMachineInstanceProfile = struct(
  'io.kubevirt.v1.VirtualMachineInstanceProfile',
  'Seccomp profile of launcher pods.',
  {
    customProfile: optional(CustomProfile, 'The seccomp profile to use.'),
  },
);
export interface VirtualMachineInstanceProfile extends Infer<typeof VirtualMachineInstanceProfile> {}

export const SeccompConfiguration = struct('io.kubevirt.v1.SeccompConfiguration', 'Seccomp profiles of pods.', {
  virtualMachineInstanceProfile: optional(VirtualMachineInstanceProfile, 'Seccomp profile of launcher pods.'),
});
export interface SeccompConfiguration extends Infer<typeof SeccompConfiguration> {}

export const SupportContainerResources = struct(
  'io.kubevirt.v1.SupportContainerResources',
  'Resources of containers that support a guest.',
  {
    resources: required(ResourceRequirementsWithoutClaims, 'Resources that the containers request, and their limits.'),
    type: required(
      string,
      'Which containers: container-disk, hotplug-disk, virtiofs, sidecar, vmexport or guest-console-log.',
    ),
  },
);
export interface SupportContainerResources extends Infer<typeof SupportContainerResources> {}

export const LogVerbosity = struct('io.kubevirt.v1.LogVerbosity', 'Log verbosity of each component, from 0 to 9.', {
  nodeVerbosity: optional(map(int32), 'Log verbosity of virt-handler by name of the node.'),
  virtAPI: optional(int32, 'Log verbosity of virt-api.'),
  virtController: optional(int32, 'Log verbosity of virt-controller.'),
  virtHandler: optional(int32, 'Log verbosity of virt-handler.'),
  virtLauncher: optional(int32, 'Log verbosity of virt-launcher.'),
  virtOperator: optional(int32, 'Log verbosity of virt-operator.'),
  virtSynchronizationController: optional(int32, 'Log verbosity of virt-synchronization-controller.'),
});
export interface LogVerbosity extends Infer<typeof LogVerbosity> {}

export const DiskVerification = struct('io.kubevirt.v1.DiskVerification', 'Limits for inspecting container disks.', {
  memoryLimit: required(quantity, 'The most memory that it may take.'),
});
export interface DiskVerification extends Infer<typeof DiskVerification> {}

export const DeveloperConfiguration = struct(
  'io.kubevirt.v1.DeveloperConfiguration',
  'Feature gates and settings for developers.',
  {
    clusterProfiler: optional(boolean, 'Whether components can be profiled.'),
    cpuAllocationRatio: optional(int32, 'Number of virtual CPUs per requested CPU. Defaults to 10.'),
    disabledFeatureGates: optional(list(string, 'atomic'), 'Names of the feature gates to disable.'),
    diskVerification: optional(DiskVerification, 'Limits for looking into container disks.'),
    featureGates: optional(list(string, 'atomic'), 'Names of the feature gates to enable.'),
    logVerbosity: optional(LogVerbosity, 'Log level of the components.'),
    memoryOvercommit: optional(
      within(10, undefined, int32),
      'Memory of the guest in percent of the memory that its pod requests. Defaults to 100.',
    ),
    minimumClusterTSCFrequency: optional(int64, 'The least clock frequency that nodes must have, in Hz.'),
    minimumReservePVCBytes: optional(int64, 'Bytes that stay free on each claim.'),
    nodeSelectors: optional(map(string), 'Labels that nodes must have to run guests.'),
    pvcTolerateLessSpaceUpToPercent: optional(
      int32,
      'Percent by which a claim may be smaller than requested. Defaults to 10.',
    ),
    useEmulation: optional(boolean, 'Whether guests run in software emulation on nodes without KVM.'),
  },
);
export interface DeveloperConfiguration extends Infer<typeof DeveloperConfiguration> {}
