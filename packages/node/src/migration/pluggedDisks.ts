import { attachmentOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { isHotpluggable } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { DiskSource } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import { grantDisk } from '../guests/disks.ts';
import type { LaunchedVmi } from '../vmi/describeDomain.ts';
import { hotplugClaim } from '../volumes/hotplug.ts';

/** The disks of a guest that were plugged in while it ran, as this node has them. Those without an attachment pod are not. */
export async function pluggedDisks(
  { vmi, attachments }: LaunchedVmi,
  context: NodeContext,
): Promise<Record<string, DiskSource>> {
  const found: Record<string, DiskSource> = {};
  for (const volume of vmi.spec.volumes ?? []) {
    const disk = vmi.spec.domain.devices.disks?.find(({ name }) => name === volume.name);
    if (!isHotpluggable(volume) || !disk || disk.cdrom) continue;
    const claim = hotplugClaim(volume);
    if (!attachmentOf(attachments, { volume: volume.name, claim })) continue;
    const isReadOnly = volume.persistentVolumeClaim?.readOnly ?? false;
    const source = await context.volumes.claimDisk(vmi, claim, { isReadOnly, isShareable: disk.shareable ?? false });
    if (context.users) await grantDisk(vmi, volume.name, source, { ...context, isIncoming: true });
    found[volume.name] = source;
  }
  return found;
}
