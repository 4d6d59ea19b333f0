import type { NodeContext } from '../context.ts';
import { domainKey } from './domainInformer.ts';
import { usedStorage } from './domainView.ts';

/** The image that QEMU could not have because another process has it open; undefined where it complains of other things. */
function lockedImage(message: string, opened: string | undefined): string | undefined {
  if (!/Failed to get (?:shared )?"[^"]+" lock/.test(message)) return undefined;
  return /Is another process using the image \[([^\]]+)\]/.exec(message)?.[1] ?? opened;
}

/**
 * QEMU tells that a disk is locked, and not by whom: names the VMI of this node that has it open. `opened`: the image
 * that was to be opened, where QEMU does not tell that either.
 */
export async function explainDiskLock(
  message: string,
  uid: string,
  { domains, libvirt }: Pick<NodeContext, 'domains' | 'libvirt'>,
  opened?: string,
): Promise<string> {
  const image = lockedImage(message, opened);
  if (image === undefined) return message;
  for (const { ref } of domains.all()) {
    if (ref.uuid === uid) continue;
    const xml = await libvirt.calls.domainXml(ref).catch(() => undefined);
    if (!xml || !usedStorage(xml).paths.has(image)) continue;
    const holder = domainKey(ref);
    return `the disk ${image} is in use by VirtualMachineInstance ${holder}: stop that VM first, or detach the disk from it`;
  }
  return `the disk ${image} is in use by another process on this node, or on another one if both have its directory: stop that process first`;
}
