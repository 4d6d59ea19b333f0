import { conditionOf } from '@vireo/api';
import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import type { VmiCondition } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Result } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import { FILESYSTEMS_MS, syncFilesystems } from '../filesystems/sync.ts';
import { containerDiskChecksums } from '../images/containerDisk.ts';
import { applyLimits } from '../limits/applyLimits.ts';
import type { HotplugProblems } from '../volumes/hotplug.ts';
import { ATTACHMENT_GRACE_MS } from './attachmentWait.ts';
import { changeSize } from './changeSize.ts';
import { decideSync, nextGuestInfoMs, type SyncStep } from './decide.ts';
import type { DriveStates, MediumState } from './drives.ts';
import { forgetFreeze, restoreFreeze } from './freeze.ts';
import {
  diskPressureCondition,
  diskPressureEvent,
  type FullDisk,
  RESUME_AGAIN_MS,
  resumeWhenRoom,
} from './fullDisk.ts';
import { growDisks } from './growDisks.ts';
import { readGuestInfo } from './guestInfo.ts';
import { launcherOptions } from './launcher.ts';
import { setLinks } from './links.ts';
import type { LocalVmi, RunningVmi } from './localVmi.ts';
import { changeMedia, readDrives } from './media.ts';
import { syncMemoryDump } from './memoryDump.ts';
import { evictionWarning } from './migratable.ts';
import { networkAnnotations } from './networkAnnotations.ts';
import { plugCards, releaseCards } from './plugCards.ts';
import { plugDisks } from './plugDisks.ts';
import { endedContainers, gatedStatus, isWaiting, preparedStatus } from './podStatus.ts';
import { refreshCredentials } from './refreshCredentials.ts';
import type { SizeProblems } from './size.ts';
import type { StatusWriter } from './statusWriter.ts';
import { closeUnplugged, DETACH_AGAIN_MS, withUnplugged } from './unpluggedDisks.ts';
import { runningStatus } from './vmiStatus.ts';
import type { VolumeStatuses } from './volumeStatus.ts';

/** The results of the steps that the status and the next reconcile need. */
interface SyncOutcome {
  /** Why volumes are not plugged in yet. */
  readonly hotplugProblems: HotplugProblems;
  /** Why network interfaces are not as the spec says, and after how long to look again. */
  readonly cardProblems?: readonly string[];
  readonly cardsAgainMs?: number | undefined;
  /** Why CPUs and memory are not as the spec says, and after how long to look again. */
  readonly sizeProblems?: SizeProblems;
  readonly sizeAgainMs?: number | undefined;
  /** What became of the media of CD-ROM drives. */
  readonly media: Readonly<Record<string, MediumState>>;
  readonly isDetaching: boolean;
  /** After how long to try again what QEMU has not closed yet. */
  readonly closeAgainMs?: number | undefined;
  readonly memoryDump?: VolumeStatuses[number] | undefined;
  /** Whether its directories are served, where it shares any. */
  readonly filesystems?: Omit<VmiCondition, 'type'> | undefined;
  /** The full file system for which the guest is paused. */
  readonly full?: FullDisk | undefined;
  /** After how long to try again to resume the guest. */
  readonly resumeAgainMs?: number | undefined;
}

/** Brings a running guest in line with its VMI, and writes its status. */
export async function sync(local: LocalVmi, context: NodeContext, writer: StatusWriter): Promise<Result | undefined> {
  const { vmi, pod, domain } = local;
  if (!vmi || !pod || !domain) return undefined;
  const running: RunningVmi = { ...local, vmi, pod, domain };
  const nowMs = context.clock.now();
  const guestInfoMs = nextGuestInfoMs(running, nowMs);
  let outcome: SyncOutcome = { hotplugProblems: {}, media: {}, isDetaching: false };
  const steps = decideSync(running, nowMs);
  if (steps.some(({ step }) => step === 'migrate')) return context.migrations.send(running, writer);
  for (const step of steps) outcome = { ...outcome, ...(await carryOut(step, running, context, writer)) };
  await releaseCards(running, context);
  await growDisks(running, context);
  context.downwardMetrics.follow(running);
  const drives = await readDrives(running, outcome.media, context);
  const [limitsMs] = await Promise.all([
    applyLimits(running, context),
    report(running, outcome, drives, context, writer),
  ]);
  const { closeAgainMs, resumeAgainMs, cardsAgainMs, sizeAgainMs } = outcome;
  const filesystemsMs = outcome.filesystems && FILESYSTEMS_MS;
  const all = [
    ...diskWaitsMs(outcome, drives),
    cardsAgainMs,
    sizeAgainMs,
    guestInfoMs,
    closeAgainMs,
    resumeAgainMs,
    filesystemsMs,
    limitsMs,
  ];
  const waits = all.filter((each) => each !== undefined);
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
}

async function carryOut(
  step: SyncStep,
  local: RunningVmi,
  context: NodeContext,
  writer: StatusWriter,
): Promise<Partial<SyncOutcome> | undefined> {
  const { cache, domain } = local;
  switch (step.step) {
    case 'migrate':
      break;
    case 'setLinks':
      await setLinks(local, step.links, context);
      break;
    case 'resumeWhenRoom':
      return resumeOrRetry(local, context);
    case 'restoreFreeze':
      await restoreFreeze(local, context);
      break;
    case 'forgetFreeze':
      await forgetFreeze(local);
      break;
    case 'readGuestInfo':
      cache.guestInfo = (await readGuestInfo(context.libvirt.long, domain.ref)) ?? cache.guestInfo;
      cache.guestInfoReadAtMs = context.clock.now();
      break;
    case 'forgetGuestInfo':
      cache.guestInfo = undefined;
      cache.guestInfoReadAtMs = 0;
      break;
    case 'syncCredentials':
      await refreshCredentials(local, context);
      break;
    case 'forgetCredentials':
      cache.credentials = undefined;
      break;
    case 'readChecksums':
      cache.checksums = await containerDiskChecksums(local.files.directory);
      break;
    case 'plugDisks':
      return { hotplugProblems: await plugDisks(local, step, context), isDetaching: step.detach.length > 0 };
    case 'plugCards':
      return plugCards(local, step, context);
    case 'changeSize':
      return changeSize(local, step, context, writer);
    case 'changeMedia':
      return { media: await changeMedia(local, step.drives, context) };
    case 'closeUnplugged':
      return { closeAgainMs: await closeUnplugged(local, context) };
    case 'dumpMemory':
      return { memoryDump: await syncMemoryDump(local, context) };
    case 'syncFilesystems':
      return { filesystems: await syncFilesystems(local, context) };
  }
  return undefined;
}

/** A guest that cannot be resumed now is no reason to leave the rest of its VMI undone. */
export async function resumeOrRetry(
  local: RunningVmi,
  context: Parameters<typeof resumeWhenRoom>[1] & Pick<NodeContext, 'log'>,
): Promise<Pick<SyncOutcome, 'full' | 'resumeAgainMs'>> {
  try {
    const full = await resumeWhenRoom(local, context);
    return { full, ...(full && { resumeAgainMs: RESUME_AGAIN_MS }) };
  } catch (error) {
    context.log.warn('a guest that was paused on a full disk cannot be resumed', local.vmi, { error });
    return { resumeAgainMs: RESUME_AGAIN_MS };
  }
}

/** Writes what the guest is into its VMI and its launcher. */
async function report(
  local: RunningVmi,
  { hotplugProblems, cardProblems = [], sizeProblems, memoryDump, full, filesystems }: SyncOutcome,
  drives: DriveStates,
  context: NodeContext,
  writer: StatusWriter,
): Promise<void> {
  const { vmi, pod, cache } = local;
  const { state, view } = context.domains.get(local.uid) ?? local.domain;
  const now = new Date(context.clock.now());
  const { isUnderPressure = false } = context.disk.state ?? {};
  const diskPressure = diskPressureCondition(vmi, context.host.name, { isUnderPressure, full });
  const warning = diskPressureEvent(conditionOf(vmi, 'DiskPressure'), diskPressure, full ?? context.disk.state);
  if (warning) context.recorder.event(vmi, 'Warning', warning.reason, warning.message);
  const observed = {
    domain: state,
    view: withUnplugged(vmi, view, cache.unplugged),
    hotplugProblems,
    cardProblems,
    sizeProblems,
    attachments: local.attachments,
    claimInfo: (claim: string) => context.volumes.claimInfo(`${vmi.metadata.namespace}/${claim}`),
    site: {
      podNetwork: context.network.describe().kind,
      isSharedClaim: (claim: string) => context.volumes.isSharedClaim(`${vmi.metadata.namespace}/${claim}`),
      ...(!launcherOptions(pod).useEmulation && !context.hasHostModel() && { withoutHostModel: context.host.name }),
    },
    drives,
    podAddresses: context.network.addressesOf(local.uid),
    secondaryAddresses: context.secondaryNetworks.addressesOf(local.uid),
    isEmulated: launcherOptions(pod).useEmulation,
    isFrozen: cache.isFrozen,
    user: local.user?.uid ?? process.getuid?.() ?? 0,
    guestInfo: cache.guestInfo,
    credentials: cache.credentials?.condition,
    checksums: cache.checksums,
    memoryDump,
    diskPressure,
    filesystems,
  };
  const status = runningStatus(vmi, observed, now);
  const unevictable = evictionWarning(vmi, status, context.evictionStrategy());
  if (unevictable) context.recorder.event(vmi, 'Warning', 'Migrated', unevictable);
  await writer.vmiStatus(vmi, status);
  if (isUnknown(vmi)) {
    const message = `node ${context.host.name} reports again: the guest has been running all the while`;
    context.recorder.event(vmi, 'Normal', 'NodeResponsive', message);
  }
  const lost = [...(cache.filesystems?.lost ?? [])].map((name) => `virtiofs-${name}`);
  // A launcher that was made for a guest that runs has nothing to wait for.
  const changed = isWaiting(pod)
    ? preparedStatus(pod, context.host.address, now, context.network.addressesOf(local.uid))
    : (endedContainers(pod, lost, now) ?? gatedStatus(pod, now));
  const annotations = networkAnnotations(local, context);
  if (changed || annotations) await writer.podStatus(pod, changed ?? {}, annotations);
}

/** A volume that could not be plugged in is tried again after so long, if nothing changes before. */
const PLUG_AGAIN_MS = 10_000;
/** A locked tray is tried again after so long: libvirt has no event for the unlocking. */
const TRAY_AGAIN_MS = 1_000;

/** After how long to reconcile again for disks and media that are not in place yet. */
function diskWaitsMs({ hotplugProblems, isDetaching }: SyncOutcome, drives: DriveStates): number[] {
  const problems = Object.values(drives).flatMap(({ problem }) => problem ?? []);
  const isAwaited =
    Object.values(hotplugProblems).includes('expected') ||
    Object.values(drives).some(({ medium, problem }) => medium.type === 'awaited' && !problem);
  return [
    ...(Object.keys(hotplugProblems).length + problems.length > 0 ? [PLUG_AGAIN_MS] : []),
    ...(problems.some(({ reason }) => reason === 'TrayLocked') ? [TRAY_AGAIN_MS] : []),
    ...(isAwaited ? [ATTACHMENT_GRACE_MS] : []),
    ...(isDetaching ? [DETACH_AGAIN_MS] : []),
  ];
}
