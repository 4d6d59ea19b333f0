import type { FieldError } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import type { HypervisorConverter } from './convert/conversion.ts';
import type { DefaultsLayer } from './defaults/layer.ts';
import type { HostCapabilities } from './labels.ts';

/** A device of the node that a machine needs. */
export interface DeviceRequest {
  /** Name below `devices.kubevirt.io/`. */
  readonly device: string;
  /** Where it is on the node. */
  readonly path: string;
  /** Left out of the launcher's resources where no node offers it. */
  readonly isOptional?: boolean;
}

/** Second contract: what running a machine costs its node. */
export interface HypervisorRuntime {
  /** The device that every machine of this hypervisor needs; none for software emulation. */
  readonly device?: DeviceRequest;
  /** Bytes beyond the guest's own memory. */
  memoryOverheadBytes(vmi: VirtualMachineInstance, config: ClusterConfig): bigint;
  /** Changes of the launcher's resources that only this hypervisor needs. */
  adjustResources?(resources: LauncherResources, vmi: VirtualMachineInstance, config: ClusterConfig): LauncherResources;
}

/** What the launcher's compute container asks for, as quantities. */
export interface LauncherResources {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** Fourth contract: what admission adds for this hypervisor: changes before the defaults, rules after the common ones. */
export interface HypervisorAdmission {
  /** The spec in the form that the hypervisor needs; a new object, or the same one. */
  mutate?(vmi: VirtualMachineInstance, config: ClusterConfig): VirtualMachineInstance;
  /** What this hypervisor cannot do; never sets anything. */
  validate?(spec: VirtualMachineInstanceSpec, path: string, config: ClusterConfig): FieldError[];
}

/** Fifth contract: how a node finds out what it can offer. */
export interface HypervisorLabeller {
  /** libvirt's word, for asking it what the host can do. */
  readonly virtType: string;
  /** Devices to look for. */
  readonly devices: readonly DeviceRequest[];
  /** Labels beyond those that every hypervisor's nodes carry. */
  extraLabels?(capabilities: HostCapabilities): Record<string, string>;
}

/** Everything that makes up a hypervisor. What it leaves out, it shares with the others. */
export interface Hypervisor {
  readonly name: string;
  /** By architecture; `*` for all of them. */
  readonly defaults?: Readonly<Record<string, DefaultsLayer>>;
  readonly runtime?: HypervisorRuntime;
  readonly converter?: HypervisorConverter;
  readonly admission?: HypervisorAdmission;
  readonly labeller?: HypervisorLabeller;
}
