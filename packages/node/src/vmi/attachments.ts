import { hasEnded, isDeleting, type Persisted, type Pod } from '@vireo/api';
import { own } from '@vireo/api/json.ts';
import { attachmentOf, mountedClaims, type PluggedClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isDomainActive } from './decide.ts';
import type { Domain } from './domainInformer.ts';
import { insertedClaim } from './drives.ts';
import type { VmiCache } from './localVmi.ts';

/** What tells whether the guest has a claim. */
interface AttachedVmi {
  readonly vmi: VirtualMachineInstance | undefined;
  readonly domain: Pick<Domain, 'state' | 'view'> | undefined;
  readonly attachments: readonly Persisted<Pod>[];
  readonly cache: Pick<VmiCache, 'dump' | 'unplugged'>;
}

/** Attachment pods of a launcher that can be reported running: it is here, and so is what they name. */
export const pendingAttachments = (launcher: Pod, attachments: readonly Persisted<Pod>[]): Persisted<Pod>[] =>
  isDeleting(launcher) || hasEnded(launcher)
    ? []
    : attachments.filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined && (status?.phase ?? 'Pending') === 'Pending',
      );

/** Attachment pods that are to go and can: what they name is out of the guest, or another pod names it. */
export const removableAttachments = (attached: AttachedVmi): Persisted<Pod>[] =>
  attached.attachments.filter(
    (pod) =>
      pod.metadata.deletionTimestamp !== undefined &&
      mountedClaims(pod).every((each) => !isInGuest(attached, each) || attachmentOf(attached.attachments, each)),
  );

function isInGuest({ vmi, domain, cache }: AttachedVmi, { volume, claim }: PluggedClaim): boolean {
  if (!domain || !isDomainActive(domain.state)) return false;
  if (cache.dump?.claim === claim) return cache.dump.endedAtMs === undefined;
  // QEMU may have its file open although it is out of the domain.
  if ([...cache.unplugged.values()].some(({ name }) => name === volume)) return true;
  const { drives, diskTargets } = domain.view;
  if (!Object.hasOwn(diskTargets, volume)) return false;
  const drive = own(drives, volume);
  const reported = vmi?.status?.volumeStatus?.find(({ name, hotplugVolume }) => name === volume && hotplugVolume);
  const inside = drive
    ? insertedClaim({ status: vmi?.status }, volume, drive)
    : reported?.persistentVolumeClaimInfo?.claimName;
  if (drive && drive.source === undefined) return false;
  return inside === undefined || inside === claim;
}
