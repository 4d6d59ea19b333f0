import {
  type ConditionDraft,
  conditionOf,
  findCondition,
  hasEnded,
  isDeleting,
  mergePatchBetween,
  type Node,
  type Persisted,
  type PersistentVolumeClaim,
  type Pod,
} from '@vireo/api';
import { launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { isHandedOff, isMigrationTarget, MIGRATION_JOB_LABEL } from '@vireo/api/kinds/kubevirt/migration.ts';
import { NODE_NAME_LABEL, UNPAUSED_CONDITION, VM_FINALIZER, VMI_FINALIZER } from '@vireo/api/kinds/kubevirt/names.ts';
import { isActive, isFinal, isHandedOver, type Vmi, type VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ClusterConfig, hypervisorOf, missingHypervisorText, summary, validateVmiSpec } from '@vireo/hypervisor';
import { ignoreNotFound, isNamespaceTerminating, type Postpone, type Result } from '@vireo/kube';
import { claimsToStart, type Disks, fillingText, missingClaim, unfilledClaim, unprovidedClaim } from '../claims.ts';
import type { VmiActions } from './act.ts';
import { type AttachmentState, attachmentPlan } from './attachments.ts';
import { hasBackendStorage, withBackendStorageClaim } from './backendStorage.ts';
import { currentLauncher, isDownOrGoing, isLeftBehind, isProgressing } from './launcher.ts';
import { launcherHypervisor } from './launcherCommand.ts';
import { withMissingDevices } from './missingDevices.ts';
import { END_REPORT_TIMEOUT_MS } from './phase.ts';
import { isResizeRefused, mayResize, RESIZE_AGAIN_MS, resizeLauncher } from './resizeLauncher.ts';
import { canWait, unpausedStatus, vmiStatus } from './status.ts';

/** All that is known of one VMI. */
export interface VmiState {
  readonly vmi: Vmi;
  /** The launchers that the VMI controls. */
  readonly pods: readonly Persisted<Pod>[];
  /** The attachment pods of those; undefined while the cache does not show what we did about them. */
  readonly attachments: readonly Persisted<Pod>[] | undefined;
  readonly waitsForConsumer: AttachmentState['waitsForConsumer'];
  readonly disks: Disks;
  /** Whether a claim has a volume that a node reaches. */
  readonly isReachable: (claim: string, node: string) => boolean;
  /** Why no node can use a claim of that name; undefined where one can. */
  readonly unusableReason: (claim: string) => string | undefined;
  /** The claim that holds what its firmware remembers, if there is one. */
  readonly backendStorageClaim: Persisted<PersistentVolumeClaim> | undefined;
  /** Whether the VM that it belongs to exists. */
  readonly hasVm: boolean;
  /** Asked for only where a launcher fits nowhere. */
  readonly nodes: () => readonly Persisted<Node>[];
  /** Whether there is a node of that name. */
  readonly hasNode: (name: string) => boolean;
  readonly config: ClusterConfig;
  /** The context ID that its guest is to be reached by; undefined where it has one, or needs none. */
  readonly missingVsockCid?: number | undefined;
  /** Why no launcher is made for any VMI; undefined where they are. */
  readonly heldStarts: string | undefined;
  readonly now: Date;
}

/** How long good news that a launcher exists waits for better news. */
const POSTPONE_MS = 1000;
/** A node that has seen the launcher of a guest go may be about to report the end of the guest. */
export const LOST_LAUNCHER_MS = 5_000;

/** Gives a VMI its launcher, hands it over to the node that takes it, and clears up behind it. */
export async function reconcileVmi(state: VmiState, act: VmiActions, postpone: Postpone): Promise<Result | undefined> {
  const { vmi, now } = state;
  const wait = hasLostLauncher(state) ? postpone(LOST_LAUNCHER_MS) : undefined;
  if (wait) return wait;
  const {
    pod,
    failure,
    error: provideError,
    isBegunAnew,
    backendStorageClaim = state.backendStorageClaim,
  } = await provide(state, act);
  const error = provideError ?? (await attach(state, pod, act));
  const seen = isBegunAnew ? { ...vmi, status: { ...vmi.status, phase: 'Pending' } } : vmi;
  const computed = vmiStatus(
    seen,
    pod && withMissingDevices(pod, state.nodes),
    failure ?? unprovidedCondition(state),
    now,
    pod && !state.pods.includes(pod) ? [...state.pods, pod] : state.pods,
  );
  // Of a guest that a node has, the node tells.
  const { missingVsockCid } = state;
  const reachable = missingVsockCid === undefined ? computed : { ...computed, VSOCKCID: missingVsockCid };
  const isOursToWrite = backendStorageClaim !== undefined && hasBackendStorage(vmi) && !isHandedOver(vmi);
  const status = isOursToWrite
    ? { ...reachable, volumeStatus: withBackendStorageClaim(reachable.volumeStatus, backendStorageClaim) }
    : reachable;
  const later = canWait(vmi, status) ? postpone(POSTPONE_MS) : undefined;
  if (later) return later;
  const isResizable = pod !== undefined && !isDownOrGoing(pod) && mayResize(vmi);
  const resized = isResizable ? await resizeLauncher(vmi, pod, status, { config: state.config, now }, act) : status;
  const isPatched = await write(state, resized, act);
  if (error) throw error;
  if (pod) recordFailure(vmi, status, act);
  if (pod && !isPatched) await mirrorPause(vmi, pod, state, act);
  const awaitsEndReport = pod !== undefined && hasEnded(pod) && isHandedOver(vmi) && !isFinal(vmi);
  if (awaitsEndReport) return { requeueAfterMs: END_REPORT_TIMEOUT_MS };
  return isResizeRefused(resized) ? { requeueAfterMs: RESIZE_AGAIN_MS } : undefined;
}

/** Reports once, on the VMI, what a launcher waits for in vain. */
function recordFailure(vmi: Vmi, after: VmiStatus, act: VmiActions): void {
  const before = conditionOf(vmi, 'Synchronized');
  const { status, reason = '', message = '' } = findCondition(after.conditions, 'Synchronized') ?? {};
  if (status === 'False' && reason !== before?.reason && !isProgressing(reason)) act.warn(vmi, reason, message);
}

interface Provided {
  readonly pod: Persisted<Pod> | undefined;
  readonly failure?: ConditionDraft;
  /** Made just now. */
  readonly backendStorageClaim?: Persisted<PersistentVolumeClaim> | undefined;
  /** Its launcher is gone because of us, and there is no other yet. */
  readonly isBegunAnew?: boolean;
  /** To be thrown when the failure has been reported, so that it is tried again. */
  readonly error?: unknown;
}

/** A launcher for a VMI that starts; the end of all launchers for one that goes. */
async function provide(state: VmiState, act: VmiActions): Promise<Provided> {
  const { vmi, pods, config } = state;
  const pod = currentLauncher(vmi, pods);
  if (pod && waitsForAnother(vmi, pod, config)) {
    const errors = validateVmiSpec(vmi.spec, 'spec', config);
    if (errors.length > 0) return { pod, failure: outOfSync('HypervisorChanged', summary(errors)) };
    await act.replacePod(vmi, pod, hypervisorOf(config));
    const launched = await launch(state, act);
    return { ...launched, isBegunAnew: launched.pod === undefined };
  }
  if (isDeleting(vmi)) {
    for (const each of pods) if (!isDeleting(each)) await act.deletePod(vmi, each);
    return { pod };
  }
  for (const each of pods) if (each !== pod && isOver(each, vmi) && !isDeleting(each)) await act.deletePod(vmi, each);
  if (hasLostLauncher(state))
    return { pod: await act.replaceLostPod(vmi, state.backendStorageClaim?.metadata.name).catch(ignoreTerminating) };
  return !pod && ['', 'Pending'].includes(vmi.status?.phase ?? '') ? launch(state, act) : { pod };
}

/**
 * Whether a guest runs, as far as anybody knows, and its launcher is gone: deleted by force, or with its Node. The guest
 * is not affected; a launcher without a node would be taken for garbage.
 */
const hasLostLauncher = ({ vmi, pods, hasNode }: VmiState): boolean =>
  pods.every((pod) => hasEnded(pod) && isMigrationTarget(pod, vmi)) &&
  isHandedOver(vmi) &&
  isActive(vmi) &&
  !isHandedOff(vmi) &&
  hasNode(vmi.status?.nodeName ?? '');

/**
 * Whether a launcher that is not the guest's has served a migration: the guest has left it, or did not come. Of a guest
 * that did not come, it stays as long as the VMI names it: KubeVirt's users look there for what has happened.
 */
function isOver(pod: Persisted<Pod>, vmi: Vmi): boolean {
  if (!isHandedOver(vmi)) return false;
  const job = pod.metadata.labels?.[MIGRATION_JOB_LABEL];
  const isNamed = job === undefined || job === vmi.status?.migrationState?.migrationUid;
  return isLeftBehind(pod, vmi) || (hasEnded(pod) && !isNamed);
}

function ignoreTerminating(error: unknown): undefined {
  if (!isNamespaceTerminating(error)) throw error;
}

/** A launcher for a VMI that has none, or what it waits for. */
async function launch(state: VmiState, act: VmiActions): Promise<Provided> {
  const { vmi, disks, config } = state;
  const pod = undefined;
  const noHypervisor = missingHypervisorText(config);
  if (noHypervisor !== undefined) {
    const synchronized = conditionOf(vmi, 'Synchronized');
    if (synchronized?.message !== noHypervisor) act.warn(vmi, 'HypervisorNotAvailable', noHypervisor);
    return { pod, failure: outOfSync('HypervisorNotAvailable', noHypervisor) };
  }
  if (state.heldStarts !== undefined) {
    if (conditionOf(vmi, 'Synchronized')?.message !== state.heldStarts) act.warn(vmi, 'StartsHeld', state.heldStarts);
    return { pod, failure: outOfSync('StartsHeld', state.heldStarts) };
  }
  const missing = missingClaim(vmi.spec.volumes, disks.claim);
  if (missing) {
    const message = `PVC ${vmi.metadata.namespace}/${missing.claim} of volume "${missing.volume}" does not exist, waiting for it to appear`;
    act.warn(vmi, 'FailedPvcNotFound', message);
    return { pod, failure: outOfSync('FailedPvcNotFound', message) };
  }
  for (const { volume, claim } of claimsToStart(vmi.spec.volumes)) {
    const why = state.unusableReason(claim);
    if (why === undefined) continue;
    const message = `PVC ${vmi.metadata.namespace}/${claim} of volume "${volume}" cannot be used: ${why}`;
    if (conditionOf(vmi, 'Synchronized')?.message !== message) act.warn(vmi, 'UnsupportedVolume', message);
    return { pod, failure: outOfSync('UnsupportedVolume', message) };
  }
  const unfilled = unfilledClaim(vmi, disks);
  if (unfilled) {
    const dataVolume = disks.dataVolume(unfilled.claim);
    const why = dataVolume?.status?.phase ? fillingText(dataVolume) : `PVC ${unfilled.claim} is not populated yet`;
    const message = `volume "${unfilled.volume}" is waiting: ${why}`;
    return { pod, failure: { type: 'DataVolumesReady', status: 'False', reason: 'NotAllDVsReady', message } };
  }
  try {
    const backendStorageClaim = hasBackendStorage(vmi)
      ? (state.backendStorageClaim ?? (await act.createBackendStorageClaim(vmi)))
      : undefined;
    return { pod: await act.createPod(vmi, backendStorageClaim?.metadata.name), backendStorageClaim };
  } catch (error) {
    if (isNamespaceTerminating(error)) return { pod };
    return {
      pod,
      failure: outOfSync('FailedCreate', error instanceof Error ? error.message : String(error)),
      error,
    };
  }
}

/** Reports on the VMI what its claims wait for: nobody would look at the claims first. */
function unprovidedCondition({ vmi, disks }: VmiState): ConditionDraft | undefined {
  if (isHandedOver(vmi)) return undefined;
  const found = unprovidedClaim(vmi.spec.volumes, disks.claim);
  if (!found) return undefined;
  const { volume, claim, why } = found;
  return outOfSync('ProvisioningFailed', `PVC ${vmi.metadata.namespace}/${claim} of volume "${volume}": ${why}`);
}

/** Whether a launcher that no node has taken was made for a hypervisor that the cluster has left. */
const waitsForAnother = (vmi: Vmi, pod: Persisted<Pod>, config: ClusterConfig): boolean =>
  !isHandedOver(vmi) &&
  !isDeleting(vmi) &&
  !isDownOrGoing(pod) &&
  !pod.spec?.nodeName &&
  config.missingHypervisor === undefined &&
  (launcherHypervisor(pod) ?? hypervisorOf(config)) !== hypervisorOf(config);

/** Brings attachment pods in line with what is plugged in. What goes wrong is returned, to be thrown when all has been reported. */
async function attach(state: VmiState, launcher: Persisted<Pod> | undefined, act: VmiActions): Promise<unknown> {
  const { vmi, attachments, waitsForConsumer } = state;
  if (!attachments) return undefined;
  // Those of a migration's other launcher are the migration's, and go with that launcher.
  const others = new Set(state.pods.filter((pod) => pod !== launcher).map(({ metadata }) => metadata.uid));
  const own = attachments.filter((pod) => !others.has(launcherOf(pod)?.uid ?? ''));
  // A migration that has failed leaves its launcher for a while, which holds nothing any more.
  const ended = new Set(
    state.pods.filter((pod) => pod !== launcher && hasEnded(pod)).map(({ metadata }) => metadata.uid),
  );
  const left = attachments.filter((pod) => ended.has(launcherOf(pod)?.uid ?? '') && !isDeleting(pod));
  const plan = attachmentPlan({ vmi, launcher, attachments: own, claim: state.disks.claim, waitsForConsumer });
  try {
    if (launcher && plan.attach) {
      const isPlaced = plan.attach.every(({ claim }) => state.isReachable(claim, launcher.spec?.nodeName ?? ''));
      await act.createAttachment(vmi, launcher, plan.attach, { isPlaced });
    }
    if (launcher) for (const claim of plan.bind) await act.createBinding(vmi, launcher, claim);
    for (const pod of [...plan.remove, ...left]) await act.deleteAttachment(vmi, pod);
    return undefined;
  } catch (error) {
    return isNamespaceTerminating(error) ? undefined : error;
  }
}

const outOfSync = (reason: string, message: string): ConditionDraft => ({
  type: 'Synchronized',
  status: 'False',
  reason,
  message,
});

/** Status, label and finalizers in one patch, if anything changed. */
async function write(state: VmiState, status: VmiStatus, act: VmiActions): Promise<boolean> {
  const { vmi } = state;
  const changed = mergePatchBetween(vmi.status ?? {}, status);
  const finalizers = remainingFinalizers(state, status);
  const isNewNode = status.nodeName !== undefined && status.nodeName !== vmi.metadata.labels?.[NODE_NAME_LABEL];
  const metadata = {
    ...(finalizers.length !== (vmi.metadata.finalizers ?? []).length && { finalizers }),
    ...(isNewNode && { labels: { [NODE_NAME_LABEL]: status.nodeName } }),
  };
  if (!changed && Object.keys(metadata).length === 0) return false;
  await act.patchVmi(vmi, { metadata, ...(changed && { status: changed }) }).catch(ignoreNotFound);
  return true;
}

/** Ours goes when the guest has ended and no launcher is left; the VM's too, where there is no VM. */
function remainingFinalizers({ vmi, pods, hasVm }: VmiState, { phase }: VmiStatus): string[] {
  const { finalizers = [] } = vmi.metadata;
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  if (!isDeleting(vmi) || !hasEnded || pods.length > 0) return finalizers;
  const done = hasVm ? [VMI_FINALIZER] : [VMI_FINALIZER, VM_FINALIZER];
  return finalizers.filter((each) => !done.includes(each));
}

async function mirrorPause(vmi: Vmi, pod: Persisted<Pod>, { now }: VmiState, act: VmiActions): Promise<void> {
  const unpaused = unpausedStatus(vmi, pod, UNPAUSED_CONDITION);
  if (unpaused) await act.setUnpaused(pod, unpaused, now);
}
