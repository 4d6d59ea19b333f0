import {
  type ClusterConfig,
  DEVICE_PREFIX,
  hypervisorOf,
  missingHypervisorText,
  resolveLabeller,
  resolveRuntime,
  usesVhostNet,
} from '@vireo/hypervisor';

/** A device that this node is to offer. */
export interface WantedDevice {
  /** The resource by which launchers ask for it. */
  readonly resource: string;
  readonly path: string;
  /** VMs can do without it: it is offered only while it is there. */
  readonly isOptional: boolean;
  /** Of the hypervisor itself: we open it, and without it no VM runs here. */
  readonly isOfHypervisor: boolean;
}

/** What VMs may need beside the devices of their hypervisor. */
const SHARED = [
  { device: 'tun', path: '/dev/net/tun' },
  { device: 'vhost-net', path: '/dev/vhost-net', isVhostNet: true },
  { device: 'vhost-vsock', path: '/dev/vhost-vsock', isOptional: true },
  { device: 'sev', path: '/dev/sev', isOptional: true },
] as const;

/** The devices of the hypervisor that the cluster has chosen, and of no other, with those that all of them share. */
function wantedDevices(config: ClusterConfig, architecture: string): WantedDevice[] {
  const runtime = resolveRuntime(config.hypervisor, config.useEmulation, architecture);
  const labeller = resolveLabeller(config.hypervisor, config.useEmulation, architecture);
  const own = [...runtime.deviceRequests, ...labeller.devices].map(({ device, path, isOptional = false }) => ({
    resource: `${DEVICE_PREFIX}${device}`,
    path,
    isOptional,
    isOfHypervisor: true,
  }));
  const hasVhostNet = usesVhostNet(config, architecture);
  const shared = SHARED.filter((each) => !('isVhostNet' in each) || hasVhostNet).map((each) => ({
    resource: `${DEVICE_PREFIX}${each.device}`,
    path: each.path,
    isOptional: 'isOptional' in each,
    isOfHypervisor: false,
  }));
  const byResource = new Map([...shared, ...own.toReversed()].map((each) => [each.resource, each]));
  return [...byResource.values()];
}

/** What the cluster asks of its nodes. */
export interface Wanted {
  /** The one that really runs guests. */
  readonly hypervisor: string;
  /** Why nothing runs them anywhere. */
  readonly missing?: string;
  /** libvirt's word for it. */
  readonly virtType: string;
  readonly devices: readonly WantedDevice[];
  /** How many VMs may share a device. */
  readonly units: number;
  readonly obsoleteModels: ReadonlySet<string>;
}

export const wantedOf = (config: ClusterConfig, architecture: string): Wanted => ({
  hypervisor: config.missingHypervisor ?? hypervisorOf(config),
  ...(config.missingHypervisor !== undefined && { missing: missingHypervisorText(config) }),
  virtType: resolveLabeller(config.hypervisor, config.useEmulation, architecture).preferredVirtType,
  devices: wantedDevices(config, architecture),
  units: config.vmisPerNode,
  obsoleteModels: config.obsoleteCpuModels,
});
