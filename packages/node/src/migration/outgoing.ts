import { join } from 'node:path';
import { Node } from '@vireo/api';
import type { MigrationProgress } from '@vireo/api/kinds/kubevirt/migration.ts';
import { pause } from '@vireo/kube';
import { ConnectionError, LibvirtError, MigrateFlags, typed, XmlFlags } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { grantDisk } from '../guests/disks.ts';
import type { RunningVmi } from '../vmi/localVmi.ts';
import { hasLeftByPostCopy, LOST_IN_POST_COPY } from './arrival.ts';
import { baseDigests, haveSameBases } from './bases.ts';
import { bytesToMove } from './bytesToMove.ts';
import type { ChannelEnd } from './channels.ts';
import { writableDisks } from './domainDisks.ts';
import { moveFlags, moveParameters } from './flags.ts';
import { decideMonitor, downtimeLimitMs, type MigrationMode } from './monitor.ts';
import type { MoveConnections, OpenConnections } from './moveConnections.ts';
import { isMoved, movedSizes } from './movedVolumes.ts';
import type { Peer } from './peerClient.ts';
import {
  type BasesAnswer,
  CHANNELS,
  type Channel,
  type FinishRequest,
  type OutcomeAnswer,
  type PrepareAnswer,
  type PrepareRequest,
} from './peerProtocol.ts';
import { ProgressSchedule, progressOf } from './progress.ts';
import type { HandedOver } from './role.ts';
import { leaveSigns, rawFile, type StayingDisk, stayingDisks } from './sharedStorage.ts';

/** How a move ended on the source. */
export type MoveResult =
  /** The guest runs on the target. */
  | { readonly outcome: 'moved' }
  /** The guest stays here. */
  | { readonly outcome: 'stayed'; readonly reason: string };

/** How often a move is looked at, as in KubeVirt. */
const POLL_MS = 400;
/** Between two questions to a target that does not answer. */
const ASK_AGAIN_MS = 500;
/** As KubeVirt says it. */
export const ABORTED = 'Live migration has been aborted';
export const FORCED_FAILURE = 'Failed migration to satisfy functional test condition';
export const GUEST_ENDED = 'the guest has ended during the migration';

/** How a guest is moved, as far as that is known. */
interface Plan {
  /** libvirt's. */
  flags: number;
  /** Disks that both nodes share. */
  staying: readonly StayingDisk[];
  /** Whether libvirt has begun. */
  isBegun: boolean;
}

/** On the source, nothing else may change the domain from the beginning to the end. */
const guarded = ({ flags }: Plan): number => flags | MigrateFlags.CHANGE_PROTECTION;

/** What of a move may change from outside while it goes on. */
export interface MoveControl {
  /** Whether somebody wants it aborted. */
  isAbortRequested(): boolean;
  /** Told now and then how far a move is that takes longer than a moment. */
  onProgress(progress: MigrationProgress): void;
  /** Told of a new mode. */
  onMode(mode: MigrationMode): void;
  /** Whether the VMI is known to run on the target, whoever said so. */
  hasMoved(): boolean;
}

/** Where the target of a migration listens. */
export function targetOf(migration: HandedOver): Peer | undefined {
  const { targetNode: node, targetNodeAddress: host, targetDirectMigrationNodePorts: ports = {} } = migration;
  const port = Number(Object.keys(ports)[0]);
  return host && port > 0 ? { node, host, port } : undefined;
}

/** Moves a guest to another node. Resolves when it is certain where the guest is. */
export class Move {
  readonly #local: RunningVmi;
  readonly #migration: HandedOver;
  readonly #context: NodeContext;
  readonly #control: MoveControl;
  readonly #connections: OpenConnections;
  readonly #signal: AbortSignal;
  /** Why we have stopped it, where we have. */
  #stopReason: string | undefined;
  #isPausedByUs = false;
  #downtimeMs = 0;

  private constructor(
    local: RunningVmi,
    migration: HandedOver,
    control: MoveControl,
    connections: OpenConnections,
    context: NodeContext,
    signal: AbortSignal,
  ) {
    this.#local = local;
    this.#migration = migration;
    this.#control = control;
    this.#connections = connections;
    this.#context = context;
    this.#signal = signal;
  }

  /** Closes the connections when it is done. */
  static async run(
    local: RunningVmi,
    migration: HandedOver,
    control: MoveControl,
    connections: MoveConnections,
    context: NodeContext,
    signal: AbortSignal,
  ): Promise<MoveResult> {
    await using open = connections;
    const move = new Move(local, migration, control, await open.opened(), context, signal);
    return await move.#drive();
  }

  async #drive(): Promise<MoveResult> {
    await using cleanUp = new AsyncDisposableStack();
    const plan: Plan = { flags: 0, staying: [], isBegun: false };
    let cookie: Buffer;
    try {
      cookie = await this.#copy(plan, cleanUp);
    } catch (error) {
      const reason = await this.#giveUp(error, plan);
      await this.#keepDisks(plan);
      return { outcome: 'stayed', reason };
    }
    const result = await this.#switchOver(plan, cookie);
    if (result.outcome === 'stayed') await this.#keepDisks(plan);
    return result;
  }

  /** Copies the guest while it runs; resolves with what libvirt has to tell the target when all is there. */
  async #copy(plan: Plan, cleanUp: AsyncDisposableStack): Promise<Buffer> {
    const { domain, files, user, vmi } = this.#local;
    const { calls } = this.#connections.libvirt;
    const { migrationUid, migrationConfiguration: configuration = {} } = this.#migration;
    const sockets: Record<Channel, string> = {
      memory: join(files.sockets, 'to-memory'),
      disks: join(files.sockets, 'to-disks'),
    };
    const xml = await calls.domainXml(domain.ref, XmlFlags.MIGRATABLE | XmlFlags.SECURE);
    const disks = writableDisks(xml);
    const copiedDisks = disks.filter((disk) => disk.path.startsWith(`${files.directory}/`) || isMoved(vmi, disk));
    const copied = copiedDisks.map(({ target }) => target);
    plan.staying = stayingDisks(xml, copied);
    const { signs, remove } = await leaveSigns(plan.staying, {
      vmi,
      migrationUid,
      volumes: this.#context.volumes,
    });
    cleanUp.defer(remove);
    const [{ state, reason }, hasSameBases, sizes] = await Promise.all([
      calls.domainState(domain.ref),
      copied.length > 0 && this.#hasSameBases(),
      movedSizes(vmi, disks),
    ]);
    plan.flags = moveFlags({
      configuration,
      isPaused: state === 'paused' && reason === 'user',
      copiedDisks: copied,
      hasSameBases,
      // The target goes on only where it has found the signs.
      isShared: plan.staying.length > 0,
    });
    const parameters = moveParameters(sockets, copied, configuration);
    const toCopy = parameters.filter(({ name }) => name === 'migrate_disks');
    const begun = await calls.migrateBegin(domain.ref, toCopy, guarded(plan));
    plan.isBegun = true;
    const preparing = this.#ask<PrepareAnswer>('prepare', {
      xml: begun.xml,
      cookie: begun.cookie.toString('base64'),
      flags: plan.flags,
      copiedDisks: copied,
      signs,
      sizes,
    } satisfies PrepareRequest);
    // While the target starts a QEMU.
    const ends = CHANNELS.map((channel) => this.#offer(channel, sockets[channel], user));
    cleanUp.defer(async () => {
      await Promise.allSettled(ends.map(async (end) => (await end).close()));
    });
    const [prepared, bytes] = await Promise.all([
      preparing,
      bytesToMove(vmi, copiedDisks),
      this.#limitDowntime(0),
      ...ends,
    ]);
    const performing = calls.migratePerform(
      domain.ref,
      [...parameters, typed.string('destination_xml', begun.xml)],
      Buffer.from(prepared.cookie, 'base64'),
      guarded(plan),
    );
    return this.#perform(performing, bytes);
  }

  /** Disks on shared storage were opened to the guest's user on the target. */
  async #keepDisks({ staying }: Plan): Promise<void> {
    const { vmi, user } = this.#local;
    for (const { volume, path } of user ? staying : []) await grantDisk(vmi, volume, rawFile(path), this.#context);
  }

  /** Whether every container disk lies on the same image on both nodes, so that only what the guest wrote is copied. */
  async #hasSameBases(): Promise<boolean> {
    const { vmi, files } = this.#local;
    const [own, { digests }] = await Promise.all([
      baseDigests(vmi, files.directory),
      this.#ask<BasesAnswer>('bases', {}),
    ]);
    return haveSameBases(vmi, own, digests);
  }

  #offer(channel: Channel, path: string, user: RunningVmi['user']): Promise<ChannelEnd> {
    const { log } = this.#context;
    return this.#connections.offer({ channel, path, user }, (error) =>
      log.warn('a channel of a migration cannot be opened', this.#local.vmi, { channel, error }),
    );
  }

  /** Waits for the copy, and intervenes where it takes too long or is to be aborted. */
  async #perform(performing: Promise<{ cookie: Buffer }>, bytes: number): Promise<Buffer> {
    const { libvirt, clock } = this.#context;
    const { domain } = this.#local;
    const started = clock.now();
    let lowest = Number.POSITIVE_INFINITY;
    let progressedAt = started;
    let mode: MigrationMode = 'PreCopy';
    const schedule = new ProgressSchedule();
    let isDone = false;
    const done = performing.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    for (;;) {
      const waiting = new AbortController();
      await Promise.race([done.catch(() => {}), pause(POLL_MS, waiting.signal, clock).catch(() => {})]);
      waiting.abort();
      if (isDone) return (await done).cookie;
      if (this.#signal.aborted) throw new Error('the node agent is stopping');
      if (this.#control.isAbortRequested() && this.#stopReason === undefined) await this.#abort(ABORTED);
      const stats = await libvirt.calls.jobStats(domain.ref).catch(() => undefined);
      const now = clock.now();
      await this.#limitDowntime(stats?.parameters.number('memory_iteration') ?? 0);
      const found = stats && progressOf(stats.parameters, bytes);
      if (schedule.isDue(found, now - started)) this.#control.onProgress(found);
      const remaining = stats?.parameters.number('data_remaining') ?? lowest;
      if (remaining < lowest) [lowest, progressedAt] = [remaining, now];
      const progress = { elapsedMs: now - started, sinceProgressMs: now - progressedAt, mode, bytes };
      const decision = decideMonitor(progress, this.#migration.migrationConfiguration);
      if (decision.action === 'abort' && this.#stopReason === undefined) await this.#abort(decision.reason);
      else if (decision.action === 'startPostCopy') {
        // Too early, or just too late: what comes next tells.
        if (!(await libvirt.calls.startPostCopy(domain.ref).then(() => true, ignoreLibvirtError))) continue;
        mode = 'PostCopy';
        this.#control.onMode(mode);
      } else if (decision.action === 'pauseGuest') {
        await libvirt.calls.suspendDomain(domain.ref).catch(ignoreLibvirtError);
        this.#isPausedByUs = true;
        mode = 'Paused';
        this.#control.onMode(mode);
      }
    }
  }

  async #limitDowntime(passes: number): Promise<void> {
    const limitMs = downtimeLimitMs(passes, this.#migration.migrationConfiguration);
    if (limitMs === this.#downtimeMs) return;
    try {
      await this.#context.libvirt.calls.setMigrationMaxDowntime(this.#local.domain.ref, limitMs);
      this.#downtimeMs = limitMs;
    } catch (error) {
      // A daemon that has just started may know only the connection of the move yet: the next look sets it.
      if (!(error instanceof ConnectionError)) ignoreLibvirtError(error);
    }
  }

  async #abort(reason: string): Promise<void> {
    this.#stopReason = reason;
    // Where there is nothing to abort any more, the move has just ended.
    await this.#context.libvirt.calls.abortJob(this.#local.domain.ref).catch(ignoreLibvirtError);
  }

  /**
   * All is on the target, and the guest stands still. From now on it is the target's word where the guest goes on, and
   * nothing else: this node neither has it go on nor ends it before it knows.
   */
  async #switchOver(plan: Plan, cookie: Buffer): Promise<MoveResult> {
    const { domain, vmi } = this.#local;
    const { log } = this.#context;
    const request: FinishRequest = { cookie: cookie.toString('base64'), flags: plan.flags, isCancelled: false };
    const answer = await this.#certainOutcome(request);
    const hasMoved = answer.outcome === 'running';
    const last = Buffer.from(answer.cookie ?? '', 'base64');
    const final = hasMoved ? last : Buffer.alloc(0);
    // A daemon that is gone by now leaves the guest standing still. What is to become of it is known all the same.
    await this.#connections.libvirt.calls
      .migrateConfirm(domain.ref, [], final, guarded(plan), !hasMoved)
      .catch((error: unknown) => log.warn('the end of a migration was not confirmed', vmi, { error }));
    if (hasMoved) return { outcome: 'moved' };
    return {
      outcome: 'stayed',
      reason: await this.#remains(
        `node ${this.#migration.targetNode} could not have the guest go on: ${answer.reason ?? ''}`,
      ),
    };
  }

  /** Has a guest that stays go on if it was we who stopped it. One that has left by post-copy can only be ended. */
  async #remains(reason: string): Promise<string> {
    const { calls, long } = this.#context.libvirt;
    const { ref } = this.#local.domain;
    const isLost = await calls.domainState(ref).then(hasLeftByPostCopy, ignoreLibvirtError);
    if (isLost) await long.destroyDomain(ref).catch(ignoreLibvirtError);
    else if (this.#isPausedByUs) await calls.resumeDomain(ref).catch(ignoreLibvirtError);
    return isLost ? LOST_IN_POST_COPY : reason;
  }

  async #certainOutcome(request: FinishRequest): Promise<OutcomeAnswer> {
    const { clock, log } = this.#context;
    for (let word = 'finish', asked = 0; ; asked += 1) {
      this.#signal.throwIfAborted();
      try {
        return await this.#ask<OutcomeAnswer>(word, request);
      } catch (error) {
        if (asked % 20 === 0)
          log.warn('the target of a migration does not tell where the guest is', this.#local.vmi, { error });
        if (this.#control.hasMoved()) return { outcome: 'running' };
        const { targetNode } = this.#migration;
        if (await isOutOfService(targetNode, this.#context))
          return { outcome: 'gone', reason: `node ${targetNode} is out of service` };
      }
      word = 'outcome';
      await pause(ASK_AGAIN_MS, this.#signal, clock);
    }
  }

  /** The guest stays: what was made on the target goes. */
  async #giveUp(error: unknown, plan: Plan): Promise<string> {
    const { log } = this.#context;
    const { domain, vmi } = this.#local;
    this.#signal.throwIfAborted();
    let cause: string | undefined;
    if (plan.isBegun) {
      const request: FinishRequest = { cookie: '', flags: plan.flags, isCancelled: true };
      try {
        cause = (await this.#ask<OutcomeAnswer>('finish', request)).reason;
      } catch (failure) {
        log.warn('the target of a migration that has failed does not answer', vmi, { error: failure });
      }
      // Where the copy has failed, libvirt has ended the migration by itself.
      await this.#connections.libvirt.calls
        .migrateConfirm(domain.ref, [], Buffer.alloc(0), guarded(plan), true)
        .catch(() => {});
    }
    const text = error instanceof Error ? error.message : String(error);
    log.warn('a migration has failed', vmi, { error });
    const full = cause === undefined ? text : `${text}: node ${this.#migration.targetNode}: ${cause}`;
    return this.#remains(this.#stopReason ?? (text.includes('canceled by client') ? ABORTED : full));
  }

  async #ask<T>(word: string, body: object): Promise<T> {
    return (await this.#connections.target.ask(word, body)) as T;
  }
}

/** Whether somebody has said that a node is off. As everywhere, that counts for a node that does not report. */
export async function isOutOfService(name: string, { client }: Pick<NodeContext, 'client'>): Promise<boolean> {
  const node = await client.of(Node).find(name);
  const isReady = node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return !isReady && (node?.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') ?? false);
}

export function ignoreLibvirtError(error: unknown): undefined {
  if (!(error instanceof LibvirtError)) throw error;
}
