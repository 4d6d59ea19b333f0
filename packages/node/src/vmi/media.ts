import { own } from '@vireo/api/json.ts';
import { attachmentOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { DeviceFlags, LibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { grantDisk } from '../guests/disks.ts';
import { waitForAttachment } from './attachmentWait.ts';
import { canChangeDisks } from './decide.ts';
import { hasOpticalFileSystem } from './disc.ts';
import type { Domain } from './domainInformer.ts';
import { type DriveView, driveXml, findDevice } from './domainView.ts';
import {
  type Disc,
  type DriveCache,
  type DriveProblem,
  type DriveState,
  type DriveStates,
  insertedClaim,
  type Medium,
  type MediumState,
  mediumChange,
  wantedMedium,
} from './drives.ts';
import type { LocalVmi, RunningVmi } from './localVmi.ts';
import { isTrayLocked, pressEject } from './tray.ts';

/** How long lies between two presses of the button of a locked drive. */
const EJECT_RETRY_MS = 10_000;

/** Gives CD-ROM drives the media that the VMI names; tells how far that is. */
export async function changeMedia(
  local: RunningVmi,
  drives: readonly string[],
  context: NodeContext,
): Promise<Readonly<Record<string, MediumState>>> {
  const media: Record<string, MediumState> = {};
  for (const name of drives) {
    const drive = local.domain.view.drives[name];
    if (!drive) continue;
    const medium = await findMedium(local, name, drive, context);
    const change = mediumChange(drive, medium, insertedClaim(local.vmi, name, drive, medium));
    const problem = change && (await changeMedium(local, name, drive, { ...change, medium }, context));
    media[name] = { medium, problem };
  }
  return media;
}

/** Looks at what is in the drives of a VMI now. `media`: what became of those that were to be changed. */
export async function readDrives(
  local: RunningVmi,
  media: Readonly<Record<string, MediumState>>,
  context: NodeContext,
): Promise<DriveStates> {
  const { vmi, domain, uid } = local;
  if (!canChangeDisks(domain.state)) return {};
  const states: Record<string, DriveState> = {};
  for (const name of Object.keys(domain.view.drives)) {
    const cache = driveCache(local, name);
    const { medium, problem } = own(media, name) ?? { medium: wantedMedium(vmi, name) as Medium };
    const now = context.domains.get(uid)?.view.drives[name];
    cache.disc = now?.source === undefined ? undefined : await readDisc(domain, now, cache.disc, medium, context);
    // A claim that was deleted under its disc is missed when the disc is out.
    const isMissed = medium.type === 'awaited' || (medium.type === 'missing' && !cache.disc);
    states[name] = { medium, problem: problem ?? (isMissed ? medium.problem : undefined), disc: cache.disc };
  }
  return states;
}

/** What is remembered of a drive; made when it is first asked for. */
export function driveCache({ cache }: Pick<LocalVmi, 'cache'>, name: string): DriveCache {
  const known = cache.drives.get(name) ?? { forcedUntilMs: 0, askedAtMs: 0 };
  cache.drives.set(name, known);
  return known;
}

/** Finds the disc that a drive should hold. */
async function findMedium(local: RunningVmi, name: string, drive: DriveView, context: NodeContext): Promise<Medium> {
  const { vmi, attachments, cache } = local;
  const wanted = wantedMedium(vmi, name);
  if (wanted.type !== 'claim') return wanted;
  const { claim } = wanted;
  try {
    const source = await context.volumes.claimDisk(vmi, claim, { isReadOnly: true, isShareable: false });
    const isThere = drive.source === source.path || attachmentOf(attachments, { volume: name, claim }) !== undefined;
    if (!isThere) return awaitedMedium(local, name, claim, context);
    cache.awaited.delete(name);
    return { type: 'disc', claim, source };
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    const { phase = 'Bound', reason = 'PVCNotReady' } =
      context.volumes.claimProblem(`${vmi.metadata.namespace}/${claim}`) ?? {};
    const message = `CD-ROM drive ${name} is empty: ${error.message}`;
    return { type: 'missing', claim, problem: { phase, reason, message } };
  }
}

function awaitedMedium(local: RunningVmi, name: string, claim: string, context: NodeContext): Medium {
  const problem = waitForAttachment(local, name, claim, context);
  return { type: 'awaited', claim, ...(problem !== 'expected' && { problem }) };
}

/** Opens the tray, takes out what is in it, puts in what is to come, and closes it: libvirt does all of that in one call. */
async function changeMedium(
  local: RunningVmi,
  name: string,
  drive: DriveView,
  { to, medium }: { readonly to: DiskSource | undefined; readonly medium: Medium },
  context: NodeContext,
): Promise<DriveProblem | undefined> {
  const { vmi, domain } = local;
  const { libvirt, domains, clock, recorder } = context;
  const cache = driveCache(local, name);
  const isForced = cache.forcedUntilMs > clock.now();
  const before = insertedClaim(vmi, name, drive);
  try {
    if (!isForced && (await isTrayLocked(libvirt.calls, domain.ref, name)))
      return await waitForTray(local, name, context);
    const known = findDevice(await libvirt.calls.domainXml(domain.ref), 'disk', name);
    if (known === undefined) return undefined;
    if (to && local.user) await grantDisk(vmi, name, to, context);
    const flags = DeviceFlags.LIVE | (isForced ? DeviceFlags.FORCE : 0);
    await libvirt.long.updateDevice(domain.ref, driveXml(known, to), flags);
  } catch (error) {
    // The daemon was busy with something else, or is gone.
    if (!(error instanceof LibvirtError) || error.codeName === 'OPERATION_TIMEOUT') throw error;
    await domains.refresh(domain.ref, { rereadXml: true });
    return recordProblem(
      local,
      name,
      { reason: 'HotplugFailed', message: `CD-ROM drive ${name}: ${error.message}` },
      context,
    );
  }
  cache.forcedUntilMs = 0;
  await domains.refresh(domain.ref, { rereadXml: true });
  if (drive.source !== undefined) {
    const what = before === undefined ? '' : `: claim ${before} was ejected from CD-ROM drive ${name}`;
    recorder.event(vmi, 'Normal', 'VolumeUnplugged', `Volume ${name} has been unplugged${what}`);
  }
  if (to && medium.type === 'disc') {
    const what = `Claim ${medium.claim} was inserted into CD-ROM drive ${name}`;
    recorder.event(vmi, 'Normal', 'VolumeReady', what);
    if (!(await hasOpticalFileSystem(to.path)))
      recorder.event(vmi, 'Warning', 'NotADisc', `${what}, but it has neither an ISO 9660 nor a UDF file system`);
  }
  return undefined;
}

async function waitForTray(local: RunningVmi, name: string, context: NodeContext): Promise<DriveProblem> {
  const { domain } = local;
  const { libvirt, clock } = context;
  const cache = driveCache(local, name);
  if (clock.now() - cache.askedAtMs >= EJECT_RETRY_MS) {
    cache.askedAtMs = clock.now();
    await pressEject(libvirt.calls, domain.ref, name);
  }
  return recordProblem(local, name, trayLocked(name), context);
}

/** What is said of a drive that the guest holds shut. */
export const trayLocked = (name: string): DriveProblem => ({
  reason: 'TrayLocked',
  message: `the guest has locked the tray of CD-ROM drive ${name}: unmount the disc in the guest, or force the eject`,
});

/** A problem that the status does not show yet is an event. */
function recordProblem(
  { vmi }: RunningVmi,
  name: string,
  problem: DriveProblem,
  { recorder }: NodeContext,
): DriveProblem {
  const reported = vmi.status?.volumeStatus?.find((each) => each.name === name)?.message;
  if (reported !== problem.message) recorder.event(vmi, 'Warning', problem.reason, problem.message);
  return problem;
}

/** The size of a disc, and whether it is one; looked at once for each. What a VMI was started with may be of any format. */
async function readDisc(
  { ref }: Domain,
  { source = '', target }: DriveView,
  known: Disc | undefined,
  medium: Medium,
  { libvirt }: NodeContext,
): Promise<Disc | undefined> {
  if (known?.source === source) return known;
  try {
    const { capacityBytes } = await libvirt.calls.blockInfo(ref, target);
    return {
      source,
      sizeBytes: capacityBytes,
      isReadable: medium.type === 'fixed' || (await hasOpticalFileSystem(source)),
    };
  } catch (error) {
    // The guest has just ended, or the file is gone: there is nothing to tell of.
    if (error instanceof LibvirtError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
