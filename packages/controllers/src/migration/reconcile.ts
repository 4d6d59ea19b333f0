import {
  type ConditionDraft,
  hasEnded,
  isDeleting,
  isReason,
  type Node,
  type Persisted,
  type PersistentVolumeClaim,
  type Pod,
} from '@vireo/api';
import { MIGRATION_UID } from '@vireo/api/kinds/harvester/names.ts';
import { mountedClaims, type PluggedClaim, pluggedClaims } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import {
  isFinalMigration,
  isHandedOff,
  MIGRATION_FINALIZER,
  MIGRATION_TARGET_READY_ANNOTATION,
  type Migration,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { isActive, isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import type { ClusterConfig } from '@vireo/hypervisor';
import { isNamespaceTerminating, type Result } from '@vireo/kube';
import { hasBackendStorage, migratedStateClaimName } from '../vmi/backendStorage.ts';
import { currentLauncher, isPrepared } from '../vmi/launcher.ts';
import type { MigrationActions } from './act.ts';
import { canHandOff, handoffPatch } from './handoff.ts';
import { migrationConfiguration } from './policy.ts';
import { surplusMigrations } from './retention.ts';
import { type Failure, failureOf, type MigrationFacts, migrationStatus, ownState } from './status.ts';
import { backOffMs, blockedTimeout, isUnschedulable, podTimeout, preparationTimeout } from './timeouts.ts';

/** All that is known of one migration. */
export interface MigrationState {
  readonly migration: Migration;
  readonly vmi: Vmi | undefined;
  /** The launchers of the VMI, among them the pod that the guest is to move to. */
  readonly pods: readonly Persisted<Pod>[];
  readonly target: Persisted<Pod> | undefined;
  /** The attachment pods of a launcher. */
  readonly attachments: (launcher: Persisted<Pod>) => readonly Persisted<Pod>[];
  /** The other migrations of the VMI. */
  readonly others: readonly Migration[];
  /** Whether the limits and the queue let it begin. */
  readonly mayBegin: () => boolean;
  /** Noted before the target pod is made, for caches show it later; the result takes it back. */
  readonly begins: () => () => void;
  /** What it waits for before it begins. */
  readonly blocked: ConditionDraft | undefined;
  /** The same as the server has it now: caches may not show yet that somebody has taken hold of the VM. */
  readonly blockedNow: () => Promise<ConditionDraft | undefined>;
  readonly node: (name: string) => Node | undefined;
  /** Asked for only when the migration is handed over. */
  readonly policy: (vmi: Vmi) => Persisted<MigrationPolicy> | undefined;
  /** The claim that holds what the guest's firmware remembers. */
  readonly backendStorageClaim: Persisted<PersistentVolumeClaim> | undefined;
  readonly allocatable: () => ReadonlySet<string>;
  readonly config: ClusterConfig;
  readonly now: Date;
}

/** Brings a migration one step further, or to its end. */
export async function reconcileMigration(state: MigrationState, act: MigrationActions): Promise<Result | undefined> {
  const { migration, vmi } = state;
  if (!vmi) {
    if (!isDeleting(migration)) await act.deleteMigration(migration);
    await settleStateClaims(migration, act);
    return act.release(migration).then(() => undefined);
  }
  if (isFinalMigration(migration)) return conclude({ ...state, vmi }, act);
  const phase = migration.status?.phase ?? '';
  const isPodMade = !['', 'Pending'].includes(phase);
  const target = state.target ?? (isPodMade ? await act.findTarget(migration, vmi) : undefined);
  return advance({ ...state, vmi, target }, act);
}

type Known = MigrationState & { readonly vmi: Vmi };

async function advance(state: Known, act: MigrationActions): Promise<Result | undefined> {
  const { migration, vmi } = state;
  const facts = factsOf(state);
  const failure = failureOf(facts);
  if (failure) return fail(state, failure, act);
  const source = currentLauncher(
    vmi,
    state.pods.filter((pod) => pod !== state.target),
  );
  if (!state.target) return begin(state, source, act);
  const { target } = state;
  const own = ownState(facts);
  if (!own) {
    const late = await provide(state, source, target, act);
    if (late) return late;
    const ready = factsOf(state);
    if (state.blocked) return write(state, act, { blocked: state.blocked });
    if (ready.isAttached && isPrepared(target) && canHandOff(vmi, source, target) && source && !isHandedOff(vmi)) {
      // Asked after the VMI was read, which is handed over only as it was then: see LAST_SNAPSHOT.
      const blocked = await state.blockedNow();
      if (blocked) return write(state, act, { blocked });
      return write({ ...state, vmi: await handOff(state, source, target, act) }, act);
    }
    await write(state, act);
    const { remainingMs } = podTimeout(migration, target, state.now.getTime());
    return isPrepared(target) ? undefined : { requeueAfterMs: Math.max(remainingMs, 0) };
  }
  const { targetNodeDomainReadyTimestamp: readyAt } = own;
  if (readyAt && target.metadata.annotations?.[MIGRATION_TARGET_READY_ANNOTATION] === undefined)
    await act.markTargetReady(target, readyAt);
  await write(state, act);
  return own.startTimestamp ? undefined : awaitStart(state, act);
}

/** What the state says of the migration; the target may be one that was made just now. */
const factsOf = ({ migration, vmi, target, others, ...state }: Known): MigrationFacts => ({
  migration,
  vmi,
  target,
  isAttached: target !== undefined && missingAttachment({ migration, vmi, target, others, ...state }) === undefined,
  isOtherUnderWay:
    isHandedOff(vmi) &&
    others.some((each) => !isFinalMigration(each) && each.metadata.uid === vmi.status?.migrationState?.migrationUid),
});

/** What is plugged into the guest, and no pod has at the target; undefined where nothing is missing. */
function missingAttachment(
  state: Known,
): { readonly claims: readonly PluggedClaim[]; readonly isMade: boolean } | undefined {
  const { vmi, target, pods } = state;
  if (!target || pluggedClaims(vmi.spec).length === 0) return undefined;
  const source = currentLauncher(
    vmi,
    pods.filter((pod) => pod !== target),
  );
  const wanted = pluggedClaims(vmi.spec);
  const mounted = (source ? state.attachments(source) : [])
    .filter((pod) => !isDeleting(pod) && pod.status?.phase === 'Running')
    .flatMap(mountedClaims);
  const claims = wanted.filter(({ volume, claim }) =>
    mounted.some((each) => each.volume === volume && each.claim === claim),
  );
  if (claims.length === 0) return undefined;
  const made = state.attachments(target).filter((pod) => !isDeleting(pod));
  return made.some(({ status }) => status?.phase === 'Running') ? undefined : { claims, isMade: made.length > 0 };
}

/** Makes the target pod, when it is the migration's turn. */
async function begin(state: Known, source: Persisted<Pod> | undefined, act: MigrationActions) {
  const { migration, vmi, now } = state;
  const wait = backOffMs(migration, state.others.filter(isFinalMigration), now.getTime());
  if (wait > 0) {
    await act.markPending(migration, vmi);
    await write(state, act);
    const { name, namespace } = vmi.metadata;
    act.event(vmi, 'Warning', 'MigrationBackoff', `backoff migrating vmi ${namespace}/${name}`);
    return { requeueAfterMs: wait };
  }
  if (state.blocked) {
    await act.markPending(migration, vmi);
    return awaitUnblocked(state, state.blocked, act);
  }
  // What has ended of a migration before stands in nobody's way.
  const isAlone = state.pods.every((pod) => pod === source || hasEnded(pod));
  const isReady = source !== undefined && isRunning(vmi) && isActive(vmi) && !isHandedOff(vmi) && isAlone;
  if (!isReady || !state.mayBegin()) {
    if (isReady) await act.markPending(migration, vmi);
    return write(state, act);
  }
  const takeBack = state.begins();
  const { config } = state;
  const sourceNode = state.node(source.spec?.nodeName ?? '');
  try {
    const allocatable = state.allocatable();
    const { backendStorageClaim: left } = state;
    const backendStorageClaim =
      left && hasBackendStorage(vmi) ? await act.createStateClaim(migration, vmi, left) : undefined;
    const target = await act.createTarget({
      vmi,
      migration,
      source,
      sourceNode,
      config,
      backendStorageClaim,
      allocatable,
    });
    return write({ ...state, target }, act, { sourcePod: source.metadata.name });
  } catch (error) {
    takeBack();
    if (isNamespaceTerminating(error)) return undefined;
    const quota = isReason(error, 'Forbidden') && error.message.includes('exceeded quota') ? error.message : undefined;
    if (quota === undefined) throw error;
    // Tried again when a quota of the namespace changes.
    return write(state, act, { quota });
  }
}

/** Waits for what a migration would disturb; for some of it not longer than the cluster says. */
async function awaitUnblocked(
  state: Known,
  blocked: ConditionDraft,
  act: MigrationActions,
): Promise<Result | undefined> {
  const { utilityVolumesTimeout } = state.config.configuration.migrations ?? {};
  const timeout = blockedTimeout(state.migration, blocked, utilityVolumesTimeout, state.now.getTime());
  if (timeout && timeout.remainingMs <= 0) return write(state, act, { failure: timeout.message });
  await write(state, act, { blocked });
  return timeout && { requeueAfterMs: timeout.remainingMs };
}

/** What the target needs before it is ready, or its end when it does not get ready in time. */
async function provide(
  state: Known,
  source: Persisted<Pod> | undefined,
  target: Persisted<Pod>,
  act: MigrationActions,
): Promise<Result | undefined> {
  const { migration, vmi, now } = state;
  const missing = missingAttachment(state);
  if (missing && !missing.isMade && source && target.spec?.nodeName)
    await act.createAttachment(migration, target, missing.claims);
  if (isPrepared(target) && !missing) return undefined;
  const { remainingMs, message } = podTimeout(migration, target, now.getTime());
  if (remainingMs <= 0) {
    await act.deletePod(migration, target, message);
    return {};
  }
  if (isUnschedulable(target)) {
    const { name, namespace } = vmi.metadata;
    const text = `Migration target pod for VMI [${namespace}/${name}] is currently unschedulable.`;
    act.event(migration, 'Warning', 'migrationTargetPodUnschedulable', text);
    if (Object.keys(target.spec?.nodeSelector ?? {}).some((label) => label.startsWith('cpu-model-migration.')))
      act.event(
        vmi,
        'Warning',
        'NoSuitableNodesForHostModelMigration',
        "Migration cannot proceed since no node is suitable to run the required CPU model / required features of the guest's host-model",
      );
  }
  return undefined;
}

async function handOff(
  state: Known,
  source: Persisted<Pod>,
  target: Persisted<Pod>,
  act: MigrationActions,
): Promise<Vmi> {
  const { migration, vmi, config } = state;
  const policy = state.policy(vmi);
  const attachment = state.attachments(target).find(({ status }) => status?.phase === 'Running');
  const patch = handoffPatch({
    vmi,
    migration,
    source,
    target,
    attachmentUid: attachment?.metadata.uid,
    policyName: policy?.metadata.name,
    configuration: migrationConfiguration(config, policy),
  });
  return act.handOff(migration, vmi, patch);
}

/** Nodes that do not begin are not waited for without end. */
async function awaitStart(state: Known, act: MigrationActions): Promise<Result | undefined> {
  const timeout = preparationTimeout(state.migration, state.now.getTime());
  if (!timeout) return undefined;
  if (timeout.remainingMs > 0) return { requeueAfterMs: timeout.remainingMs };
  await act.endUnstarted(state.vmi, timeout.reason, false, state.now);
  return undefined;
}

/** Ends a migration that cannot go on. What its nodes have begun, they are asked to stop; the rest waits for their word. */
async function fail(state: Known, { message, toStop }: Failure, act: MigrationActions): Promise<Result | undefined> {
  const { vmi, migration, now } = state;
  const own = ownState(state);
  if (toStop && own?.startTimestamp) {
    if (!own.abortRequested) await act.requestAbort(migration, vmi);
    return write(state, act);
  }
  const ended = toStop ? await act.endUnstarted(vmi, toStop.reason, toStop.isAbort, now) : vmi;
  await write({ ...state, vmi: ended }, act, { failure: message });
  return undefined;
}

/** Writes what has become of the migration, and says so when it has ended. */
async function write(state: Known, act: MigrationActions, outcome: Parameters<typeof migrationStatus>[1] = {}) {
  const { migration, now } = state;
  const status = migrationStatus(factsOf(state), outcome, now);
  await act.writeStatus(migration, status);
  if (status.phase === migration.status?.phase) return undefined;
  if (status.phase === 'Failed') act.event(migration, 'Warning', 'FailedMigration', outcome.failure ?? '');
  if (status.phase === 'Succeeded')
    act.event(migration, 'Normal', 'SuccessfulMigration', 'Source node reported migration succeeded');
  return undefined;
}

/** What the guest's firmware remembers is where the guest is; nothing of it stays where it is not. */
async function settleStateClaims(migration: Migration, act: MigrationActions): Promise<void> {
  const { metadata, status } = migration;
  const { vmiName = '' } = migration.spec;
  // Done already: what has the same name by now is not this migration's.
  if (!metadata.finalizers?.includes(MIGRATION_FINALIZER)) return;
  const claim = (name: string) => act.findClaim(name, metadata.namespace ?? '');
  const target = await claim(migratedStateClaimName(migration, vmiName));
  if (!target) return;
  if (status?.phase !== 'Succeeded') return act.deleteStateClaim(target);
  await act.keepStateClaim(target, vmiName);
  const { sourcePersistentStatePVCName: name } = status.migrationState ?? {};
  const source = name === undefined ? undefined : await claim(name);
  if (source && !isDeleting(source)) await act.deleteStateClaim(source);
}

/** Clears up behind a migration that has ended, and lets it go. */
async function conclude(state: Known, act: MigrationActions): Promise<undefined> {
  const { migration, vmi, target, others } = state;
  const own = ownState(state);
  // Pods of migrations that were handed over are the VMI's: only it knows where its guest is.
  if (target && !own && !isDeleting(target) && target.spec?.nodeName !== vmi.status?.nodeName) {
    const { name, namespace } = target.metadata;
    await act.deletePod(migration, target, `migration canceled and pod ${namespace}/${name} is deleted`);
  }
  const isToldOf = vmi.metadata.annotations?.[MIGRATION_UID] === migration.metadata.uid;
  if ((own || isToldOf) && !isHandedOff(vmi)) await act.forgetMove(vmi, migration.status?.phase === 'Succeeded');
  if (hasBackendStorage(vmi)) await settleStateClaims(migration, act);
  await act.release(migration);
  for (const each of surplusMigrations([...others, migration])) if (!isDeleting(each)) await act.deleteMigration(each);
}
