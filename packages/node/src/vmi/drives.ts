import type { Pod } from '@vireo/api';
import { own } from '@vireo/api/json.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, isHotpluggable } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { attachmentStatus, unmountedStatus } from '../volumes/hotplug.ts';
import type { DriveView } from './domainView.ts';
import type { VolumeStatuses } from './volumeStatus.ts';

type Drives = Readonly<Record<string, DriveView>>;

/** What a CD-ROM drive should hold. */
export type WantedMedium =
  /** What the VMI was started with, which nobody changes. */
  { readonly type: 'fixed' } | { readonly type: 'nothing' } | { readonly type: 'claim'; readonly claim: string };

/** What there is to put into a drive: a disc, nothing, or nothing yet. */
export type Medium =
  | { readonly type: 'disc'; readonly claim: string; readonly source: DiskSource }
  | { readonly type: 'missing'; readonly claim: string; readonly problem: DriveProblem }
  /** Its attachment pod is on the way. Without a problem nothing is said about that yet. */
  | { readonly type: 'awaited'; readonly claim: string; readonly problem?: DriveProblem | undefined }
  | Exclude<WantedMedium, { type: 'claim' }>;

/** Why a drive does not hold what it should. */
export interface DriveProblem {
  readonly reason: 'TrayLocked' | 'FailedPvcNotFound' | 'PVCNotReady' | 'HotplugFailed';
  readonly message: string;
  /** How far the claim is, where that is the problem. */
  readonly phase?: 'Pending' | 'Bound';
}

/** What a node remembers of a drive. All of it may be lost. */
export interface DriveCache {
  /** The disc that was looked at last. */
  disc?: Disc | undefined;
  /** Until when the tray is opened although the guest has locked it. */
  forcedUntilMs: number;
  /** When the guest was last asked to let go. */
  askedAtMs: number;
}

export interface Disc {
  /** The file or device that it was read from. */
  readonly source: string;
  readonly sizeBytes: number;
  /** Whether it has a file system that CD-ROMs have. */
  readonly isReadable: boolean;
}

/** What there is for a drive, and why that is not in it. */
export interface MediumState {
  readonly medium: Medium;
  readonly problem?: DriveProblem | undefined;
}

/** That, with the disc that is in the drive. */
export interface DriveState extends MediumState {
  readonly disc?: Disc | undefined;
}
export type DriveStates = Readonly<Record<string, DriveState>>;

/** What a drive of the domain should hold. One that the spec no longer has is emptied: it goes with the next start. */
export function wantedMedium({ spec }: VirtualMachineInstance, drive: string): WantedMedium {
  const isWanted = spec.domain.devices?.disks?.some(({ name, cdrom }) => name === drive && cdrom);
  const volume = isWanted ? spec.volumes?.find(({ name }) => name === drive) : undefined;
  if (!volume) return { type: 'nothing' };
  if (!isHotpluggable(volume)) return { type: 'fixed' };
  return { type: 'claim', claim: claimNameOf(volume) ?? '' };
}

/** Whether a drive holds what it should as far as the VMI tells; of a claim its volume has to be looked at. */
export function isMediumInPlace(vmi: VirtualMachineInstance, name: string, { source }: DriveView): boolean {
  const { type } = wantedMedium(vmi, name);
  return type === 'fixed' || (type === 'nothing' && source === undefined);
}

/** Another medium for a drive: `to` is undefined where it is to be empty. Undefined: it stays as it is. */
export function mediumChange(
  { source }: DriveView,
  medium: Medium,
  insertedClaim: string | undefined,
): { readonly to: DiskSource | undefined } | undefined {
  switch (medium.type) {
    case 'fixed':
    case 'awaited':
      return undefined;
    case 'disc':
      return source === medium.source.path ? undefined : { to: medium.source };
    case 'missing':
      // A claim that was deleted under its disc leaves the disc in; another one's disc has to go.
      return source === undefined || insertedClaim === medium.claim ? undefined : { to: undefined };
    case 'nothing':
      return source === undefined ? undefined : { to: undefined };
  }
}

/** The claim whose disc a drive holds, as far as it is known. */
export function insertedClaim(
  { status }: Pick<VirtualMachineInstance, 'status'>,
  drive: string,
  { source }: DriveView,
  medium?: Medium,
): string | undefined {
  if (source === undefined) return undefined;
  if (medium?.type === 'disc' && medium.source.path === source) return medium.claim;
  const reported = status?.volumeStatus?.find(({ name, hotplugVolume }) => name === drive && hotplugVolume);
  return reported?.persistentVolumeClaimInfo?.claimName;
}

/** The statuses of volumes with those that are in drives, or on their way: `states` by drive. */
export function withMedia(
  vmi: VirtualMachineInstance,
  statuses: VolumeStatuses,
  drives: Drives,
  states: DriveStates,
  attachments: readonly Pod[] = [],
): VolumeStatuses {
  const changing = new Set(Object.keys(drives).filter((name) => wantedMedium(vmi, name).type !== 'fixed'));
  const others = statuses.filter(({ name }) => !changing.has(name));
  const media = [...changing].flatMap((name) => {
    const drive = drives[name];
    const status = drive && mediumStatus(vmi, name, drive, own(states, name), attachments);
    return status ? [status] : [];
  });
  return [...others, ...media].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mediumStatus(
  vmi: VirtualMachineInstance,
  name: string,
  drive: DriveView,
  state: DriveState | undefined,
  attachments: readonly Pod[],
): VolumeStatuses[number] | undefined {
  const wanted = wantedMedium(vmi, name);
  const before = vmi.status?.volumeStatus?.find((each) => each.name === name);
  if (wanted.type !== 'claim' && drive.source === undefined) return before && unmountedStatus(before, attachments);
  if (state?.medium.type === 'awaited' && !state.problem) return before;
  const inside = insertedClaim(vmi, name, drive, state?.medium);
  const claimName = inside ?? (wanted.type === 'claim' ? wanted.claim : undefined);
  const isSame = before?.persistentVolumeClaimInfo?.claimName === claimName;
  const info = isSame ? before?.persistentVolumeClaimInfo : { claimName };
  const known = {
    name,
    hotplugVolume: attachmentStatus(attachments, name, claimName ?? '', isSame ? before?.hotplugVolume : undefined),
    ...(claimName !== undefined && { persistentVolumeClaimInfo: info }),
  };
  const held = { ...known, target: drive.target, ...(state?.disc && { size: state.disc.sizeBytes }) };
  const problem = state?.problem;
  if (drive.source === undefined) return { ...known, target: '', ...insertingStatus(name, problem) };
  if (wanted.type === 'claim' && wanted.claim === inside && !problem)
    return {
      ...held,
      phase: 'Ready',
      reason: 'VolumeReady',
      message: `Successfully attach hotplugged volume ${name} to VM`,
    };
  const leaving = { reason: 'VolumeUnMountedFromPod', message: `Volume ${name} is being unplugged` };
  return { ...held, ...leaving, ...problem, phase: 'Detaching' };
}

const insertingStatus = (name: string, problem: DriveProblem | undefined) => {
  const mounted = { reason: 'VolumeMountedToPod', message: `Volume ${name} is being attached` };
  const isWaiting = problem?.reason === 'PVCNotReady' || problem?.reason === 'FailedPvcNotFound';
  return { phase: isWaiting ? 'Pending' : 'MountedToPod', ...mounted, ...problem };
};

const NO_FILE_SYSTEM = 'it has neither an ISO 9660 nor a UDF file system: most guests cannot read it';

/** The drives of a running VMI, for its status. */
export function driveStatuses(
  vmi: VirtualMachineInstance,
  drives: Drives,
  states: DriveStates,
): NonNullable<VmiStatus['cdromStatus']> {
  return Object.entries(drives)
    .map(([name, drive]) => {
      const volume = vmi.spec.volumes?.find((each) => each.name === name);
      const fixed = volume && claimNameOf(volume);
      const isFixed = wantedMedium(vmi, name).type === 'fixed';
      const claimName = isFixed ? fixed : insertedClaim(vmi, name, drive, own(states, name)?.medium);
      const disc = drive.source === undefined ? undefined : own(states, name)?.disc;
      return {
        name,
        target: drive.target,
        tray: drive.isTrayOpen ? ('open' as const) : ('closed' as const),
        ...(drive.source !== undefined && claimName !== undefined && { claimName }),
        ...(disc && { size: disc.sizeBytes }),
        ...(disc && !disc.isReadable && { message: NO_FILE_SYSTEM }),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What the drives wait for, as a condition; undefined while all hold what they should. */
export function mediaCondition(states: DriveStates): Omit<VmiCondition, 'type'> | undefined {
  const problems = Object.values(states).flatMap(({ problem }) => problem ?? []);
  const [first] = problems;
  if (!first) return undefined;
  return { status: 'False', reason: first.reason, message: problems.map(({ message }) => message).join('; ') };
}
