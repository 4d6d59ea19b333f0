import { hasEnded, isDeleting, type Persisted, type Pod } from '@vireo/api';
import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { isTargetGivenUp, TARGET_IMAGE_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import {
  DEFAULT_GRACE_PERIOD_SECONDS,
  gracePeriodSecondsOf,
  isFinal,
  isHandedOver,
  type Vmi,
} from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { DomainState } from '@vireo/libvirt';
import { hasArrived, isComingByPostCopy } from '../migration/arrival.ts';
import { currentMigration, isTargetOver, migrationRole } from '../migration/role.ts';
import { type HotplugPlan, hotplugPlan } from '../volumes/hotplug.ts';
import { type CardPlan, cardPlan, hasChanges, NO_CARDS } from './cards.ts';
import { hasAgentCredentials } from './credentials.ts';
import type { DomainView } from './domainView.ts';
import { isMediumInPlace } from './drives.ts';
import { isPausedByIoError } from './fullDisk.ts';
import { launcherOptions } from './launcher.ts';
import { type LinkState, linksToSet } from './links.ts';
import type { VmiCache } from './localVmi.ts';
import { dumpVolume } from './memoryDump.ts';
import { type SizePlan, sizePlan } from './size.ts';
import { untrackedUnplugs } from './unpluggedDisks.ts';

/** What the node knows of one VMI when it decides. */
export interface ObservedVmi {
  /** Of a guest that runs it is undefined only where the server has said, when it was asked, that the VMI is gone. */
  readonly vmi: Vmi | undefined;
  /** The launcher on this node. */
  readonly pod: Persisted<Pod> | undefined;
  /** The name of this node. */
  readonly node: string;
  /** Whether the launcher was deleted by force while this node was listening. */
  readonly isLauncherKilled?: boolean | undefined;
  /** Undefined: libvirt knows no such domain. */
  readonly domain: DomainState | undefined;
  /** Whether disks, logs or sockets of it may be on this node. */
  readonly hasFiles: boolean;
  /** When the guest was last asked to shut down; 0 when it was not. */
  readonly shutdownAskedAtMs: number;
  /** What becomes of the guest's move to another node, as far as this agent has carried it out. */
  readonly sending?: 'moving' | 'moved' | 'stayed' | undefined;
  /** Whether the domain waits here for its guest, by a migration that this agent takes part in. */
  readonly isReceiving?: boolean | undefined;
  readonly nowMs: number;
}

/** The one thing to do next. Its effects come back as changes, which have the VMI reconciled again. */
export type Decision =
  | { readonly action: 'nothing' }
  /** Make disks and sockets ready, and say so in the pod. */
  | { readonly action: 'prepare' }
  /** The launcher is to fail at once, as an annotation for tests of crash loops asks. */
  | { readonly action: 'crashLauncher' }
  | { readonly action: 'start' }
  /** Bring the running guest in line with its VMI, step by step, and write status. */
  | { readonly action: 'sync' }
  /** The guest has ended; say how, in the VMI. */
  | { readonly action: 'end'; readonly phase: 'Succeeded' | 'Failed'; readonly why: string }
  /** Ask the guest to shut down, and decide again after that time. */
  | { readonly action: 'shutdown'; readonly againAfterMs: number; readonly remainingMs: number }
  | { readonly action: 'waitForShutdown'; readonly againAfterMs: number }
  | { readonly action: 'destroy' }
  /** End a domain that waits for its guest, unless the guest comes at this moment. */
  | { readonly action: 'discard' }
  /** Let a launcher go that was deleted while nobody heard of this node; the guest goes on, and gets another. */
  | { readonly action: 'releaseLauncher' }
  /** Nothing runs any more: forget the domain and its files, and settle the pod. `launcher`: how it ended. */
  | { readonly action: 'cleanUp'; readonly launcher?: 'Succeeded' | 'Failed' }
  /** The guest is to come: make disks and networks ready, and say so in the pod. */
  | { readonly action: 'prepareTarget' }
  /** Tell the node that the guest comes from where this one listens. */
  | { readonly action: 'receive' }
  /** The guest has come; say so in the VMI. */
  | { readonly action: 'takeOver' }
  /** The guest was moving and has no domain here any more: find out whether it has come to the other node. */
  | { readonly action: 'settleMove' }
  /** The guest has moved, and its VMI does not say so yet: find out whether it has ended before it could. */
  | { readonly action: 'confirmArrival' }
  /** The guest stands still for a move that does not happen. */
  | { readonly action: 'goOn' };

/** Why the VMI of a guest that crashed has ended. */
export const CRASHED = 'the guest crashed';

const NOTHING: Decision = { action: 'nothing' };
/** A guest that is still booting does not hear its power button; it is pressed again. */
const SHUTDOWN_RETRY_MS = 3_000;
/** Times in objects are cut to seconds: without this a grace of one second could be none. */
const ROUNDING_MS = 1000;

export const isDomainActive = (domain: DomainState | undefined): boolean =>
  domain !== undefined && !['shutoff', 'crashed', 'nostate'].includes(domain.state);

/** Its guest has not run yet: a start is under way, or was when libvirtd died. */
export const isStartingUp = (domain: DomainState | undefined): boolean =>
  domain?.state === 'paused' && domain.reason === 'starting-up';

/** Whether libvirt plugs disks and cards, and changes media, of a domain in that state. */
export const canChangeDisks = ({ state }: DomainState): boolean => state === 'running' || state === 'paused';

/** What to do about a VMI. Depends on what is observed alone, so it may be called at any time. */
export function decide(observed: ObservedVmi): Decision {
  const { vmi, pod, domain, hasFiles, node } = observed;
  const role = vmi && !isFinal(vmi) ? migrationRole(vmi, pod, node) : 'owner';
  if (vmi && role === 'target') return decideTarget(vmi, observed);
  // The move itself ends the domain with libvirt's last step, and says when it is over.
  if (vmi && role === 'former' && observed.sending === 'moving') return NOTHING;
  if (vmi && role === 'former' && !isDomainActive(domain)) return endOfLauncher(observed, 'Succeeded');
  if (vmi && role === 'source') {
    const decision = decideSource(vmi, observed);
    if (decision) return decision;
  }
  if (isDomainActive(domain)) return decideRunning(observed);
  if (!vmi || !(pod || isLeftHere(observed)))
    return domain || hasFiles || isDeleting(pod) ? { action: 'cleanUp' } : NOTHING;
  if (isFinal(vmi)) return isEndReported(pod, domain) ? NOTHING : { action: 'cleanUp' };
  const phase = vmi.status?.phase ?? '';
  if (domain && (phase !== 'Scheduled' || !neverRan(domain))) return decideEnd(domain, vmi);
  if (isBeingDeleted(observed))
    return isHandedOver(vmi) ? endFailed('it was deleted before it started') : { action: 'cleanUp' };
  if (phase === 'Scheduled') return pod ? { action: 'start' } : NOTHING;
  if (isUnknown(vmi))
    return endFailed('it ended while its node was silent, for example because the host was restarted');
  if (isHandedOver(vmi)) return endFailed('its libvirt domain no longer exists');
  if ((pod?.status?.phase ?? 'Pending') !== 'Pending') return NOTHING;
  return { action: pod && launcherOptions(pod).shouldCrash ? 'crashLauncher' : 'prepare' };
}

/** A guest that is to come, or has come and its VMI does not say so yet. */
function decideTarget(vmi: Vmi, observed: ObservedVmi): Decision {
  const { pod, domain, isReceiving } = observed;
  const isActive = isDomainActive(domain);
  const migration = currentMigration(vmi);
  const isHandedOverHere = migration?.targetPod === pod?.metadata.name && pod !== undefined && !isTargetGivenUp(vmi);
  // Whatever was decided elsewhere: the guest is here, and nowhere else. It is taken over when libvirt is done with it.
  if (isHandedOverHere && hasArrived(domain)) return isReceiving ? NOTHING : { action: 'takeOver' };
  // What is known of the domain may be a moment old, and the source ends its guest when this one goes on.
  const stop: Decision = { action: isHandedOverHere ? 'discard' : 'destroy' };
  if (isHandedOverHere && isComingByPostCopy(domain)) return NOTHING;
  if (isTargetOver(vmi, pod) || isDeleting(pod) || (pod && hasEnded(pod)))
    return isActive ? stop : endOfLauncher(observed, 'Failed');
  // Nobody is left who could have the guest come by this domain.
  if (isActive) return isReceiving || isComingByPostCopy(domain) ? NOTHING : stop;
  if (!pod) return NOTHING;
  // It was here before.
  if (domain) return { action: 'cleanUp' };
  if (pod.metadata.annotations?.[TARGET_IMAGE_ANNOTATION] !== undefined) return NOTHING;
  if ((pod.status?.phase ?? 'Pending') === 'Pending') return { action: 'prepareTarget' };
  return isHandedOverHere ? { action: 'receive' } : NOTHING;
}

/** A guest that is to go; undefined where that makes no difference. */
function decideSource(vmi: Vmi, observed: ObservedVmi): Decision | undefined {
  const { domain, sending } = observed;
  const isActive = isDomainActive(domain);
  if (sending === 'moved') {
    const next: Decision = isActive ? { action: 'destroy' } : endOfLauncher(observed, 'Succeeded');
    return next.action === 'nothing' ? { action: 'confirmArrival' } : next;
  }
  if (sending === 'moving') return isActive ? undefined : NOTHING;
  const hasBegun = currentMigration(vmi)?.startTimestamp !== undefined;
  return hasBegun && !isActive ? { action: 'settleMove' } : undefined;
}

/** A launcher whose guest is not here and does not come. */
function endOfLauncher(
  { pod, domain, hasFiles }: Pick<ObservedVmi, 'pod' | 'domain' | 'hasFiles'>,
  launcher: 'Succeeded' | 'Failed',
): Decision {
  const isNothingLeft = pod === undefined && domain === undefined && !hasFiles;
  return isNothingLeft || isEndReported(pod, domain) ? NOTHING : { action: 'cleanUp', launcher };
}

/**
 * A guest ends because of objects only where the server says that its VMI is gone, goes, has ended or is another node's.
 * That its launcher is missing says nothing: its Node may have been removed, or the pod deleted while nobody heard of us.
 */
function decideRunning(observed: ObservedVmi): Decision {
  const { vmi, pod, node, domain } = observed;
  if (!vmi || isElsewhere(vmi, node) || observed.isLauncherKilled) return { action: 'destroy' };
  if (isUnknown(vmi) && isDeleting(pod) && !isDeleting(vmi)) return { action: 'releaseLauncher' };
  if (isBeingDeleted(observed) || isFinal(vmi)) return decideStop(observed);
  if (domain?.state === 'paused' && domain.reason === 'migration' && !currentMigration(vmi) && !observed.sending)
    return { action: 'goOn' };
  // libvirt itself ends a start that it does not finish; until then there is no guest to tell of.
  return isStartingUp(domain) || !pod ? NOTHING : { action: 'sync' };
}

/** Whether a VMI is another node's, and no migration that goes on brings it here or takes it away. */
export function isElsewhere(vmi: Vmi, node: string): boolean {
  const { status } = vmi;
  const { sourceNode, targetNode, completed, failed } = status?.migrationState ?? {};
  const isOver = completed || failed || isTargetGivenUp(vmi);
  const migrating = isOver ? [] : [sourceNode, targetNode];
  return !!status?.nodeName && ![status.nodeName, ...migrating].includes(node);
}

/** Whether a VMI is this node's to tell of although its launcher is gone. */
const isLeftHere = ({ vmi, node }: ObservedVmi): boolean =>
  vmi !== undefined && isHandedOver(vmi) && !isFinal(vmi) && vmi.status?.nodeName === node;

const endFailed = (why: string): Decision => ({ action: 'end', phase: 'Failed', why });

const isBeingDeleted = ({ vmi, pod }: ObservedVmi): boolean => isDeleting(vmi) || isDeleting(pod);

/** Defined and not started, or lost by a hypervisor that died on the way. */
const neverRan = ({ state, reason }: DomainState): boolean =>
  state === 'shutoff' && ['unknown', 'failed', 'daemon'].includes(reason);

/** The pod of a final VMI needs nothing more once it says so itself, unless it is to be removed. */
const isEndReported = (pod: Persisted<Pod> | undefined, domain: DomainState | undefined): boolean =>
  domain === undefined && pod !== undefined && !isDeleting(pod) && hasEnded(pod);

const hasAcpi = (vmi: Vmi | undefined): boolean => vmi?.spec.domain.features?.acpi?.enabled !== false;

function decideStop(observed: ObservedVmi): Decision {
  const { vmi, domain, shutdownAskedAtMs, nowMs } = observed;
  if (!hasAcpi(vmi) || isFinal(vmi) || domain?.state === 'paused') return { action: 'destroy' };
  const remainingMs = deadlineMs(observed) - nowMs;
  if (remainingMs <= 0) return { action: 'destroy' };
  const nextRequestMs = shutdownAskedAtMs + SHUTDOWN_RETRY_MS - nowMs;
  if (nextRequestMs <= 0)
    return { action: 'shutdown', againAfterMs: Math.min(remainingMs, SHUTDOWN_RETRY_MS), remainingMs };
  return { action: 'waitForShutdown', againAfterMs: Math.min(remainingMs, nextRequestMs) };
}

/** Until when the guest may take to shut down. Follows from the objects, so that a restart of ours changes nothing. */
function deadlineMs({ vmi, pod }: ObservedVmi): number {
  const own = (vmi ? gracePeriodSecondsOf(vmi) : DEFAULT_GRACE_PERIOD_SECONDS) * 1000;
  const ofVmi = timeMs(vmi?.metadata.deletionTimestamp);
  // A pod's time of deletion is when its grace ends; somebody may have shortened that.
  const ofPod = timeMs(pod?.metadata.deletionTimestamp);
  const askedOfPod = ofPod - (pod?.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  if (own <= 0) return 0;
  return Math.min(ofPod, Math.min(ofVmi, askedOfPod) + own) + ROUNDING_MS;
}

const timeMs = (time: string | undefined): number => (time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time));

/** How a guest ended, by libvirt's reason. One that had to be switched off although it has a power button has failed. */
function decideEnd({ state, reason }: DomainState, vmi: Vmi): Decision {
  if (state === 'crashed' || reason === 'crashed') return endFailed(CRASHED);
  if (reason === 'destroyed' && hasAcpi(vmi)) return endFailed('it was powered off');
  if (reason === 'unknown')
    return endFailed('it stopped while Vireo was not running, for example because the host was shut down');
  if (['failed', 'daemon'].includes(reason)) return endFailed(`it stopped for an unknown reason (${reason})`);
  return { action: 'end', phase: 'Succeeded', why: '' };
}

/** A running guest as it was observed, what its VMI wants, and what was done for it before. */
export interface RunningGuest {
  readonly vmi: Vmi;
  readonly domain: { readonly state: DomainState; readonly view: DomainView };
  readonly cache: Readonly<VmiCache>;
}

/** One thing to do for a running guest before its status is written. */
export type SyncStep =
  /** Move the guest to another node, or write down how that went. */
  | { readonly step: 'migrate' }
  | { readonly step: 'setLinks'; readonly links: ReadonlyMap<string, LinkState> }
  /** Take over what an earlier run of ours has frozen. */
  | { readonly step: 'restoreFreeze' }
  /** Its agent has gone: nothing is frozen, and nothing that it said counts. */
  | { readonly step: 'forgetFreeze' | 'forgetGuestInfo' }
  | { readonly step: 'readGuestInfo' }
  | { readonly step: 'syncCredentials' | 'forgetCredentials' }
  | { readonly step: 'readChecksums' }
  | ({ readonly step: 'plugDisks' } & HotplugPlan)
  | ({ readonly step: 'plugCards' } & CardPlan)
  /** Give the guest the CPUs and the memory that its spec has by now. */
  | ({ readonly step: 'changeSize' } & SizePlan)
  | { readonly step: 'changeMedia'; readonly drives: readonly string[] }
  /** Resume a guest that was paused because the disk was full. */
  | { readonly step: 'resumeWhenRoom' }
  /** Have QEMU close the files of disks that are out of the domain. */
  | { readonly step: 'closeUnplugged' }
  | { readonly step: 'dumpMemory' }
  /** Look after the directories that the guest shares. */
  | { readonly step: 'syncFilesystems' };

/** How often the agent is asked for news: often while the guest has no address, and when it has got a card. */
const GUEST_INFO_MS = 60_000;
const FIRST_GUEST_INFO_MS = 3_000;
const NEW_CARD_MS = 30_000;
/** How old what was last read of Secrets may be. */
const FRESH_CREDENTIALS_MS = 10_000;

/** What to do for a running guest, in order. */
export function decideSync(guest: RunningGuest, nowMs: number): SyncStep[] {
  const { vmi, domain, cache } = guest;
  // What the guest has must not change while it moves: the target has made the same ready.
  if (isLeaving(vmi)) return [{ step: 'migrate' }];
  const { diskTargets, drives } = domain.view;
  const links = linksToSet(vmi, domain.view);
  const areDisksFree = canChangeDisks(domain.state);
  const plan = areDisksFree ? hotplugPlan(vmi, diskTargets, drives) : { attach: [], detach: [] };
  // A guest that is about to move gets them where it goes.
  const size = areDisksFree && !currentMigration(vmi) ? sizePlan(vmi, domain.view) : {};
  const cards = areDisksFree ? cardPlan(vmi, domain.view, cache.networks) : NO_CARDS;
  const isUnplugging = plan.detach.length + cache.unplugged.size + untrackedUnplugs(guest, diskTargets).length > 0;
  const changing = Object.entries(drives).flatMap(([name, drive]) => (isMediumInPlace(vmi, name, drive) ? [] : [name]));
  const when = (isNeeded: boolean, step: SyncStep): SyncStep[] => (isNeeded ? [step] : []);
  return [
    ...when(isPausedByIoError(domain.state), { step: 'resumeWhenRoom' }),
    ...when(Object.keys(size).length > 0, { step: 'changeSize', ...size }),
    ...when(hasChanges(cards), { step: 'plugCards', ...cards }),
    ...when(links.size > 0, { step: 'setLinks', links }),
    ...agentSteps(guest, nowMs),
    ...when(cache.checksums === undefined, { step: 'readChecksums' }),
    ...when(plan.attach.length + plan.detach.length > 0, { step: 'plugDisks', ...plan }),
    ...when(areDisksFree && changing.length > 0, { step: 'changeMedia', drives: changing }),
    ...when(isUnplugging, { step: 'closeUnplugged' }),
    ...when(cache.dump !== undefined || dumpVolume(vmi) !== undefined, { step: 'dumpMemory' }),
    ...when(domain.view.filesystems !== undefined, { step: 'syncFilesystems' }),
  ];
}

/** Whether the target of a migration waits for the guest, or it is to stay after all. */
const isLeaving = (vmi: Vmi): boolean => {
  const { targetNodeAddress, abortRequested } = currentMigration(vmi) ?? {};
  return targetNodeAddress !== undefined || abortRequested === true;
};

function agentSteps(guest: RunningGuest, nowMs: number): SyncStep[] {
  const { vmi, domain, cache } = guest;
  const isRunning = domain.state.state === 'running';
  const { isAgentConnected } = domain.view;
  const steps: SyncStep['step'][] = [];
  if (!isAgentConnected) {
    if (cache.isFrozen || !cache.isFreezeRestored) steps.push('forgetFreeze');
    if (cache.guestInfoReadAtMs > 0) steps.push('forgetGuestInfo');
  } else {
    if (!cache.isFreezeRestored) steps.push('restoreFreeze');
    if (isRunning && guestInfoDueInMs(guest, nowMs) <= 0) steps.push('readGuestInfo');
  }
  if (hasAgentCredentials(vmi)) {
    // What comes next may be another system.
    if (!isAgentConnected || !isRunning) steps.push('forgetCredentials');
    else if (!cache.credentials || nowMs - cache.credentials.checkedAtMs >= FRESH_CREDENTIALS_MS)
      steps.push('syncCredentials');
  }
  return steps.map((step) => ({ step }) as SyncStep);
}

const guestInfoDueInMs = ({ cache }: RunningGuest, nowMs: number): number => {
  const hasAddress = cache.guestInfo?.interfaces.some(({ addresses }) => addresses.length > 0);
  const isSettled = hasAddress && nowMs - (cache.cardPluggedAtMs ?? 0) >= NEW_CARD_MS;
  return cache.guestInfoReadAtMs + (isSettled ? GUEST_INFO_MS : FIRST_GUEST_INFO_MS) - nowMs;
};

/** After how long the agent is asked again; undefined while that is not connected. */
export const nextGuestInfoMs = (guest: RunningGuest, nowMs: number): number | undefined =>
  guest.domain.view.isAgentConnected ? Math.max(guestInfoDueInMs(guest, nowMs), FIRST_GUEST_INFO_MS) : undefined;
