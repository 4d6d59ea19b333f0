import { attachmentOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { DeviceFlags, LibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { waitForAttachment } from './awaited.ts';
import { canChangeDisks } from './decide.ts';
import { isDisc } from './disc.ts';
import type { KnownDomain } from './domains.ts';
import { type DriveView, driveXml, findDevice } from './domainView.ts';
import {
  claimInside,
  type Disc,
  type DriveMemory,
  type DriveProblem,
  type DriveState,
  type DriveStates,
  type Medium,
  type MediumState,
  mediumChange,
  wantedMedium,
} from './drives.ts';
import type { Machine, RunningMachine } from './machine.ts';
import { isTrayLocked, pressEject } from './tray.ts';

/** How long lies between two presses of the button of a locked drive. */
const PRESS_AGAIN_MS = 10_000;

/** Gives CD-ROM drives the media that the instance names; tells how far that is. */
export async function changeMedia(
  machine: RunningMachine,
  drives: readonly string[],
  context: NodeContext,
): Promise<Readonly<Record<string, MediumState>>> {
  const media: Record<string, MediumState> = {};
  for (const name of drives) {
    const drive = machine.domain.view.drives[name];
    if (!drive) continue;
    const medium = await findMedium(machine, name, drive, context);
    const change = mediumChange(drive, medium, claimInside(machine.vmi, name, drive, medium));
    const problem = change && (await changeMedium(machine, name, drive, { ...change, medium }, context));
    media[name] = { medium, problem };
  }
  return media;
}

/** Looks at what is in the drives of a machine now. `media`: what became of those that were to be changed. */
export async function readDrives(
  machine: RunningMachine,
  media: Readonly<Record<string, MediumState>>,
  context: NodeContext,
): Promise<DriveStates> {
  const { vmi, domain, uid } = machine;
  if (!canChangeDisks(domain.state)) return {};
  const states: Record<string, DriveState> = {};
  for (const name of Object.keys(domain.view.drives)) {
    const memory = driveMemory(machine, name);
    const { medium, problem } = media[name] ?? { medium: wantedMedium(vmi, name) as Medium };
    const now = context.domains.get(uid)?.view.drives[name];
    memory.disc = now?.source === undefined ? undefined : await readDisc(domain, now, memory.disc, medium, context);
    // A claim that was deleted under its disc is missed when the disc is out.
    const isMissed = medium.is === 'awaited' || (medium.is === 'missing' && !memory.disc);
    states[name] = { medium, problem: problem ?? (isMissed ? medium.problem : undefined), disc: memory.disc };
  }
  return states;
}

/** What is remembered of a drive; made when it is first asked for. */
export function driveMemory({ memory }: Pick<Machine, 'memory'>, name: string): DriveMemory {
  const known = memory.drives.get(name) ?? { forcedUntilMs: 0, askedAtMs: 0 };
  memory.drives.set(name, known);
  return known;
}

/** Finds the disc that a drive should hold. */
async function findMedium(
  machine: RunningMachine,
  name: string,
  drive: DriveView,
  context: NodeContext,
): Promise<Medium> {
  const { vmi, attachments, memory } = machine;
  const wanted = wantedMedium(vmi, name);
  if (wanted.is !== 'claim') return wanted;
  const { claim } = wanted;
  try {
    const source = await context.volumes.claimDisk(vmi, claim, { isReadOnly: true, isShareable: false });
    const isThere = drive.source === source.path || attachmentOf(attachments, { volume: name, claim }) !== undefined;
    if (!isThere) return awaitedMedium(machine, name, claim, context);
    memory.awaited.delete(name);
    return { is: 'disc', claim, source };
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    const { phase = 'Bound', reason = 'PVCNotReady' } =
      context.volumes.claimProblem(`${vmi.metadata.namespace}/${claim}`) ?? {};
    const message = `CD-ROM drive ${name} is empty: ${error.message}`;
    return { is: 'missing', claim, problem: { phase, reason, message } };
  }
}

function awaitedMedium(machine: RunningMachine, name: string, claim: string, context: NodeContext): Medium {
  const problem = waitForAttachment(machine, name, claim, context);
  return { is: 'awaited', claim, ...(problem !== 'untold' && { problem }) };
}

/** Opens the tray, takes out what is in it, puts in what is to come, and closes it: libvirt does all of that in one call. */
async function changeMedium(
  machine: RunningMachine,
  name: string,
  drive: DriveView,
  { to, medium }: { readonly to: DiskSource | undefined; readonly medium: Medium },
  context: NodeContext,
): Promise<DriveProblem | undefined> {
  const { vmi, domain } = machine;
  const { libvirt, domains, clock, recorder } = context;
  const memory = driveMemory(machine, name);
  const isForced = memory.forcedUntilMs > clock.now();
  const before = claimInside(vmi, name, drive);
  try {
    if (!isForced && (await isTrayLocked(libvirt.calls, domain.ref, name)))
      return await waitForTray(machine, name, context);
    const known = findDevice(await libvirt.calls.domainXml(domain.ref), 'disk', name);
    if (known === undefined) return undefined;
    const flags = DeviceFlags.LIVE | (isForced ? DeviceFlags.FORCE : 0);
    await libvirt.long.updateDevice(domain.ref, driveXml(known, to), flags);
  } catch (error) {
    // The daemon was busy with something else, or is gone.
    if (!(error instanceof LibvirtError) || error.codeName === 'OPERATION_TIMEOUT') throw error;
    await domains.refresh(domain.ref, { anew: true });
    return tell(machine, name, { reason: 'HotplugFailed', message: `CD-ROM drive ${name}: ${error.message}` }, context);
  }
  memory.forcedUntilMs = 0;
  await domains.refresh(domain.ref, { anew: true });
  if (drive.source !== undefined) {
    const what = before === undefined ? '' : `: claim ${before} was ejected from CD-ROM drive ${name}`;
    recorder.event(vmi, 'Normal', 'VolumeUnplugged', `Volume ${name} has been unplugged${what}`);
  }
  if (to && medium.is === 'disc') {
    const what = `Claim ${medium.claim} was inserted into CD-ROM drive ${name}`;
    recorder.event(vmi, 'Normal', 'VolumeReady', what);
    if (!(await isDisc(to.path)))
      recorder.event(vmi, 'Warning', 'NotADisc', `${what}, but it has neither an ISO 9660 nor a UDF file system`);
  }
  return undefined;
}

async function waitForTray(machine: RunningMachine, name: string, context: NodeContext): Promise<DriveProblem> {
  const { domain } = machine;
  const { libvirt, clock } = context;
  const memory = driveMemory(machine, name);
  if (clock.now() - memory.askedAtMs >= PRESS_AGAIN_MS) {
    memory.askedAtMs = clock.now();
    await pressEject(libvirt.calls, domain.ref, name);
  }
  return tell(machine, name, trayLocked(name), context);
}

/** What is said of a drive that the guest holds shut. */
export const trayLocked = (name: string): DriveProblem => ({
  reason: 'TrayLocked',
  message: `the guest has locked the tray of CD-ROM drive ${name}: unmount the disc in the guest, or force the eject`,
});

/** A problem that was not told before is an event. */
function tell({ vmi }: RunningMachine, name: string, problem: DriveProblem, { recorder }: NodeContext): DriveProblem {
  const told = vmi.status?.volumeStatus?.find((each) => each.name === name)?.message;
  if (told !== problem.message) recorder.event(vmi, 'Warning', problem.reason, problem.message);
  return problem;
}

/** The size of a disc, and whether it is one; looked at once for each. What a machine was started with may be of any format. */
async function readDisc(
  { ref }: KnownDomain,
  { source = '', target }: DriveView,
  known: Disc | undefined,
  medium: Medium,
  { libvirt }: NodeContext,
): Promise<Disc | undefined> {
  if (known?.source === source) return known;
  try {
    const { capacityBytes } = await libvirt.calls.blockInfo(ref, target);
    return { source, sizeBytes: capacityBytes, isReadable: medium.is === 'fixed' || (await isDisc(source)) };
  } catch (error) {
    // The guest has just ended, or the file is gone: there is nothing to tell of.
    if (error instanceof LibvirtError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
