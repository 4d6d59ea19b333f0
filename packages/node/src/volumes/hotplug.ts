import { isDeleting, type Pod } from '@vireo/api';
import { own } from '@vireo/api/json.ts';
import { attachmentOf, mountsClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { claimNameOf, isHotpluggable, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';

type VolumeStatus = NonNullable<NonNullable<VirtualMachineInstance['status']>['volumeStatus']>[number];
type Targets = Readonly<Record<string, string>>;

/** The claim of a volume that can come and go. */
export const hotplugClaim = (volume: Volume): string => claimNameOf(volume) ?? '';

/** Volumes to plug in, and names of those to take out. */
export interface HotplugPlan {
  readonly attach: readonly Volume[];
  readonly detach: readonly string[];
}

/**
 * What has to be plugged in and taken out so that the guest has what the VMI says; `targets`: what it has, and
 * `drives`: its CD-ROM drives, which stay when their discs go.
 */
export function hotplugPlan(
  { spec, status }: VirtualMachineInstance,
  targets: Targets,
  drives: Readonly<Record<string, unknown>> = {},
): HotplugPlan {
  const { disks = [] } = spec.domain.devices ?? {};
  const volumes = spec.volumes ?? [];
  const pluggable = new Set(disks.filter(({ cdrom }) => !cdrom).map(({ name }) => name));
  const isPlugged = (name: string): boolean => Object.hasOwn(targets, name);
  // While the status has another claim, what is in the guest under that name would be taken for that one.
  const isFree = (volume: Volume): boolean =>
    !status?.volumeStatus?.some(
      (each) => each.name === volume.name && each.hotplugVolume && isOfAnotherClaim(each, volume),
    );
  const isToCome = (each: Volume): boolean => isHotpluggable(each) && pluggable.has(each.name) && isFree(each);
  return {
    attach: volumes.filter((each) => isToCome(each) && !isPlugged(each.name)),
    // Only what was plugged in is taken out: a volume that the VM was started with stays.
    detach: (status?.volumeStatus ?? [])
      .filter(({ name, hotplugVolume }) => hotplugVolume && isPlugged(name) && !Object.hasOwn(drives, name))
      .filter((each) => !volumes.some((volume) => volume.name === each.name && !isOfAnotherClaim(each, volume)))
      .map(({ name }) => name),
  };
}

/** Whether what is plugged in under the name of a volume is on another claim: it has to be out before that comes in. */
const isOfAnotherClaim = ({ persistentVolumeClaimInfo: info }: VolumeStatus, volume: Volume): boolean =>
  isHotpluggable(volume) && info?.claimName !== undefined && info.claimName !== hotplugClaim(volume);

/** Why a volume is not plugged in yet. `expected`: it may be at any moment, and nothing is said until then. */
export type HotplugProblems = Readonly<Record<string, Pick<VolumeStatus, 'phase' | 'reason' | 'message'> | 'expected'>>;

/** The pod that a volume is taken from, as its status names it. */
export function attachmentStatus(
  attachments: readonly Pod[],
  volume: string,
  claim: string,
  before: VolumeStatus['hotplugVolume'],
): NonNullable<VolumeStatus['hotplugVolume']> {
  const pod = attachmentOf(attachments, { volume, claim });
  return pod ? { attachPodName: pod.metadata.name, attachPodUID: pod.metadata.uid } : (before ?? {});
}

/** What is said of a volume that is out of the guest while a pod still names its claim; undefined once none does. */
export function unmountedStatus(status: VolumeStatus, attachments: readonly Pod[]): VolumeStatus | undefined {
  const { name: volume, size: _, ...known } = status;
  const claim = status.persistentVolumeClaimInfo?.claimName ?? '';
  const pods = attachments.filter((pod) => mountsClaim(pod, { volume, claim }));
  const [pod] = pods;
  if (!pod) return undefined;
  const isGoing = pods.every(isDeleting);
  const words = isGoing
    ? {
        reason: 'SuccessfulDelete',
        message: `Deleted hotplug attachment pod ${pod.metadata.name}, for volume ${volume}`,
      }
    : { reason: 'VolumeUnMountedFromPod', message: `Volume ${volume} has been unmounted from virt-launcher pod` };
  return { ...known, name: volume, target: '', phase: 'UnMountedFromPod', ...words };
}

/** The statuses of volumes with those that come and go: how far each is, until it is gone. */
export function withHotplug(
  { spec }: VirtualMachineInstance,
  statuses: readonly VolumeStatus[],
  targets: Targets,
  hotplugProblems: HotplugProblems,
  attachments: readonly Pod[] = [],
): VolumeStatus[] {
  const drives = new Set(spec.domain.devices?.disks?.filter(({ cdrom }) => cdrom).map(({ name }) => name));
  const wanted = new Map(
    (spec.volumes ?? [])
      .filter((each) => isHotpluggable(each) && !drives.has(each.name))
      .map((each) => [each.name, each] as const),
  );
  const isPlugged = (name: string): boolean => Object.hasOwn(targets, name);
  const others = statuses.filter(({ name, hotplugVolume }) => !wanted.has(name) && !hotplugVolume);
  const detaching = (status: VolumeStatus): VolumeStatus => ({
    ...status,
    phase: 'Detaching',
    reason: 'VolumeUnMountedFromPod',
    message: `Volume ${status.name} is being unplugged`,
  });
  const leaving = statuses
    .filter(({ name, hotplugVolume }) => hotplugVolume && !wanted.has(name))
    .flatMap((each) => (isPlugged(each.name) ? detaching(each) : (unmountedStatus(each, attachments) ?? [])));
  const coming = [...wanted].flatMap(([name, volume]): VolumeStatus[] => {
    const status = statuses.find((each) => each.name === name);
    // Once the other is out, nothing is said of it any more: then this one can come.
    if (status?.hotplugVolume && isOfAnotherClaim(status, volume)) return isPlugged(name) ? [detaching(status)] : [];
    const hotplugProblem = own(hotplugProblems, name);
    if (hotplugProblem === 'expected') return status?.hotplugVolume ? [status] : [];
    const claimName = hotplugClaim(volume);
    const { target: _, ...known } = status ?? { name, target: '' };
    const before = {
      ...known,
      persistentVolumeClaimInfo: { ...known.persistentVolumeClaimInfo, claimName },
      hotplugVolume: attachmentStatus(attachments, name, claimName, known.hotplugVolume),
    };
    if (isPlugged(name))
      return [
        {
          ...before,
          target: targets[name] ?? '',
          phase: 'Ready',
          reason: 'VolumeReady',
          message: `Successfully attach hotplugged volume ${name} to VM`,
        },
      ];
    const mounted = {
      phase: 'MountedToPod',
      reason: 'VolumeMountedToPod',
      message: `Volume ${name} is being attached`,
    };
    return [{ ...before, target: '', ...(hotplugProblem ?? mounted) }];
  });
  return [...others, ...leaving, ...coming].sort((a, b) => (a.name < b.name ? -1 : 1));
}
