import { isReason, timestamp } from '@vireo/api';
import {
  FORCED_FAILURE_ANNOTATION,
  MIGRATION_PROGRESS_ANNOTATION,
  type MigrationProgress,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { dedicatedCpuCount } from '@vireo/hypervisor';
import { pause, type Result } from '@vireo/kube';
import { MigrateFlags } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { grantDisk } from '../guests/disks.ts';
import type { LocalVmi, RunningVmi } from '../vmi/localVmi.ts';
import { preparedStatus } from '../vmi/podStatus.ts';
import type { StatusWriter } from '../vmi/statusWriter.ts';
import { hasLeftByPostCopy, isStoppedToMove, LOST_IN_POST_COPY, mayHaveLeft } from './arrival.ts';
import { askOutcome } from './askOutcome.ts';
import { ABORTED } from './copyWatch.ts';
import { setGuestTime } from './guestTime.ts';
import { IncomingMigrations } from './incoming.ts';
import type { MigrationMode } from './monitor.ts';
import { MoveConnections } from './moveConnections.ts';
import { FORCED_FAILURE, GUEST_ENDED, ignoreLibvirtError, Move, type MoveResult, targetOf } from './outgoing.ts';
import { PeerCertificates } from './peerCertificates.ts';
import type { Peer } from './peerClient.ts';
import type { OutcomeAnswer } from './peerProtocol.ts';
import { currentMigration, type HandedOver, isTargetBlocked, writtenOutcome } from './role.ts';
import { rawFile, stayingDisks } from './sharedStorage.ts';
import {
  arrivedStatus,
  failedStatus,
  failureAt,
  failureText,
  listeningStatus,
  modeStatus,
  whyFailed,
  withMigration,
} from './status.ts';
import { StreamThread } from './streamThread.ts';

/** While the other node does not tell where a guest is. */
const ASK_AGAIN_MS = 1_000;
/** A target takes less to write that it has the guest, unless the guest has ended there or the server is not reached. */
const ARRIVAL_MS = 5_000;

const AGENT_RESTARTED = 'the node agent of the source was restarted during the migration';

/** While a guest is paused for a copy of its disks. */
const HELD_AGAIN_MS = 500;

/** For writing the mode of a migration, which others write about at the same time. */
const MODE_TRIES = 10;
const MODE_AGAIN_MS = 100;

/** A move that goes on. */
interface Sending {
  readonly migrationUid: string;
  isAbortRequested: boolean;
}

/** Guests that come to this node, and guests that leave it. */
export class Migrations {
  readonly incoming: IncomingMigrations;
  readonly #context: NodeContext;
  readonly #certificates: PeerCertificates;
  readonly #thread = new StreamThread();
  readonly #find: (key: string) => LocalVmi | undefined;
  readonly #signal: AbortSignal;
  /** By the VMI's uid. */
  readonly #sending = new Map<string, Sending>();
  /** How moves ended that are not written down yet, by the VMI's uid. */
  readonly #results = new Map<string, MoveResult & { readonly migrationUid: string; readonly atMs: number }>();

  /** Why moves were interrupted whose guests are still to be found, by the VMI's uid. */
  readonly #interrupted = new Map<string, { readonly migrationUid: string; readonly reason: string }>();

  constructor(
    context: NodeContext,
    options: { readonly home: string; readonly find: (key: string) => LocalVmi | undefined },
    signal: AbortSignal,
  ) {
    const { client, kubelet, host, log } = context;
    this.#context = context;
    this.#find = options.find;
    this.#signal = signal;
    this.#certificates = new PeerCertificates(
      { home: options.home, name: host.name, address: host.address, client, kubelet, log },
      signal,
    );
    this.incoming = new IncomingMigrations(context, this.#certificates, this.#thread, options.find);
  }

  /** On the target: says where it listens, once its launcher is ready. */
  async receive({ vmi, key, uid, pod }: LocalVmi, writer: StatusWriter): Promise<undefined> {
    const migration = currentMigration(vmi);
    if (!vmi || !migration || !pod || isTargetBlocked(vmi)) return;
    const { recorder, host, cpus } = this.#context;
    const { address, port } = await this.incoming.expect(migration.migrationUid, key, uid);
    if (migration.targetNodeAddress === address && migration.targetDirectMigrationNodePorts?.[port] === 0) return;
    const count = dedicatedCpuCount(vmi);
    // They were taken when the launcher got ready.
    const dedicated = count > 0 ? { cpus: await cpus.claim(uid, key, count), topology: cpus.topology } : undefined;
    const at = { node: host.name, pod: pod.metadata.name, address, port, dedicated };
    await writer.vmiStatus(vmi, listeningStatus(vmi, migration, at));
    recorder.event(vmi, 'Normal', 'PreparingTarget', 'VirtualMachineInstance Migration Target Prepared.');
    const message = `Migration Target is listening at ${address}, on ports: ${port}`;
    recorder.event(vmi, 'Normal', 'PreparingTarget', message);
  }

  /** On the target, where the guest runs now: says so in its VMI and in its launcher. */
  async takeOver({ vmi, pod, uid, domain, cache }: LocalVmi, writer: StatusWriter): Promise<undefined> {
    const migration = currentMigration(vmi);
    if (!vmi || !pod || !migration || !domain) return;
    const { network, host, clock, recorder, domains, libvirt, volumes } = this.#context;
    cache.isLauncherKilled = false;
    const [xml] = await Promise.all([libvirt.calls.domainXml(domain.ref), network.arrive(uid)]);
    const disks = stayingDisks(xml, []).filter(({ path }) => volumes.sharedRoot(path) !== undefined);
    // They were its former user's until now.
    await Promise.all(disks.map(({ volume, path }) => grantDisk(vmi, volume, rawFile(path), this.#context)));
    const now = new Date(clock.now());
    const [moved] = await Promise.all([
      writer.vmiStatus(vmi, arrivedStatus(vmi, migration, host.name, now)),
      writer.podStatus(pod, preparedStatus(pod, host.address, now, network.addressesOf(uid))),
      domains.refresh(domain.ref, { rereadXml: true }),
    ]);
    recorder.event(moved, 'Normal', 'Migrated', `The VirtualMachineInstance migrated to node ${host.name}.`);
    void setGuestTime(moved, domain.ref, this.#context, this.#signal);
    await this.incoming.forget(uid);
  }

  /** On the source: begins to move the guest, or writes down how its move has ended. */
  async send(local: RunningVmi, writer: StatusWriter): Promise<Result | undefined> {
    const { vmi, uid, key } = local;
    const migration = currentMigration(vmi);
    if (!migration) return undefined;
    const { migrationUid, abortRequested } = migration;
    const sending = this.#sending.get(uid);
    if (sending?.migrationUid === migrationUid) {
      sending.isAbortRequested ||= abortRequested === true;
      if (!abortRequested || migration.abortStatus === 'Aborting') return undefined;
      this.#context.recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is aborting migration.');
      await writer.vmiStatus(vmi, withMigration(vmi, { abortStatus: 'Aborting' }));
      return undefined;
    }
    const result = this.#results.get(uid);
    if (result?.migrationUid === migrationUid) {
      // That it has moved, the target says.
      if (result.outcome === 'stayed')
        await this.#fail(local, migration, whyFailed(vmi, migration, result.reason), writer);
      this.#results.delete(uid);
      return undefined;
    }
    if (migration.startTimestamp) return this.#resume(local, migration, writer);
    if (abortRequested) return this.#fail(local, migration, ABORTED, writer);
    const first = targetOf(migration);
    // A guest with frozen file systems waits until they are thawed, which is known here.
    if (!first || local.cache.isFrozen) return undefined;
    if (this.#context.guests.isHeld(local.domain.ref)) return { requeueAfterMs: HELD_AGAIN_MS };
    if (vmi.metadata.annotations?.[FORCED_FAILURE_ANNOTATION] !== undefined) {
      await this.#writeStart(vmi, writer);
      this.#setResult(uid, migrationUid, { outcome: 'stayed', reason: FORCED_FAILURE });
      this.#context.enqueue(key);
      return undefined;
    }
    // An agent of the target that was started again may have another port.
    const peer = (): Peer => {
      const now = currentMigration(this.#find(key)?.vmi);
      return (now?.migrationUid === migrationUid ? targetOf(now) : undefined) ?? first;
    };
    // Opened while the server writes that the guest moves.
    const connections = new MoveConnections(
      { peer, migrationUid },
      { certificates: this.#certificates, thread: this.#thread },
      this.#context,
      this.#signal,
    );
    try {
      await this.#writeStart(vmi, writer);
    } catch (error) {
      await connections[Symbol.asyncDispose]();
      throw error;
    }
    this.#start(local, migration, connections, writer);
    return undefined;
  }

  async #writeStart(vmi: Vmi, writer: StatusWriter): Promise<void> {
    const { clock, recorder } = this.#context;
    const startTimestamp = timestamp(new Date(clock.now()));
    await writer.vmiStatus(vmi, withMigration(vmi, { startTimestamp, mode: 'PreCopy' }));
    recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.');
  }

  #start(local: RunningVmi, migration: HandedOver, connections: MoveConnections, writer: StatusWriter): void {
    const { uid, key } = local;
    const { migrationUid } = migration;
    const { enqueue, log, network, domains } = this.#context;
    const sending: Sending = { migrationUid, isAbortRequested: false };
    this.#sending.set(uid, sending);
    const control = {
      whyStop: () => {
        const written = writtenOutcome(this.#find(key)?.vmi, migration);
        if (written?.outcome === 'gone') return written.reason;
        return sending.isAbortRequested ? ABORTED : undefined;
      },
      onProgress: (progress: MigrationProgress) => void this.#writeProgress(key, migrationUid, progress, writer),
      onMode: (mode: MigrationMode) => void this.#writeMode(key, migrationUid, mode, writer),
      vmi: () => this.#find(key)?.vmi,
    };
    Move.run(local, migration, control, connections, this.#context, this.#signal)
      .then(async (result) => {
        // Packets for the guest are not to stay here.
        if (result.outcome === 'moved') await network.leave(uid);
        this.#setResult(uid, migrationUid, result);
      })
      .catch((error: unknown) => {
        if (this.#signal.aborted) return;
        log.error('a migration was interrupted', local.vmi, { error });
        this.#interrupted.set(uid, { migrationUid, reason: failureAt(this.#context.host.name, error) });
        // Where the guest is has to be found out.
      })
      .finally(async () => {
        // It is not ended once more by what is known from before.
        await domains.refresh(local.domain.ref).catch(() => {});
        this.#sending.delete(uid);
        enqueue(key);
      });
  }

  /** Says how far a move is. That is worth one attempt: what is true next is written next. */
  async #writeProgress(
    key: string,
    migrationUid: string,
    progress: MigrationProgress,
    writer: StatusWriter,
  ): Promise<void> {
    const vmi = this.#find(key)?.vmi;
    if (!vmi || currentMigration(vmi)?.migrationUid !== migrationUid) return;
    const annotations = { [MIGRATION_PROGRESS_ANNOTATION]: JSON.stringify(progress) };
    // Not over what others have written: a migration that has just ended has no progress any more.
    await writer.vmiAnnotations(vmi, annotations).catch((error: unknown) => {
      if (!isReason(error, 'Conflict', 'NotFound'))
        this.#context.log.warn('the progress of a migration cannot be written', vmi, { error });
    });
  }

  async #writeMode(key: string, migrationUid: string, mode: MigrationMode, writer: StatusWriter): Promise<void> {
    const { clock, log } = this.#context;
    for (let tried = 1; ; tried += 1) {
      const vmi = this.#find(key)?.vmi;
      if (!vmi || currentMigration(vmi)?.migrationUid !== migrationUid) return;
      try {
        await writer.vmiStatus(vmi, modeStatus(vmi, mode, new Date(clock.now())));
        return;
      } catch (error) {
        // Somebody else has just written; the next look shows it.
        if (!isReason(error, 'Conflict') || tried === MODE_TRIES)
          return log.warn('the mode of a migration cannot be written', vmi, { error });
      }
      await pause(MODE_AGAIN_MS, this.#signal, clock).catch(() => {});
    }
  }

  /** An earlier run of this agent, or of libvirtd, has begun: finds out where the guest is, and goes on from there. */
  async #resume(local: RunningVmi, migration: HandedOver, writer: StatusWriter): Promise<Result | undefined> {
    const { libvirt, domains } = this.#context;
    const { domain, vmi, uid } = local;
    const state = await libvirt.calls.domainState(domain.ref);
    if (mayHaveLeft(state)) {
      const answer = await this.#askOutcome(local, vmi, migration);
      if (!answer) return { requeueAfterMs: ASK_AGAIN_MS };
      const isLost = answer.outcome === 'gone' && hasLeftByPostCopy(state);
      if (answer.outcome === 'running' || isLost) {
        await libvirt.long.destroyDomain(domain.ref).catch(ignoreLibvirtError);
        await domains.refresh(domain.ref);
        return isLost ? this.#fail(local, migration, LOST_IN_POST_COPY, writer) : undefined;
      }
    }
    if (isStoppedToMove(state)) await this.goOn(local);
    else {
      const { type } = await libvirt.calls.jobStats(domain.ref);
      if (type !== 'none') {
        await libvirt.calls.abortJob(domain.ref).catch(ignoreLibvirtError);
        return { requeueAfterMs: ASK_AGAIN_MS };
      }
    }
    const interrupted = this.#interrupted.get(uid);
    const known = interrupted?.migrationUid === migration.migrationUid ? interrupted.reason : AGENT_RESTARTED;
    await this.#fail(local, migration, whyFailed(vmi, migration, known), writer);
    this.#interrupted.delete(uid);
    return undefined;
  }

  /** Has a guest go on here that stood still for its move. */
  async goOn({ domain }: Pick<RunningVmi, 'domain'>): Promise<void> {
    const { libvirt, domains } = this.#context;
    const { ref } = domain;
    await libvirt.calls
      .migrateConfirm(ref, [], Buffer.alloc(0), MigrateFlags.LIVE | MigrateFlags.CHANGE_PROTECTION, true)
      .catch(ignoreLibvirtError);
    if (isStoppedToMove(await libvirt.calls.domainState(ref))) await libvirt.calls.resumeDomain(ref);
    await domains.refresh(ref);
  }

  #askOutcome(
    local: Pick<LocalVmi, 'key' | 'uid'>,
    vmi: Vmi,
    migration: HandedOver,
  ): Promise<OutcomeAnswer | undefined> {
    return askOutcome({ ...local, vmi }, migration, this.#certificates, this.#context, this.#signal);
  }

  /** On the source, which has no domain any more: the guest has come to its target, or is lost. */
  async settle(local: LocalVmi, writer: StatusWriter): Promise<Result | undefined> {
    const { vmi, uid, key, domain } = local;
    const migration = currentMigration(vmi);
    if (!vmi || !migration) return undefined;
    const { state, reason } = domain?.state ?? { state: 'shutoff', reason: 'unknown' };
    const known = this.#results.get(uid);
    // It was to stay when it ended, for example because its VMI was deleted: no target has to be asked, nor may listen.
    const hasStayed = known?.migrationUid === migration.migrationUid && known.outcome === 'stayed';
    const hasEndedHere = hasStayed || state === 'crashed' || ['shutdown', 'crashed'].includes(reason);
    const answer: OutcomeAnswer | undefined = hasEndedHere
      ? { outcome: 'gone' }
      : await this.#askOutcome(local, vmi, migration);
    if (!answer) return { requeueAfterMs: ASK_AGAIN_MS };
    const isLost = hasStayed && known.reason === LOST_IN_POST_COPY;
    if (answer.outcome === 'gone')
      return this.#fail({ vmi }, migration, isLost ? LOST_IN_POST_COPY : GUEST_ENDED, writer);
    this.#setResult(uid, migration.migrationUid, { outcome: 'moved' });
    this.#context.enqueue(key);
    return undefined;
  }

  /** On the source, whose guest has moved: it may have ended at the target before its VMI said that it is there. */
  async confirmArrival(local: LocalVmi, writer: StatusWriter): Promise<Result | undefined> {
    const { vmi, uid } = local;
    const migration = currentMigration(vmi);
    const result = this.#results.get(uid);
    if (!vmi || !migration || !result) return undefined;
    const waitMs = result.atMs + ARRIVAL_MS - this.#context.clock.now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const answer = await this.#askOutcome(local, vmi, migration);
    // Should the target write at this moment that it has the guest, the server refuses this.
    if (answer?.outcome === 'gone') return this.#fail({ vmi }, migration, GUEST_ENDED, writer);
    return { requeueAfterMs: answer ? ARRIVAL_MS : ASK_AGAIN_MS };
  }

  #setResult(uid: string, migrationUid: string, result: MoveResult): void {
    this.#results.set(uid, { ...result, migrationUid, atMs: this.#context.clock.now() });
  }

  /** What has become of the move of a VMI's guest, as far as this agent knows. */
  sendingOf(uid: string, vmi: Vmi | undefined): 'moving' | 'moved' | 'stayed' | undefined {
    if (this.#sending.has(uid)) return 'moving';
    const result = this.#results.get(uid);
    if (!result || result.migrationUid === currentMigration(vmi)?.migrationUid) return result?.outcome;
    // It is in the VMI now.
    this.#results.delete(uid);
    return undefined;
  }

  /** A guest is to come: what takes a while to start is started. */
  prepareReception(): void {
    this.#thread.start();
  }

  /** Nothing listens any more, and what moves breaks off. */
  async close(): Promise<void> {
    await this.incoming.close();
    await this.#thread.close();
  }

  /** Nothing of a VMI's guest is here any more. */
  async forget(uid: string): Promise<void> {
    this.#interrupted.delete(uid);
    await this.incoming.forget(uid);
  }

  /** On the source: the guest stays, and why. */
  async #fail(
    { vmi }: { readonly vmi: Vmi },
    migration: HandedOver,
    reason: string,
    writer: StatusWriter,
  ): Promise<undefined> {
    const { clock, recorder } = this.#context;
    await writer.vmiStatus(vmi, failedStatus(vmi, migration, reason, new Date(clock.now())));
    recorder.event(vmi, 'Warning', 'Migrated', failureText(migration, reason));
  }
}
