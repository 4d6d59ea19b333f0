import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { ConversionError, type ConverterContext, convertDomain } from '@vireo/hypervisor';

const UID = '11111111-2222-4333-8444-555555555555';

/** A node that has everything that a VM names, each under a path of its own. */
function contextOf({ spec }: VirtualMachineInstance): ConverterContext {
  const named = <T>(items: readonly { name: string }[] | undefined, make: (index: number) => T): Record<string, T> =>
    Object.fromEntries((items ?? []).map(({ name }, index) => [name, make(index)]));
  const { devices, firmware } = spec.domain;
  return {
    hypervisor: 'kvm',
    architecture: 'amd64',
    useEmulation: true,
    domainUuid: UID,
    volumes: named(spec.volumes, (i) => ({ kind: 'file', path: `/volumes/${i}`, format: 'raw', directIo: false })),
    interfaces: named(devices.interfaces, (i) => ({ kind: 'user', mac: `02:00:00:00:00:${10 + i}` })),
    paths: { serialSocket: '/run/serial', vncSocket: '/run/vnc' },
    hostDevices: named([...(devices.gpus ?? []), ...(devices.hostDevices ?? [])], (i) => ({
      kind: 'pci',
      address: `0000:0${i}:00.0`,
    })),
    filesystems: named(devices.filesystems, (i) => ({ socket: `/run/filesystem${i}` })),
    ...(firmware?.kernelBoot?.container && { kernelBoot: { kernel: '/boot/kernel', initrd: '/boot/initrd' } }),
    ...(spec.domain.cpu?.dedicatedCpuPlacement && { dedicatedCpus: Array.from({ length: 64 }, (_, i) => i) }),
  };
}

export type Domain =
  | { readonly xml: string }
  /** The converter will not have it, and says which field. */
  | { readonly refusal: string }
  /** It fell over. */
  | { readonly fault: string };

/** The domain of a VMI as a node would define it. */
export function domainOf(vmi: VirtualMachineInstance): Domain {
  try {
    return { xml: convertDomain({ ...vmi, metadata: { ...vmi.metadata, uid: UID } }, contextOf(vmi)) };
  } catch (error) {
    if (error instanceof ConversionError) return { refusal: error.message };
    return { fault: (error as Error).stack ?? String(error) };
  }
}
