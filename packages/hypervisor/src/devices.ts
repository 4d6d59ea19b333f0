import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { architectureOf } from './architecture.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { resolveConverter, resolveRuntime } from './registries.ts';

export const DEVICE_PREFIX = 'devices.kubevirt.io/';

/** CPUs of a node that VMs can have to themselves: fewer than it has, because the first core is nobody's alone. */
export const DEDICATED_CPUS = 'vireo.dev/dedicated-cpus';

/** Whether cards of guests are served by the kernel (`vhost-net`): not where software emulates the processor. */
export const usesVhostNet = ({ hypervisor, useEmulation }: ClusterConfig, architecture: string): boolean =>
  !useEmulation && resolveConverter(hypervisor, useEmulation, architecture).isAccelerated;

/**
 * Resources by which the launcher asks for devices of its node, and how many of each. Optional ones are asked for only
 * where some node offers them: `offered` holds such resources.
 */
export function deviceRequests(
  { spec }: VirtualMachineInstance,
  config: ClusterConfig,
  offered: ReadonlySet<string> = new Set(),
): Record<string, number> {
  const { devices = {}, launchSecurity } = spec.domain;
  const interfaces = devices.interfaces ?? [];
  const own = resolveRuntime(config.hypervisor, config.useEmulation, architectureOf(spec, config))
    .deviceRequests.filter(({ device, isOptional }) => !isOptional || offered.has(`${DEVICE_PREFIX}${device}`))
    .map(({ device }) => device);
  const isVirtio = interfaces.some(({ model }) => !model || model === 'virtio');
  const wanted = [
    ...own,
    interfaces.length > 0 || devices.autoattachPodInterface !== false ? 'tun' : undefined,
    isVirtio && usesVhostNet(config, architectureOf(spec, config)) ? 'vhost-net' : undefined,
    devices.autoattachVSOCK ? 'vhost-vsock' : undefined,
    launchSecurity?.sev || launchSecurity?.snp ? 'sev' : undefined,
    launchSecurity?.tdx ? 'tdx' : undefined,
    (devices.disks ?? []).some(({ lun }) => lun?.reservation) ? 'pr-helper' : undefined,
  ];
  const requests = new Map<string, number>(
    wanted.flatMap((name) => (name ? [[`${DEVICE_PREFIX}${name}`, 1] as const] : [])),
  );
  for (const { deviceName } of [...(devices.gpus ?? []), ...(devices.hostDevices ?? [])]) {
    if (deviceName) requests.set(deviceName, (requests.get(deviceName) ?? 0) + 1);
  }
  return Object.fromEntries(requests);
}
