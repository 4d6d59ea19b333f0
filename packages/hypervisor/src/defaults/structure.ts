import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { ClusterConfig } from '../clusterConfig.ts';

/** Adds the devices that a spec implies, before any layer proposes values for them. */
export const completeStructure = (
  spec: VirtualMachineInstanceSpec,
  config: ClusterConfig,
): VirtualMachineInstanceSpec => withInput(withDisks(withNetwork(spec, config)));

/** A VMI that says nothing about networks is in the pod network. */
function withNetwork(spec: VirtualMachineInstanceSpec, config: ClusterConfig): VirtualMachineInstanceSpec {
  const { devices } = spec.domain;
  const isSaid = (spec.networks ?? []).length > 0 || (devices?.interfaces ?? []).length > 0;
  if (isSaid || devices?.autoattachPodInterface === false) return spec;
  const interfaces = [{ name: 'default', [config.network.defaultInterface]: {} }];
  return {
    ...spec,
    domain: { ...spec.domain, devices: { ...devices, interfaces } },
    networks: [{ name: 'default', pod: {} }],
  };
}

/** Every volume has a disk or a filesystem, and every disk says what it is. Memory dumps are not for the guest. */
function withDisks(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { devices } = spec.domain;
  const given = devices?.disks ?? [];
  const taken = new Set([...given, ...(devices?.filesystems ?? [])].map(({ name }) => name));
  const missing = (spec.volumes ?? []).filter(({ name, memoryDump }) => !taken.has(name) && !memoryDump);
  const disks = [...given, ...missing.map(({ name }): Disk => ({ name }))].map(
    (disk): Disk => (disk.disk || disk.lun || disk.cdrom ? disk : { ...disk, disk: {} }),
  );
  if (disks.length === 0) return spec;
  return { ...spec, domain: { ...spec.domain, devices: { ...devices, disks } } };
}

function withInput(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { devices } = spec.domain;
  if (!devices?.autoattachInputDevice || (devices.inputs ?? []).length > 0) return spec;
  const inputs = [{ name: 'default-0', type: 'tablet', bus: 'usb' }];
  return { ...spec, domain: { ...spec.domain, devices: { ...devices, inputs } } };
}
