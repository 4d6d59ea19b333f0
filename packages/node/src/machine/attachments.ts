import { hasEnded, isDeleting, type Pod } from '@vireo/api';
import { attachmentOf, heldClaims, type PluggedClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isActive } from './decide.ts';
import type { KnownDomain } from './domains.ts';
import { claimInside } from './drives.ts';
import type { MachineMemory } from './machine.ts';

/** What tells whether the guest has a claim. */
interface Held {
  readonly vmi: VirtualMachineInstance | undefined;
  readonly domain: Pick<KnownDomain, 'state' | 'view'> | undefined;
  readonly attachments: readonly Pod[];
  readonly memory: Pick<MachineMemory, 'dump' | 'unplugged'>;
}

/** Attachment pods of a launcher that can be reported running: it is here, and so is what they name. */
export const newAttachments = (launcher: Pod, attachments: readonly Pod[]): Pod[] =>
  isDeleting(launcher) || hasEnded(launcher)
    ? []
    : attachments.filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined && (status?.phase ?? 'Pending') === 'Pending',
      );

/** Attachment pods that are to go and can: what they name is out of the guest, or another pod names it. */
export const freeAttachments = (held: Held): Pod[] =>
  held.attachments.filter(
    (pod) =>
      pod.metadata.deletionTimestamp !== undefined &&
      heldClaims(pod).every((each) => !isInGuest(held, each) || attachmentOf(held.attachments, each)),
  );

function isInGuest({ vmi, domain, memory }: Held, { volume, claim }: PluggedClaim): boolean {
  if (!domain || !isActive(domain.state)) return false;
  if (memory.dump?.claim === claim) return memory.dump.endedAtMs === undefined;
  // QEMU may have its file open although it is out of the domain.
  if ([...memory.unplugged.values()].some(({ name }) => name === volume)) return true;
  const { drives, diskTargets } = domain.view;
  if (!Object.hasOwn(diskTargets, volume)) return false;
  const drive = drives[volume];
  const told = vmi?.status?.volumeStatus?.find(({ name, hotplugVolume }) => name === volume && hotplugVolume);
  const inside = drive
    ? claimInside({ status: vmi?.status }, volume, drive)
    : told?.persistentVolumeClaimInfo?.claimName;
  if (drive && drive.source === undefined) return false;
  return inside === undefined || inside === claim;
}
