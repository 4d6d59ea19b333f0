import { join } from 'node:path';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { exists } from '../exists.ts';
import { type ContainerDiskContext, ownLink, pullOptions } from './containerDisk.ts';

/** What a guest is started with, where it starts a kernel directly. */
export interface KernelBootFiles {
  readonly kernel?: string;
  readonly initrd?: string;
}

/** Has the kernel and the initial RAM disk of a VM in its directory. What is there already is kept. */
export async function kernelBootFiles(
  { spec }: VirtualMachineInstance,
  directory: string,
  context: ContainerDiskContext,
): Promise<KernelBootFiles> {
  const container = spec.domain.firmware?.kernelBoot?.container;
  if (!container) return {};
  const { image, kernelPath, initrdPath } = container;
  const own = async (name: string, path: string): Promise<string> => {
    const file = join(directory, name);
    if (await exists(file)) return file;
    try {
      const found = await context.images.file(image, path, pullOptions(container, context));
      return (await ownLink(found, file)).path;
    } catch (error) {
      if (error instanceof VolumeError) throw error;
      throw new VolumeError('ErrImagePull', (error as Error).message, { cause: error });
    }
  };
  return {
    ...(kernelPath && { kernel: await own('boot.kernel', kernelPath) }),
    ...(initrdPath && { initrd: await own('boot.initrd', initrdPath) }),
  };
}
