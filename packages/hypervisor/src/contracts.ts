import type { FieldError } from '@vireo/api';
import type { Toleration } from '@vireo/api/kinds/core/scheduling.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import type { HypervisorConverter } from './convert/conversion.ts';
import type { DefaultsProvider } from './defaults/layer.ts';
import type { HostCapabilities } from './labels.ts';
import type { XmlElement } from './xml.ts';

/** A device of the node that a VMI needs. */
export interface DeviceRequest {
  /** Name below `devices.kubevirt.io/`. */
  readonly device: string;
  /** Where it is on the node. */
  readonly path: string;
  /** Left out of the launcher's resources where no node offers it. */
  readonly isOptional?: boolean;
}

/** Second contract: what running a VMI costs its node. */
export interface HypervisorRuntime {
  /** Devices that every VMI of this hypervisor needs; none for software emulation. */
  readonly deviceRequests: readonly DeviceRequest[];
  /** Taints of nodes that its launchers put up with, for nodes that are there for nothing else. */
  readonly tolerations?: readonly Toleration[];
  /** Bytes beyond the guest's own memory. */
  memoryOverheadBytes(vmi: VirtualMachineInstance, config: ClusterConfig): bigint;
  /** Bytes that its process may keep from being swapped out, where it needs to; `overheadBytes` is what is above. */
  memlockBytes(vmi: VirtualMachineInstance, overheadBytes: bigint): bigint | undefined;
  /** Changes of the launcher's resources that only this hypervisor needs. */
  adjustResources?(resources: LauncherResources, vmi: VirtualMachineInstance, config: ClusterConfig): LauncherResources;
  /** The last word on a domain: timers, watchdogs and the like that running it needs. */
  handleHousekeeping?(domain: XmlElement, vmi: VirtualMachineInstance): XmlElement;
}

/** What the launcher's compute container asks for, as quantities. */
export interface LauncherResources {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** Fourth contract: what admission adds for this hypervisor: changes before the defaults, rules after the common ones. */
export interface HypervisorAdmission {
  /** The spec in the form that the hypervisor needs; a new object, or the same one. */
  mutateVmi?(vmi: VirtualMachineInstance, config: ClusterConfig): VirtualMachineInstance;
  /** What this hypervisor cannot do; never sets anything. */
  validate?(spec: VirtualMachineInstanceSpec, path: string, config: ClusterConfig): FieldError[];
}

/** Fifth contract: how a node finds out what it can offer. */
export interface HypervisorLabeller {
  /** libvirt's word, for asking it what the host can do. */
  readonly preferredVirtType: string;
  /** Devices to look for. */
  readonly devices: readonly DeviceRequest[];
  /** Labels beyond those that every hypervisor's nodes carry. */
  discoverFeatures?(capabilities: HostCapabilities): Record<string, string>;
}

/** Everything that makes up a hypervisor. What it leaves out, it shares with kvm. */
export interface Hypervisor {
  readonly name: string;
  /** Other names that settings may use for it. */
  readonly aliases?: readonly string[];
  /** Name of the hypervisor that runs its guests where the cluster emulates; missing where it needs no hardware. */
  readonly emulator?: string;
  /** By architecture; `*` for all of them. */
  readonly defaults?: Readonly<Record<string, DefaultsProvider>>;
  readonly runtime?: HypervisorRuntime;
  readonly converter?: HypervisorConverter;
  readonly admission?: HypervisorAdmission;
  readonly labeller?: HypervisorLabeller;
}
