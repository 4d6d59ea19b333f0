import type { Result } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import { containerDiskChecksums } from '../images/containerDisk.ts';
import type { Obstacles } from '../volumes/hotplug.ts';
import { ATTACHMENT_PATIENCE_MS } from './awaited.ts';
import { decideSync, nextGuestInfoMs, type SyncStep } from './decide.ts';
import type { DriveStates, MediumState } from './drives.ts';
import { forgetFreeze, recallFreeze } from './freeze.ts';
import { readGuestFacts } from './guestFacts.ts';
import { launcherChoice } from './launcher.ts';
import { closeUnplugged, DETACH_AGAIN_MS, withUnplugged } from './leftNodes.ts';
import { setLinks } from './links.ts';
import type { Machine, RunningMachine } from './machine.ts';
import { changeMedia, readDrives } from './media.ts';
import { refreshMemoryDump } from './memoryDump.ts';
import { plugDisks } from './plug.ts';
import { gatedStatus } from './podStatus.ts';
import { refreshCredentials } from './refreshCredentials.ts';
import { runningStatus } from './vmiStatus.ts';
import type { VolumeStatuses } from './volumeStatus.ts';
import type { Writer } from './write.ts';

/** What the steps of one pass have come to, as far as the status tells of it. */
interface SyncOutcome {
  /** Why volumes are not plugged in yet. */
  readonly obstacles: Obstacles;
  /** What became of the media of CD-ROM drives. */
  readonly media: Readonly<Record<string, MediumState>>;
  readonly isDetaching: boolean;
  /** After how long to try again what QEMU has not closed yet. */
  readonly closeAgainMs?: number | undefined;
  readonly memoryDump?: VolumeStatuses[number] | undefined;
}

/** Brings a running guest in line with its instance, and writes its status. */
export async function sync(machine: Machine, context: NodeContext, writer: Writer): Promise<Result | undefined> {
  const { vmi, pod, domain } = machine;
  if (!vmi || !pod || !domain) return undefined;
  const running: RunningMachine = { ...machine, vmi, pod, domain };
  const nowMs = context.clock.now();
  const guestInfoMs = nextGuestInfoMs(running, nowMs);
  let outcome: SyncOutcome = { obstacles: {}, media: {}, isDetaching: false };
  for (const step of decideSync(running, nowMs)) outcome = { ...outcome, ...(await carryOut(step, running, context)) };
  const drives = await readDrives(running, outcome.media, context);
  await report(running, outcome, drives, context, writer);
  const waits = [...waitsOf(outcome, drives), guestInfoMs, outcome.closeAgainMs].filter((each) => each !== undefined);
  return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
}

async function carryOut(
  step: SyncStep,
  machine: RunningMachine,
  context: NodeContext,
): Promise<Partial<SyncOutcome> | undefined> {
  const { memory, domain } = machine;
  switch (step.step) {
    case 'setLinks':
      await setLinks(machine, step.links, context);
      break;
    case 'recallFreeze':
      await recallFreeze(machine, context);
      break;
    case 'forgetFreeze':
      await forgetFreeze(machine);
      break;
    case 'readGuestInfo':
      memory.facts = (await readGuestFacts(context.libvirt.long, domain.ref)) ?? memory.facts;
      memory.factsReadAtMs = context.clock.now();
      break;
    case 'forgetGuestInfo':
      memory.facts = undefined;
      memory.factsReadAtMs = 0;
      break;
    case 'syncCredentials':
      await refreshCredentials(machine, context);
      break;
    case 'forgetCredentials':
      memory.credentials = undefined;
      break;
    case 'readChecksums':
      memory.checksums = await containerDiskChecksums(machine.files.directory);
      break;
    case 'plugDisks':
      return { obstacles: await plugDisks(machine, step, context), isDetaching: step.detach.length > 0 };
    case 'changeMedia':
      return { media: await changeMedia(machine, step.drives, context) };
    case 'closeUnplugged':
      return { closeAgainMs: await closeUnplugged(machine, context) };
    case 'dumpMemory':
      return { memoryDump: await refreshMemoryDump(machine, context) };
  }
  return undefined;
}

/** Writes what the guest is into its instance and its launcher. */
async function report(
  machine: RunningMachine,
  { obstacles, memoryDump }: SyncOutcome,
  drives: DriveStates,
  context: NodeContext,
  writer: Writer,
): Promise<void> {
  const { vmi, pod, memory } = machine;
  const { state, view } = context.domains.get(machine.uid) ?? machine.domain;
  const now = new Date(context.clock.now());
  const observed = {
    domain: state,
    view: withUnplugged(vmi, view, memory.unplugged),
    obstacles,
    attachments: machine.attachments,
    claimInfo: (claim: string) => context.volumes.claimInfo(`${vmi.metadata.namespace}/${claim}`),
    drives,
    isEmulated: launcherChoice(pod).useEmulation,
    isFrozen: memory.isFrozen,
    user: process.getuid?.() ?? 0,
    facts: memory.facts,
    credentials: memory.credentials?.condition,
    checksums: memory.checksums,
    memoryDump,
  };
  await writer.vmiStatus(vmi, runningStatus(vmi, observed, now));
  const gated = gatedStatus(pod, now);
  if (gated) await writer.podStatus(pod, gated);
}

/** A volume that could not be plugged in is tried again after so long, if nothing changes before. */
const PLUG_AGAIN_MS = 10_000;
/** A tray that the guest has locked is looked at again after so long: nobody tells that it was unlocked. */
const TRAY_AGAIN_MS = 1_000;

/** After how long disks and media are looked at again, where that is needed. */
function waitsOf({ obstacles, isDetaching }: SyncOutcome, drives: DriveStates): number[] {
  const problems = Object.values(drives).flatMap(({ problem }) => problem ?? []);
  const isAwaited =
    Object.values(obstacles).includes('untold') ||
    Object.values(drives).some(({ medium, problem }) => medium.is === 'awaited' && !problem);
  return [
    ...(Object.keys(obstacles).length + problems.length > 0 ? [PLUG_AGAIN_MS] : []),
    ...(problems.some(({ reason }) => reason === 'TrayLocked') ? [TRAY_AGAIN_MS] : []),
    ...(isAwaited ? [ATTACHMENT_PATIENCE_MS] : []),
    ...(isDetaching ? [DETACH_AGAIN_MS] : []),
  ];
}
