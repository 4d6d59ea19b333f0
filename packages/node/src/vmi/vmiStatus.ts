import { type ConditionDraft, type Pod, timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { DomainState } from '@vireo/libvirt';
import { type HotplugProblems, withHotplug } from '../volumes/hotplug.ts';
import { cardCondition } from './cards.ts';
import type { DomainView } from './domainView.ts';
import { type DriveStates, driveStatuses, mediaCondition, withMedia } from './drives.ts';
import type { GuestInfo } from './guestInfo.ts';
import { type MigrationSite, migrationConditions, migrationMethod } from './migratable.ts';
import { interfaceStatus, type SecondaryAddresses } from './networks.ts';
import { type SizeProblems, sizeConditions, sizeStatus } from './size.ts';
import { type ClaimInfoLookup, type VolumeStatuses, volumeStatus, withClaimInfo } from './volumeStatus.ts';

/** What libvirt and the guest's agent tell of a running guest. */
export interface ObservedGuest {
  readonly domain: DomainState;
  readonly view: DomainView;
  /** Why volumes are not plugged in yet. */
  readonly hotplugProblems?: HotplugProblems;
  /** Why network interfaces are not as the spec says. */
  readonly cardProblems?: readonly string[];
  /** Why CPUs and memory are not as the spec says. */
  readonly sizeProblems?: SizeProblems;
  /** The attachment pods that what is plugged in is taken from. */
  readonly attachments?: readonly Pod[];
  /** What is known of a claim of its namespace. */
  readonly claimInfo?: ClaimInfoLookup;
  /** What of the node decides whether the guest can move. */
  readonly site?: MigrationSite;
  /** What became of the media of its CD-ROM drives. */
  readonly drives?: DriveStates;
  /** Its address in the pod network, where it has one of its own. */
  readonly podAddresses?: readonly string[];
  /** Its addresses in other networks, by interface. */
  readonly secondaryAddresses?: SecondaryAddresses;
  readonly isEmulated: boolean;
  readonly isFrozen: boolean;
  /** Whom QEMU runs as. */
  readonly user: number;
  /** What the agent said last. */
  readonly guestInfo: GuestInfo | undefined;
  /** What became of the credentials that the agent is to hand over. */
  readonly credentials?: Omit<VmiCondition, 'type'> | undefined;
  /** Of the disks that came out of images, by volume. */
  readonly checksums?: Readonly<Record<string, number>>;
  /** How far the dump of its memory is, if one was asked for. */
  readonly memoryDump?: VolumeStatuses[number] | undefined;
  /** What there is to say of the disk of its node. */
  readonly diskPressure?: Omit<VmiCondition, 'type'> | undefined;
  /** Whether its directories are served, where it shares any. */
  readonly filesystems?: Omit<VmiCondition, 'type'> | undefined;
}

/** The phase with the time that it was reached. */
export function inPhase(status: VmiStatus, phase: string, now: Date): Partial<VmiStatus> {
  if (status.phase === phase) return {};
  const known = status.phaseTransitionTimestamps ?? [];
  // A guest whose node was silent for a while has been running since it was first reported.
  const isKnown = known.some((each) => each.phase === phase);
  const reached = { phase, phaseTransitionTimestamp: timestamp(now) };
  return { phase, phaseTransitionTimestamps: isKnown ? known : [...known, reached] };
}

/** The status of a VMI whose domain is active. */
export function runningStatus(vmi: VirtualMachineInstance, observed: ObservedGuest, now: Date): VmiStatus {
  const { status = {} } = vmi;
  const { guestInfo, isFrozen, view, user } = observed;
  const { fsFreezeStatus: _, cdromStatus: __, reason, ...rest } = status;
  const states = observed.drives ?? {};
  const attached = volumeStatus(vmi, view, observed.checksums, observed.memoryDump);
  const { attachments, hotplugProblems = {} } = observed;
  const plugged = withHotplug(vmi, attached, view.diskTargets, hotplugProblems, attachments);
  const volumes = withClaimInfo(vmi, withMedia(vmi, plugged, view.drives, states, attachments), observed.claimInfo);
  const cdroms = driveStatuses(vmi, view.drives, states);
  return {
    ...rest,
    ...(reason !== undefined && !isUnknown(vmi) && { reason }),
    ...inPhase(status, 'Running', now),
    conditions: runningConditions({ ...vmi, status: { ...status, volumeStatus: volumes } }, observed, now),
    interfaces: interfaceStatus(
      vmi,
      view,
      guestInfo?.interfaces ?? [],
      observed.podAddresses,
      observed.secondaryAddresses,
    ),
    ...(guestInfo && { guestOSInfo: guestInfo.os }),
    ...(isFrozen && { fsFreezeStatus: 'frozen' }),
    ...(view.machineType !== undefined && { machine: { type: view.machineType } }),
    ...((volumes.length > 0 || status.volumeStatus) && { volumeStatus: volumes }),
    ...(cdroms.length > 0 && { cdromStatus: cdroms }),
    ...sizeStatus(vmi, view),
    migrationMethod: migrationMethod(vmi),
    migrationTransport: 'Unix',
    runtimeUser: user,
    selinuxContext: status.selinuxContext ?? 'none',
  };
}

function runningConditions(vmi: VirtualMachineInstance, observed: ObservedGuest, now: Date): VmiCondition[] {
  const statements: Record<string, Omit<VmiCondition, 'type'> | undefined> = {
    Paused: pausedCondition(observed.domain),
    DiskPressure: observed.diskPressure,
    FilesystemsReady: observed.filesystems,
    AgentConnected: observed.view.isAgentConnected ? { status: 'True' } : undefined,
    AccessCredentialsSynchronized: observed.credentials,
    SoftwareEmulation: observed.isEmulated ? EMULATED : undefined,
    ...migrationConditions(vmi, observed.site ?? { podNetwork: 'user', isSharedClaim: () => undefined }),
    Synchronized: cardCondition(observed.cardProblems ?? []),
    ...sizeConditions(vmi, observed.view, observed.sizeProblems),
    MediaSynchronized: mediaCondition(observed.drives ?? {}),
  };
  const drafts = Object.entries(statements).flatMap(([type, statement]) => (statement ? [{ type, ...statement }] : []));
  return setConditions(vmi.status?.conditions, drafts, now, Object.keys(statements));
}

const EMULATED = {
  status: 'True',
  reason: 'SoftwareEmulation',
  message: 'the guest is emulated in software, because its node offers no hardware virtualization',
} as const;

/** The guest stands still while libvirt works on it, and goes on by itself: nobody has paused it. */
const PASSING_PAUSES = ['starting-up', 'dump', 'save', 'snapshot', 'migration', 'postcopy', 'shutting-down'];

function pausedCondition({ state, reason }: DomainState): Omit<VmiCondition, 'type'> | undefined {
  if (state !== 'paused' || PASSING_PAUSES.includes(reason)) return undefined;
  return reason === 'io-error'
    ? { status: 'True', reason: 'PausedIOError', message: 'VMI was paused, low-level IO error detected' }
    : { status: 'True', reason: 'PausedByUser', message: 'VMI was paused by user' };
}

/** The status of a VMI whose guest has ended. A cause that the guest did not choose becomes a condition. */
export const endedStatus = (
  { status = {} }: VirtualMachineInstance,
  phase: 'Succeeded' | 'Failed',
  why: string,
  now: Date,
): VmiStatus => ({
  ...status,
  // That its node was silent is over.
  ...(status.phase === 'Unknown' && { reason: undefined }),
  ...inPhase(status, phase, now),
  conditions: setConditions(
    status.conditions,
    phase === 'Failed' && status.phase === 'Scheduled' ? [notSynchronized(why)] : [],
    now,
    ['Paused', 'DiskPressure', 'FilesystemsReady', 'Synchronized'],
  ),
});

/** The status of a VMI that its node could not bring further. It is tried again. */
export const failingStatus = ({ status = {} }: VirtualMachineInstance, why: string, now: Date): VmiStatus => ({
  ...status,
  conditions: setConditions(status.conditions, [notSynchronized(why)], now),
});

const notSynchronized = (message: string): ConditionDraft => ({
  type: 'Synchronized',
  status: 'False',
  reason: 'Synchronizing with the Domain failed.',
  message,
});
