import type { Persisted, Pod } from '@vireo/api';
import { attachmentOf, type PluggedClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ConverterContext, type DiskSource, dedicatedCpuCount, type NetworkBackend } from '@vireo/hypervisor';
import { pause, type Result } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import { objectReaders } from '../disks/objectReaders.ts';
import { discClaims, prepareVolumes } from '../disks/prepare.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { shareContext } from '../filesystems/ofVmi.ts';
import { prepareShares, type Share } from '../filesystems/shares.ts';
import { handOverDisks } from '../guests/disks.ts';
import type { GuestUser } from '../guests/range.ts';
import { type KernelBootFiles, kernelBootFiles } from '../images/kernelBoot.ts';
import type { PullObserver } from '../images/pulledImages.ts';
import { migrationRole } from '../migration/role.ts';
import { ATTACHMENT_GRACE_MS, waitForAttachment } from './attachmentWait.ts';
import { type VmiFiles, vmiFiles } from './files.ts';
import { type FirmwareState, firmwareState } from './firmwareState.ts';
import type { LocalVmi, Preparation } from './localVmi.ts';
import { networkAnnotations } from './networkAnnotations.ts';
import { networkBackends } from './networks.ts';
import { preparedStatus, waitingReason, waitingStatus, waitingTargetStatus } from './podStatus.ts';
import { pullEvents, volumeFailure } from './pullEvents.ts';
import type { StatusWriter } from './statusWriter.ts';

/** Between two tries of an image: as long as a kubelet lets pass. */
const FIRST_PULL_RETRY_MS = 10_000;
const LONGEST_PULL_RETRY_MS = 300_000;
/** Between two tries to find what the cluster lacks, such as a Secret. */
const RETRY_MS = 5_000;
/** Most disks are made within this, on a busy host too. Those that take longer do not hold up the worker again. */
const INLINE_WAIT_MS = 1_000;

/** A disc that is not attached within this comes when the VMI runs; its drive is empty until then. */
const DISC_TIMEOUT_MS = 30_000;

/** Makes the disks of a VMI, or reports in its launcher pod what is in the way. */
export async function prepare(
  local: LocalVmi,
  context: NodeContext,
  writer: StatusWriter,
): Promise<Result | undefined> {
  const { vmi, pod, cache } = local;
  if (!vmi || !pod) return undefined;
  const { clock, recorder, host } = context;
  if (!cache.preparation && cache.retryAtMs > clock.now()) return { requeueAfterMs: cache.retryAtMs - clock.now() };
  const awaited = cache.preparation ? undefined : await awaitDiscs(vmi, local, context);
  if (awaited === 'expected') return { requeueAfterMs: ATTACHMENT_GRACE_MS };
  if (awaited) return reportVolumeFailure(awaited, pod, local, context, writer);
  cache.preparation ??= startPreparation(vmi, pod, local, context);
  const { preparation } = cache;
  if (!preparation.isReported) {
    const waiting = new AbortController();
    await Promise.race([preparation.settled, pause(INLINE_WAIT_MS, waiting.signal, clock)]);
    waiting.abort();
  }
  const now = new Date(clock.now());
  if (!preparation.isSettled) {
    const isReported = preparation.isReported;
    preparation.isReported = true;
    const { progress } = preparation;
    preparation.progress = undefined;
    if (progress) await writer.podStatus(pod, waitingStatus(pod, 'ContainerCreating', progress, now));
    else if (!isReported) await reportPulling(vmi, pod, preparation, context, writer);
    return undefined;
  }
  cache.preparation = undefined;
  if (preparation.error !== undefined) return reportVolumeFailure(preparation.error, pod, local, context, writer);
  if (preparation.isReported) {
    const took = ((clock.now() - preparation.startedAtMs) / 1000).toFixed(1);
    for (const image of unreportedImages(vmi, preparation))
      recorder.event(pod, 'Normal', 'Pulled', `Successfully pulled image ${JSON.stringify(image)} in ${took}s`);
    if (preparation.built)
      recorder.event(pod, 'Normal', 'Built', `Built image ${JSON.stringify(preparation.built)} in ${took}s`);
  }
  cache.failedPulls = 0;
  // A guest that is elsewhere is reached there: until it has come, its launcher here has no address.
  const prepared =
    migrationRole(vmi, pod, host.name) === 'target'
      ? waitingTargetStatus(pod, host.address, now)
      : preparedStatus(pod, host.address, now, context.network.addressesOf(local.uid));
  await writer.podStatus(pod, prepared, networkAnnotations({ ...local, vmi, pod }, context));
  return undefined;
}

/**
 * The discs that a VMI may boot from are in their drives at the start: their attachment pods come before. A VMI
 * whose pods do not come starts all the same.
 */
async function awaitDiscs(
  vmi: Vmi,
  local: LocalVmi,
  context: NodeContext,
): Promise<VolumeError | 'expected' | undefined> {
  const { cache, attachments } = local;
  const discs = await discClaims(vmi, context.volumes);
  for (const each of discs) if (attachmentOf(attachments, each)) cache.awaited.delete(each.volume);
  const missing = discs.find((each) => !attachmentOf(attachments, each));
  if (!missing) return undefined;
  const now = context.clock.now();
  cache.discsAwaitedSinceMs ??= now;
  if (now - cache.discsAwaitedSinceMs >= DISC_TIMEOUT_MS) return undefined;
  const waits = waitForAttachment(local, missing.volume, missing.claim, context);
  return waits === 'expected' ? waits : new VolumeError('ContainerCreating', waits.message);
}

/** Starts to make disks. If the launcher was reported to wait for them, the VMI is reconciled again when they are ready. */
function startPreparation(vmi: Vmi, pod: Persisted<Pod>, local: LocalVmi, context: NodeContext): Preparation {
  const key = `${vmi.metadata.namespace}/${vmi.metadata.name}`;
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const preparation: Preparation = {
    startedAtMs: context.clock.now(),
    isSettled: false,
    isReported: false,
    reported: new Set(),
    settled,
  };
  const enqueue = (): void => {
    if (preparation.isReported) context.enqueue(key);
  };
  const settle = (error?: unknown): void => {
    preparation.error = error;
    preparation.isSettled = true;
    resolve();
    enqueue();
  };
  domainSources(vmi, local, context, pullEvents(pod, preparation, context, enqueue)).then(() => settle(), settle);
  return preparation;
}

const imagesOf = ({ spec }: Vmi): string[] =>
  (spec.volumes ?? []).flatMap(({ containerDisk }) => (containerDisk ? [containerDisk.image] : []));

/** Images that take time without being pulled: those that we make ourselves. */
const unreportedImages = (vmi: Vmi, { reported }: Preparation): string[] =>
  imagesOf(vmi).filter((image) => !reported.has(image));

async function reportPulling(
  vmi: Vmi,
  pod: Persisted<Pod>,
  preparation: Preparation,
  { recorder, clock }: NodeContext,
  writer: StatusWriter,
): Promise<void> {
  for (const image of unreportedImages(vmi, preparation))
    recorder.event(pod, 'Normal', 'Pulling', `Pulling image ${JSON.stringify(image)}`);
  const images = imagesOf(vmi).map((image) => JSON.stringify(image));
  const message = images.length > 0 ? `pulling image ${images.join(', ')}` : 'creating disks';
  if (waitingReason(pod) === undefined)
    await writer.podStatus(pod, waitingStatus(pod, 'ContainerCreating', message, new Date(clock.now())));
}

async function reportVolumeFailure(
  error: unknown,
  pod: Persisted<Pod>,
  { cache }: LocalVmi,
  { recorder, clock }: NodeContext,
  writer: StatusWriter,
): Promise<Result> {
  if (!(error instanceof VolumeError)) {
    const message = error instanceof Error ? error.message : String(error);
    if (pod.status?.containerStatuses?.[0]?.state?.waiting?.message !== message) {
      await writer.podStatus(pod, waitingStatus(pod, 'CreateContainerError', message, new Date(clock.now())));
      recorder.event(pod, 'Warning', 'Failed', message);
    }
    throw error;
  }
  const isPull = error.reason === 'ErrImagePull';
  const hasFailed = ['ErrImagePull', 'ImagePullBackOff'].includes(waitingReason(pod) ?? '');
  const { waiting, event } = volumeFailure(error, hasFailed);
  const reported = pod.status?.containerStatuses?.[0]?.state?.waiting;
  if (reported?.reason !== waiting.reason || reported.message !== waiting.message) {
    await writer.podStatus(pod, waitingStatus(pod, waiting.reason, waiting.message, new Date(clock.now())));
    recorder.event(pod, event.type, event.reason, event.message);
  }
  // Somebody else's registry is asked less and less often.
  const delay = isPull ? Math.min(LONGEST_PULL_RETRY_MS, FIRST_PULL_RETRY_MS * 2 ** cache.failedPulls) : RETRY_MS;
  if (isPull) cache.failedPulls += 1;
  // The time decides, not what happens to the objects: our own words above are a change, too. Claims tell when they change.
  cache.retryAtMs = error.reason === 'ContainerCreating' ? 0 : clock.now() + delay;
  return { requeueAfterMs: delay };
}

/** What a VMI is started from: its networks by interface, its disks by volume, its directories, its kernel. Disks are made. */
export interface DomainSources {
  readonly interfaces: Record<string, NetworkBackend>;
  readonly volumes: Record<string, DiskSource>;
  readonly shares: readonly Share[];
  readonly kernelBoot: KernelBootFiles;
  readonly firmware: FirmwareState;
  readonly files: VmiFiles;
  readonly user: GuestUser | undefined;
  /** The CPUs that it has to itself, and where they are. */
  readonly cpus: Pick<ConverterContext, 'dedicatedCpus' | 'hostTopology'>;
}

export async function domainSources(
  vmi: Vmi,
  local: LocalVmi,
  node: NodeContext,
  observe?: (image: string) => PullObserver,
): Promise<DomainSources> {
  const { kubelet, images, volumes, layout, users, wantsRoot, cpus } = node;
  const { uid, cache, pod, attachments } = local;
  cache.hasFiles = true;
  const user = local.user || !wantsRoot() ? await users?.take(uid) : undefined;
  const files = vmiFiles(layout, uid, user);
  const { directory } = files;
  const isAttached = (plugged: PluggedClaim): boolean => attachmentOf(attachments, plugged) !== undefined;
  const context = {
    directory,
    images,
    volumes,
    isAttached,
    ...objectReaders(kubelet, vmi, pod),
    ...(observe && { observe }),
    isPrivate: !!user,
  };
  const disks = await prepareVolumes(vmi, context);
  const kernelBoot = await kernelBootFiles(vmi, directory, context);
  await users?.whenEntered(uid);
  const isIncoming = migrationRole(vmi, pod, node.host.name) === 'target';
  if (user) await handOverDisks(vmi, disks, { directory, user }, { users, layout, volumes, isIncoming });
  const cpuCount = dedicatedCpuCount(vmi);
  return {
    cpus:
      cpuCount > 0 ? { dedicatedCpus: await cpus.claim(uid, local.key, cpuCount), hostTopology: cpus.topology } : {},
    files,
    user,
    interfaces: await networkBackends(vmi, node),
    volumes: disks,
    shares: await prepareShares(vmi, await shareContext(vmi, { ...local, files, user }, node)),
    firmware: await firmwareState(vmi, pod, files, volumes, user && { user, context: node }, isIncoming),
    kernelBoot,
  };
}
