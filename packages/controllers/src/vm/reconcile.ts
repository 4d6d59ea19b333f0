import {
  type ConditionDraft,
  type ControllerRevision,
  isDeleting,
  isReason,
  mergePatchBetween,
  type Persisted,
} from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import { ORPHAN_FINALIZER, VM_FINALIZER, VM_GENERATION_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isActive, isFinal, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VOLUMES_CHANGE, VOLUMES_CHANGE_CANCELLATION } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import type { ClusterConfig } from '@vireo/hypervisor';
import { ignoreNotFound, isNamespaceTerminating, type Postpone, type Result } from '@vireo/kube';
import type { Disks } from '../claims.ts';
import type { Typed } from '../instancetypes/sync.ts';
import type { VmActions } from './act.ts';
import { areTemplatesReady, isMadeOnStart, missingDataVolumes, unfilledCondition } from './dataVolumes.ts';
import { firmwareUuid } from './firmware.ts';
import { pluggedSpec } from './hotplug.ts';
import { type Cards, type Rollout, remainingCards, updatedCards } from './interfaces.ts';
import { syncMemoryDump } from './memoryDump.ts';
import type { StorageState } from './printableStatus.ts';
import { LIVE_FIELDS, restartRequired } from './restartRequired.ts';
import { isOldStart } from './revision.ts';
import { type Decision, decide } from './runStrategy.ts';
import { decideSize } from './size.ts';
import { stableAtMs } from './startFailure.ts';
import { withStartRequest } from './stateChangeRequests.ts';
import { canWait, vmStatus } from './status.ts';
import { decideVolumeUpdate } from './volumeMigration.ts';
import { syncVolumeRequests } from './volumeRequests.ts';

/** All that is known of one VM. */
export interface VmState {
  readonly vm: Vm;
  /** The VMI that the VM controls. */
  readonly vmi: Vmi | undefined;
  readonly revisions: readonly Persisted<ControllerRevision>[];
  /** What the VM is run as, and was started as. */
  readonly typed: Typed;
  readonly storage: StorageState;
  readonly disks: Disks;
  /** Whether the storage of a claim supports snapshots. */
  readonly supportsSnapshots?: (claim: string) => boolean;
  readonly config: ClusterConfig;
  /** What went wrong in this pass without standing in the way of the rest. */
  readonly failure?: ConditionDraft | undefined;
  /** Why volumes that were changed do not move to their new claims while the VM runs. */
  readonly volumeRefusal?: string | undefined;
  /** Why CPUs or memory that were changed are not changed while the VM runs. */
  readonly sizeRefusal?: string | undefined;
  readonly now: Date;
  readonly random: () => number;
}

/** When a VM is looked at again whose instance type is not there; that it comes is heard at once. */
const TYPE_RETRY_MS = 30_000;

/** How long a change of status that can wait does wait. */
const POSTPONE_MS = 3000;

/** Brings a VM in line with its run strategy and the requests made of it, and its status with its VMI. */
export async function reconcileVm(given: VmState, act: VmActions, postpone: Postpone): Promise<Result | undefined> {
  if (isDeleting(given.vm)) return end(given, act);
  const prepared = await syncVolumeRequests(await prepare(given.vm, act), act);
  // Without types, a VM is run as it is: as it is now.
  const { vm: dumped, vmi: known } = await syncMemoryDump(prepared, given.vmi, act);
  const isTyped = dumped.spec.instancetype ?? dumped.spec.preference;
  const state = isTyped ? given : { ...given, typed: { ...given.typed, spec: dumped.spec } };
  const disks = known && (await plug(known, state, act));
  const cards = disks && (await plugCards(disks.vmi, state, act));
  const vm = await forgetCards(dumped, cards?.vmi, act);
  const moved = cards && (await moveVolumes(cards.vmi, state, act));
  const sized = moved && (await changeSize(moved.vmi, state, act));
  const vmi = sized && (sized.refusal ? sized.vmi : await updateVmi(vm, sized.vmi, state, act));
  const decision = decide(vm, vmi, state.now.getTime());
  if (state.typed.failure && decision.action !== 'stop') {
    const result = await rest({ ...state, vm, vmi }, { action: 'none' }, act, postpone);
    return result ?? { requeueAfterMs: TYPE_RETRY_MS };
  }
  // What is being restored brings its own disks.
  const isRestored = vm.status?.restoreInProgress !== undefined;
  if (!isRestored && (!isMadeOnStart(vm) || decision.action === 'start')) await provideDisks({ ...state, vm }, act);
  if (decision.action === 'start' && !areTemplatesReady(vm, state.disks))
    return rest({ ...state, vm, vmi }, { action: 'none' }, act, postpone);
  switch (decision.action) {
    case 'switchOn':
      // The change comes back as a new version of the VM, and that starts it.
      await act.patchVm(vm, { spec: vm.spec.running === undefined ? { runStrategy: 'Always' } : { running: true } });
      return undefined;
    case 'start':
      return start({ ...state, vm }, decision, act);
    case 'stop':
      return stop({ ...state, vm, vmi }, decision, act);
    default:
      return rest(
        {
          ...state,
          vm,
          vmi,
          failure: disks?.failure ?? cards?.failure ?? moved?.failure ?? sized?.failure,
          volumeRefusal: moved?.refusal,
          sizeRefusal: sized?.refusal,
        },
        decision,
        act,
        postpone,
      );
  }
}

/** What every VM has before it is started: our finalizer, and a firmware UUID that stays. */
async function prepare(vm: Vm, act: VmActions): Promise<Vm> {
  const { finalizers = [] } = vm.metadata;
  const lacksFinalizer = !finalizers.includes(VM_FINALIZER);
  const lacksUuid = vm.spec.template.spec !== undefined && !vm.spec.template.spec.domain.firmware?.uuid;
  if (!lacksFinalizer && !lacksUuid) return vm;
  return act.patchVm(vm, {
    ...(lacksFinalizer && { metadata: { finalizers: [...finalizers, VM_FINALIZER] } }),
    ...(lacksUuid && { spec: { template: { spec: { domain: { firmware: { uuid: firmwareUuid(vm) } } } } } }),
  });
}

/** Makes the DataVolumes that the VM brings along; that they come is heard of. */
async function provideDisks(state: VmState, act: VmActions): Promise<void> {
  const { vm, disks } = state;
  for (const draft of missingDataVolumes(vm, disks)) {
    try {
      await act.createDataVolume(vm, draft);
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      await fail(state, 'FailedDataVolumeCreate', error, act);
      throw error;
    }
  }
}

/** A VMI with what was plugged in, or why that failed. */
interface Plugged {
  readonly vmi: Vmi;
  readonly failure?: ConditionDraft;
}

/** Plugs volumes into a running VMI, and takes them out, as the VM has them; a guest that moves has to arrive first. */
async function plug(vmi: Vmi, { typed }: VmState, act: VmActions): Promise<Plugged> {
  const wanted = isRunning(vmi) && !isDeleting(vmi) && !isHandedOff(vmi) ? pluggedSpec(typed.spec, vmi) : undefined;
  if (!wanted) return { vmi };
  const { volumes, disks } = wanted;
  return patchOrFail(vmi, { spec: { volumes, domain: { devices: { disks } } } }, 'HotPlugVolumeError', act);
}

/** Plugs network interfaces into a living VMI, takes them out, and changes their links and networks. */
async function plugCards(vmi: Vmi, state: VmState, act: VmActions): Promise<Plugged> {
  const wanted =
    isActive(vmi) && !isHandedOff(vmi)
      ? updatedCards(vmi, state.typed.spec.template.spec, rolloutOf(state))
      : undefined;
  return wanted ? patchOrFail(vmi, { spec: cardsPatch(wanted) }, 'HotPlugNetworkInterfaceError', act) : { vmi };
}

/** Takes network interfaces that are unplugged out of the VM's template. */
async function forgetCards(vm: Vm, vmi: Vmi | undefined, act: VmActions): Promise<Vm> {
  const remaining = vmi && !isActive(vmi) ? undefined : remainingCards(vm.spec.template.spec, vmi);
  return remaining ? act.patchVm(vm, { spec: { template: { spec: cardsPatch(remaining) } } }) : vm;
}

/**
 * Has volumes of a running VMI move to the claims that the VM has by now, or stay where they are if that was taken back.
 * While a migration is under way, its nodes go by what the VMI says: it is ended first, and then the VMI changed.
 */
async function moveVolumes(vmi: Vmi, state: VmState, act: VmActions): Promise<Plugged & { readonly refusal?: string }> {
  const { typed, disks, now } = state;
  if (!isRunning(vmi) || isDeleting(vmi)) return { vmi };
  const update = decideVolumeUpdate(typed.spec, vmi, disks.claim);
  const conditionsWith = (change: Omit<ConditionDraft, 'type'>) =>
    setConditions(vmi.status?.conditions, [{ type: VOLUMES_CHANGE, ...change }], now);
  const patch = (wanted: Parameters<VmActions['patchVmi']>[1]) => patchOrFail(vmi, wanted, 'VolumesUpdateError', act);
  const report = async (conditions: ReturnType<typeof conditionsWith>): Promise<Plugged> =>
    deepEqual(conditions, vmi.status?.conditions) ? { vmi } : patch({ status: { conditions } });
  switch (update.action) {
    case 'migrate': {
      const isBlocked = restartRequired(typed.started, typed.spec, vmi, rolloutOf(state)) !== undefined;
      if (isBlocked || isHandedOff(vmi)) return { vmi };
      const { volumes, migrated } = update;
      const status = {
        migratedVolumes: migrated,
        conditions: conditionsWith({ status: 'True', message: 'migrate volumes' }),
      };
      return patch({ spec: { volumes }, status });
    }
    case 'cancel': {
      const reason = VOLUMES_CHANGE_CANCELLATION;
      const conditions = conditionsWith({ status: 'False', reason, message: 'the volumes stay on their claims' });
      return isHandedOff(vmi)
        ? report(conditions)
        : patch({ spec: { volumes: update.volumes }, status: { migratedVolumes: null, conditions } });
    }
    case 'wait':
      return report(conditionsWith({ status: 'False', message: update.message }));
    case 'refuse':
      return { vmi, refusal: update.message };
    case 'fail':
      return {
        vmi,
        failure: { type: 'Failure', status: 'True', reason: 'VolumesUpdateError', message: update.message },
      };
    default:
      return { vmi };
  }
}

/** Hands on to a running VMI how many CPUs and how much memory its VM has by now. */
async function changeSize(vmi: Vmi, state: VmState, act: VmActions): Promise<Plugged & { readonly refusal?: string }> {
  const { typed, config, now } = state;
  if (isDeleting(vmi) || !typed.started || restartRequired(typed.started, typed.spec, vmi, rolloutOf(state)))
    return { vmi };
  const { patch, restart, failure } = decideSize(typed.spec, vmi, config, now);
  if (restart !== undefined) return { vmi, refusal: restart };
  if (failure) return { vmi, failure };
  return patch ? patchOrFail(vmi, patch, 'HotPlugCPUError', act) : { vmi };
}

const cardsPatch = ({ interfaces, networks }: Cards): object => ({ networks, domain: { devices: { interfaces } } });

async function patchOrFail(
  vmi: Vmi,
  patch: Parameters<VmActions['patchVmi']>[1],
  reason: string,
  act: VmActions,
): Promise<Plugged> {
  try {
    return { vmi: await act.patchVmi(vmi, patch) };
  } catch (error) {
    if (!isReason(error, 'Invalid')) throw error;
    return { vmi, failure: { type: 'Failure', status: 'True', reason, message: error.message } };
  }
}

/** Hands on to a living VMI what needs no restart: where it may run, and its generation. */
async function updateVmi(vm: Vm, vmi: Vmi, state: VmState, act: VmActions): Promise<Vmi> {
  const { spec, started } = state.typed;
  if (!isActive(vmi) || !started || restartRequired(started, spec, vmi, rolloutOf(state))) return vmi;
  const generation = String(vm.metadata.generation ?? 0);
  const isCurrent = vmi.metadata.annotations?.[VM_GENERATION_ANNOTATION] === generation;
  if (isCurrent) return vmi;
  const pick = (of: Vmi['spec'] | undefined) => Object.fromEntries(LIVE_FIELDS.map((field) => [field, of?.[field]]));
  const placement = mergePatchBetween(pick(vmi.spec), pick(spec.template.spec));
  return act.patchVmi(vmi, {
    metadata: { annotations: { [VM_GENERATION_ANNOTATION]: generation } },
    ...(placement && { spec: placement }),
  });
}

const rolloutOf = ({ config }: VmState): Rollout => ({ isStaged: config.rolloutStrategy === 'Stage' });

async function start(
  state: VmState,
  decision: Extract<Decision, { action: 'start' }>,
  act: VmActions,
): Promise<Result | undefined> {
  const { vm, revisions, typed } = state;
  let vmi: Vmi;
  try {
    vmi = await act.start(vm, { paused: decision.paused, spec: typed.spec });
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    await fail(state, 'FailedCreate', error, act);
    throw error;
  }
  await act.writeStatus(vm, statusOf({ ...state, vmi }));
  for (const revision of revisions) if (isOldStart(revision, vm)) await act.deleteRevision(revision);
  return undefined;
}

async function stop(
  state: VmState & { readonly vmi: Vmi | undefined },
  decision: Extract<Decision, { action: 'stop' }>,
  act: VmActions,
): Promise<Result | undefined> {
  const { vmi } = state;
  if (!vmi) return undefined;
  // First the status: a failed start is counted, and a start to come is noted, while the VMI still shows why.
  const status = statusOf(state, { isStopping: true });
  const requests = decision.thenStart ? { stateChangeRequests: withStartRequest(status.stateChangeRequests) } : {};
  const vm = await act.writeStatus(state.vm, { ...status, ...requests });
  try {
    await act.stop(vm, vmi);
  } catch (error) {
    await fail({ ...state, vm }, 'FailedDelete', error, act);
    throw error;
  }
  return undefined;
}

/** Nothing is to be started or stopped. */
async function rest(
  state: VmState,
  decision: Decision,
  act: VmActions,
  postpone: Postpone,
): Promise<Result | undefined> {
  const { vm, vmi, now } = state;
  const before = vm.status ?? {};
  const status = statusOf(state);
  const changed = mergePatchBetween(before, status);
  const later = changed !== undefined && canWait(before, status, changed) ? postpone(POSTPONE_MS) : undefined;
  if (!later) await act.writeStatus(vm, status);
  if (vmi) await release(vmi, act);
  if (later) return later;
  const againAtMs = decision.action === 'wait' ? decision.untilMs : failuresForgottenAtMs(status, vmi);
  return againAtMs === undefined ? undefined : { requeueAfterMs: Math.max(0, againAtMs - now.getTime()) };
}

/** When the failed starts of a VM that runs again are to be forgotten. */
const failuresForgottenAtMs = ({ startFailure }: VmStatus, vmi: Vmi | undefined): number | undefined =>
  startFailure && vmi && !isFinal(vmi) ? stableAtMs(vmi) : undefined;

/** Lets go of a VMI that has ended, once the VM's status tells of it. */
async function release(vmi: Vmi, act: VmActions): Promise<void> {
  const { finalizers = [] } = vmi.metadata;
  if (!isDeleting(vmi) || !isFinal(vmi) || !finalizers.includes(VM_FINALIZER)) return;
  await act
    .patchVmi(vmi, { metadata: { finalizers: finalizers.filter((each) => each !== VM_FINALIZER) } })
    .catch(ignoreNotFound);
}

/** A VM that goes stops its VMI first, unless that is to outlive it. */
async function end(state: VmState, act: VmActions): Promise<Result | undefined> {
  const { vm, vmi } = state;
  const { finalizers = [] } = vm.metadata;
  if (!finalizers.includes(VM_FINALIZER)) return undefined;
  if (!vmi || finalizers.includes(ORPHAN_FINALIZER)) {
    await act
      .patchVm(vm, { metadata: { finalizers: finalizers.filter((each) => each !== VM_FINALIZER) } })
      .catch(ignoreNotFound);
    return undefined;
  }
  const current = await act.writeStatus(vm, statusOf(state, { isStopping: true }));
  if (!isDeleting(vmi)) await act.stop(current, vmi);
  else await release(vmi, act);
  return undefined;
}

async function fail(state: VmState, reason: string, error: unknown, act: VmActions): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const failure = { type: 'Failure', status: 'True', reason, message };
  await act.writeStatus(state.vm, statusOf(state, { failure }));
}

function statusOf(
  state: VmState,
  {
    isStopping = false,
    failure = state.typed.failure ?? state.failure,
  }: { isStopping?: boolean; failure?: ConditionDraft } = {},
): VmStatus {
  const { vm, vmi, typed, storage, disks, supportsSnapshots, now, random } = state;
  const message = state.volumeRefusal ?? state.sizeRefusal;
  const refused = message && { type: 'RestartRequired', status: 'True', message };
  const changed = vmi && !isFinal(vmi) ? restartRequired(typed.started, typed.spec, vmi, rolloutOf(state)) : undefined;
  const restart = refused || changed;
  const unfilled = vmi ? undefined : unfilledCondition(vm, disks);
  const own = { failure, unfilled, restartRequired: restart };
  return vmStatus(vm, vmi, { isStopping, storage, supportsSnapshots, ...own, now, random });
}
