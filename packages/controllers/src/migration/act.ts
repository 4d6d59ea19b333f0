import { createHash } from 'node:crypto';
import { isControlledBy, isReason, type Persisted, PersistentVolumeClaim, Pod, timestamp } from '@vireo/api';
import {
  MIGRATION_STATE,
  MIGRATION_TARGET_NODE,
  MIGRATION_UID,
  PENDING_MIGRATION,
} from '@vireo/api/kinds/harvester/names.ts';
import type { PluggedClaim } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { EVICTION_SOURCE_ANNOTATION } from '@vireo/api/kinds/kubevirt/eviction.ts';
import {
  MIGRATION_FINALIZER,
  MIGRATION_JOB_LABEL,
  MIGRATION_JOB_NAME_ANNOTATION,
  MIGRATION_PROGRESS_ANNOTATION,
  MIGRATION_TARGET_NODE_LABEL,
  MIGRATION_TARGET_READY_ANNOTATION,
  Migration,
  type MigrationStatus,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { generateName } from '@vireo/api/names.ts';
import { type Client, ignoreNotFound, type MergePatch, type Recorder } from '@vireo/kube';
import { attachmentPod } from '../vmi/attachmentPod.ts';
import { MIGRATION_NAME_LABEL, migratedStateClaim, STATE_LABEL } from '../vmi/backendStorage.ts';
import { launcherName } from '../vmi/launcherName.ts';
import { harvesterMarks } from './handoff.ts';
import { type TargetPodContext, targetPod } from './targetPod.ts';

/** The writes of the controller of migrations. */
export type MigrationActions = ReturnType<typeof migrationActions>;

const OUTDATED_LABEL = 'kubevirt.io/outdatedLauncherImage';

export function migrationActions(client: Client, recorder: Recorder) {
  const migrations = client.of(Migration);
  const pods = client.of(Pod);
  const vmis = client.of(Vmi);
  const claims = client.of(PersistentVolumeClaim);

  return {
    /** The pod that the guest is to move to. Of however many calls, one makes it. */
    async createTarget(context: TargetPodContext): Promise<Persisted<Pod>> {
      const { migration } = context;
      try {
        const { object, wasCreated } = await pods.createOrGet(targetPod(context));
        const text = `Created migration target pod ${object.metadata.name}`;
        if (wasCreated) recorder.event(migration, 'Normal', 'SuccessfulCreate', text);
        return object;
      } catch (error) {
        recorder.event(migration, 'Warning', 'FailedCreate', `Error creating pod: ${textOf(error)}`);
        throw error;
      }
    },
    /** The claim that the state of the guest's firmware moves to. Of however many calls, one makes it. */
    async createStateClaim(migration: Migration, vmi: Vmi, source: Persisted<PersistentVolumeClaim>): Promise<string> {
      const { object, wasCreated } = await claims.createOrGet(migratedStateClaim(migration, vmi, source));
      const { name } = object.metadata;
      if (wasCreated) recorder.event(migration, 'Normal', 'SuccessfulCreate', `Created claim ${name} for the target`);
      return name;
    },
    /** The state of a guest that has moved is on the claim of its target. */
    async keepStateClaim(target: Persisted<PersistentVolumeClaim>, vmiName: string): Promise<void> {
      const labels = { [STATE_LABEL]: vmiName, [MIGRATION_NAME_LABEL]: null };
      const annotations = { [MIGRATION_JOB_NAME_ANNOTATION]: null };
      await claims.patchExactly(target, { metadata: { labels, annotations } }).catch(ignoreNotFound);
    },
    async deleteStateClaim(claim: Persisted<PersistentVolumeClaim>): Promise<void> {
      await claims.deleteExactly(claim).catch(ignoreNotFound);
    },
    findClaim: (name: string, namespace: string): Promise<Persisted<PersistentVolumeClaim> | undefined> =>
      claims.find(name, { namespace }),
    /** Looks on the server: the cache may not show it yet. */
    async findTarget({ metadata }: Migration, vmi: Vmi): Promise<Persisted<Pod> | undefined> {
      const pod = await pods.find(launcherName(vmi, metadata.uid), { namespace: metadata.namespace });
      return pod && isControlledBy(pod, vmi) && pod.metadata.labels?.[MIGRATION_JOB_LABEL] === metadata.uid
        ? pod
        : undefined;
    },
    /** The pod that names, at the target, what is plugged into the guest. */
    async createAttachment(migration: Migration, target: Persisted<Pod>, claims: readonly PluggedClaim[]) {
      const draft = attachmentPod(target, claims);
      const { uid } = migration.metadata;
      const { object, wasCreated } = await pods.createOrGet({
        ...draft,
        metadata: {
          ...draft.metadata,
          name: derivedName(draft.metadata.generateName ?? '', uid),
          labels: { ...draft.metadata.labels, [MIGRATION_JOB_LABEL]: uid },
        },
      });
      const text = `Created attachment pod ${object.metadata.name}`;
      if (wasCreated) recorder.event(migration, 'Normal', 'SuccessfulCreate', text);
    },
    async deletePod(migration: Migration, pod: Persisted<Pod>, message: string): Promise<void> {
      await pods.deleteExactly(pod).catch(ignoreNotFound);
      recorder.event(migration, 'Normal', 'SuccessfulDelete', message);
    },
    async markTargetReady(pod: Persisted<Pod>, at: string): Promise<void> {
      const annotations = { [MIGRATION_TARGET_READY_ANNOTATION]: at };
      await pods.patchExactly(pod, { metadata: { annotations } }).catch(ignoreNotFound);
    },
    async handOff(migration: Migration, vmi: Vmi, patch: MergePatch): Promise<Vmi> {
      const handed = await vmis.patchIfUnchanged(vmi, patch);
      const text = 'Migration target pod is ready for preparation by virt-handler.';
      recorder.event(migration, 'Normal', 'SuccessfulHandOver', text);
      return handed;
    },
    /** Tells Harvester's clients that a migration waits for its turn. */
    async markPending(migration: Migration, vmi: Vmi): Promise<void> {
      const { [MIGRATION_STATE]: state, [MIGRATION_UID]: of } = vmi.metadata.annotations ?? {};
      if (state === PENDING_MIGRATION && of === migration.metadata.uid) return;
      const annotations = harvesterMarks(migration, PENDING_MIGRATION);
      await vmis.patchIfUnchanged(vmi, { metadata: { annotations } }).catch(ignoreNotFound);
    },
    /** Asks the source to stop a move that it has begun. */
    async requestAbort(migration: Migration, vmi: Vmi): Promise<void> {
      await vmis.patchIfUnchanged(vmi, {
        metadata: { annotations: { [MIGRATION_STATE]: 'Aborting migration' } },
        status: { migrationState: { abortRequested: true } },
      });
      const text = 'Migration is ready to be canceled by virt-handler.';
      recorder.event(migration, 'Normal', 'SuccessfulAbortMigration', text);
    },
    /**
     * Ends a migration that no node has begun with. A node that begins now finds that the VMI has changed, and does not.
     */
    async endUnstarted(vmi: Vmi, reason: string, isAbort: boolean, now: Date): Promise<Vmi> {
      const state = {
        failed: true,
        completed: true,
        // As KubeVirt: a migration that has ended has begun, too.
        startTimestamp: vmi.status?.migrationState?.startTimestamp ?? timestamp(now),
        endTimestamp: timestamp(now),
        failureReason: reason,
        ...(isAbort && { abortRequested: true, abortStatus: 'Succeeded' }),
      };
      const ended = await vmis.patchIfUnchanged(vmi, { status: { migrationState: state } });
      const uid = vmi.status?.migrationState?.migrationUid;
      const text = `VirtualMachineInstance migration uid ${uid} failed. reason: ${reason}`;
      recorder.event(vmi, 'Warning', 'FailedMigration', text);
      return ended;
    },
    async writeStatus(migration: Migration, status: MigrationStatus): Promise<void> {
      await migrations.writeStatus(migration, status);
    },
    /** What the VMI says of a move that is over: where to, and from where it had to leave. */
    async forgetMove(vmi: Vmi, hasLeft: boolean): Promise<void> {
      const { labels = {}, annotations = {} } = vmi.metadata;
      const drop = (map: Readonly<Record<string, string>>, keys: readonly string[]) =>
        Object.fromEntries(keys.filter((key) => key in map).map((key) => [key, null]));
      const stale = {
        labels: drop(labels, [MIGRATION_TARGET_NODE_LABEL, ...(hasLeft ? [OUTDATED_LABEL] : [])]),
        annotations: drop(annotations, [
          MIGRATION_STATE,
          MIGRATION_UID,
          MIGRATION_TARGET_NODE,
          MIGRATION_PROGRESS_ANNOTATION,
          ...(hasLeft ? [EVICTION_SOURCE_ANNOTATION] : []),
        ]),
      };
      const isMarked = hasLeft && vmi.status?.evacuationNodeName === vmi.status?.migrationState?.sourceNode;
      const isNothing = Object.values(stale).every((keys) => Object.keys(keys).length === 0);
      if (isNothing && !(isMarked && vmi.status?.evacuationNodeName)) return;
      await vmis
        .patchIfUnchanged(vmi, {
          metadata: stale,
          ...(isMarked && vmi.status?.evacuationNodeName && { status: { evacuationNodeName: null } }),
        })
        .catch(ignoreNotFound);
    },
    async release(migration: Migration): Promise<void> {
      await migrations.removeFinalizer(migration, MIGRATION_FINALIZER).catch(ignoreNotFound);
    },
    async deleteMigration(migration: Migration): Promise<void> {
      await migrations.deleteExactly(migration).catch((error: unknown) => {
        if (!isReason(error, 'Conflict')) ignoreNotFound(error);
      });
    },
    event: (about: Migration | Vmi, type: 'Normal' | 'Warning', reason: string, message: string): void =>
      recorder.event(about, type, reason, message),
  };
}

/** Looks generated and follows from the uid: however often it is made, there is one. */
function derivedName(prefix: string, uid: string): string {
  const bytes = createHash('sha256').update(uid).digest();
  let next = 0;
  return generateName(prefix, () => bytes.readUInt32BE(4 * next++) / 2 ** 32);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
