import { join } from 'node:path';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { LibvirtError, MigrateFlags, type TypedParameter, typed, XmlFlags } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { readVmi } from '../fencing/readVmi.ts';
import { grantDisk } from '../guests/disks.ts';
import type { RunningVmi } from '../vmi/localVmi.ts';
import { hasLeftByPostCopy, isKeptPaused, LOST_IN_POST_COPY, whyNotMove } from './arrival.ts';
import { baseDigests, haveSameBases } from './bases.ts';
import { bytesToMove } from './bytesToMove.ts';
import { certainOutcome } from './certainOutcome.ts';
import type { ChannelEnd } from './channels.ts';
import { ABORTED, type CopyControl, CopyWatch } from './copyWatch.ts';
import { writableDisks } from './domainDisks.ts';
import { moveFlags, moveParameters } from './flags.ts';
import { preparationLimitMs } from './monitor.ts';
import type { MoveConnections, OpenConnections } from './moveConnections.ts';
import { isMoved, movedSizes } from './movedVolumes.ts';
import { ANSWER_MS, type Patience, type Peer } from './peerClient.ts';
import {
  type BasesAnswer,
  CHANNELS,
  type Channel,
  type FinishRequest,
  type OutcomeAnswer,
  type PrepareAnswer,
  type PrepareRequest,
} from './peerProtocol.ts';
import { type HandedOver, hasMoved, writtenOutcome } from './role.ts';
import { leaveSigns, rawFile, type StayingDisk, stayingDisks } from './sharedStorage.ts';
import { failureAt } from './status.ts';
import { unlessStopped } from './unlessStopped.ts';

/** How a move ended on the source. */
export type MoveResult =
  /** The guest runs on the target. */
  | { readonly outcome: 'moved' }
  /** The guest stays here. */
  | { readonly outcome: 'stayed'; readonly reason: string };

/** Of questions that nobody answers, so many are told of by one. */
const TOLD_OF = 20;
/** libvirt's word on the end of a move that has failed is worth a wait, but it decides nothing. */
const CONFIRM_MS = 30_000;
/** As KubeVirt says it. */
export const FORCED_FAILURE = 'Failed migration to satisfy functional test condition';
const PAUSED_MEANWHILE = 'the guest was paused or resumed when its migration began';
export const GUEST_ENDED = 'the guest has ended during the migration';

/** How a guest is moved, as far as that is known. */
interface Plan {
  /** libvirt's. */
  flags: number;
  /** Disks that both nodes share. */
  staying: readonly StayingDisk[];
  /** Whether libvirt may have begun. */
  isBegun: boolean;
  /** What there is to move, by which its time is limited. */
  bytes: number;
}

/** What libvirt needs for the copy. */
interface PreparedCopy {
  readonly parameters: readonly TypedParameter[];
  readonly cookie: Buffer;
}

/** On the source, nothing else may change the domain from the beginning to the end. */
const guarded = ({ flags }: Plan): number => flags | MigrateFlags.CHANGE_PROTECTION;

/** What of a move may change from outside while it goes on. */
export interface MoveControl extends Omit<CopyControl, 'onError'> {
  /** The VMI as it is known now. */
  vmi(): Vmi | undefined;
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
  readonly #watch: CopyWatch;

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
    const { libvirt, clock, log } = context;
    const onError = (what: string, error: unknown): void =>
      log.warn(`cannot ${what}; it is tried again`, local.vmi, { error });
    this.#watch = new CopyWatch({
      domain: local.domain.ref,
      calls: libvirt.calls,
      configuration: migration.migrationConfiguration,
      control: { ...control, onError },
      clock,
      signal,
    });
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
    const plan: Plan = { flags: 0, staying: [], isBegun: false, bytes: 0 };
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
    const { clock } = this.#context;
    const startedMs = clock.now();
    const { parameters, cookie } = await unlessStopped(
      (signal) => this.#prepare(plan, cleanUp, signal),
      () => this.#whyStop(plan, clock.now() - startedMs),
      { clock, signal: this.#signal },
    );
    const { calls } = this.#connections.libvirt;
    const performing = calls.migratePerform(this.#local.domain.ref, parameters, cookie, guarded(plan));
    return this.#watch.wait(performing, plan.bytes);
  }

  /** Why the copy is not to begin. */
  #whyStop({ bytes }: Plan, elapsedMs: number): string | undefined {
    const limitMs = preparationLimitMs(bytes, this.#migration.migrationConfiguration);
    const isLate = elapsedMs > limitMs;
    this.#watch.stopReason =
      this.#control.whyStop() ??
      (isLate
        ? `node ${this.#migration.targetNode} was not ready for the guest within ${limitMs / 1000} s`
        : undefined);
    return this.#watch.stopReason;
  }

  /** Has the target make everything ready. */
  async #prepare(plan: Plan, cleanUp: AsyncDisposableStack, signal: AbortSignal): Promise<PreparedCopy> {
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
    await atTheEnd(cleanUp, remove);
    const [state, hasSameBases, sizes, bytes] = await Promise.all([
      calls.domainState(domain.ref),
      copied.length > 0 && this.#hasSameBases(signal),
      movedSizes(vmi, disks),
      bytesToMove(vmi, copiedDisks),
    ]);
    const why = whyNotMove(state);
    if (why !== undefined) throw new Error(why);
    plan.bytes = bytes;
    plan.flags = moveFlags({
      configuration,
      isPaused: isKeptPaused(state),
      copiedDisks: copied,
      hasSameBases,
      // The target goes on only where it has found the signs.
      isShared: plan.staying.length > 0,
    });
    const parameters = moveParameters(sockets, copied, configuration);
    const toCopy = parameters.filter(({ name }) => name === 'migrate_disks');
    signal.throwIfAborted();
    plan.isBegun = true;
    const begun = await calls.migrateBegin(domain.ref, toCopy, guarded(plan));
    signal.throwIfAborted();
    // From now on nobody pauses it or has it go on. Until now somebody may have.
    const now = await calls.domainState(domain.ref);
    if ((now.state === 'paused') !== (state.state === 'paused')) throw new Error(PAUSED_MEANWHILE);
    const request: PrepareRequest = {
      xml: begun.xml,
      cookie: begun.cookie.toString('base64'),
      flags: plan.flags,
      copiedDisks: copied,
      signs,
      sizes,
    };
    const preparing = this.#ask<PrepareAnswer>('prepare', request, { signal });
    // While the target starts a QEMU.
    const ends = CHANNELS.map((channel) => this.#offer(channel, sockets[channel], user));
    await atTheEnd(cleanUp, async () => {
      await Promise.allSettled(ends.map(async (end) => (await end).close()));
    });
    const [prepared] = await Promise.all([preparing, this.#watch.limitDowntime(0), ...ends]);
    return {
      parameters: [...parameters, typed.string('destination_xml', begun.xml)],
      cookie: Buffer.from(prepared.cookie, 'base64'),
    };
  }

  /** Disks on shared storage were opened to the guest's user on the target. */
  async #keepDisks({ staying }: Plan): Promise<void> {
    const { vmi, user } = this.#local;
    for (const { volume, path } of user ? staying : []) await grantDisk(vmi, volume, rawFile(path), this.#context);
  }

  /** Whether every container disk lies on the same image on both nodes, so that only what the guest wrote is copied. */
  async #hasSameBases(signal: AbortSignal): Promise<boolean> {
    const { vmi, files } = this.#local;
    const [own, { digests }] = await Promise.all([
      baseDigests(vmi, files.directory),
      this.#ask<BasesAnswer>('bases', {}, { signal }),
    ]);
    return haveSameBases(vmi, own, digests);
  }

  #offer(channel: Channel, path: string, user: RunningVmi['user']): Promise<ChannelEnd> {
    const { log } = this.#context;
    return this.#connections.offer({ channel, path, user }, (error) =>
      log.warn('a channel of a migration cannot be opened', this.#local.vmi, { channel, error }),
    );
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
    else if (this.#watch.isPausedByUs) await calls.resumeDomain(ref).catch(ignoreLibvirtError);
    return isLost ? LOST_IN_POST_COPY : reason;
  }

  #certainOutcome(request: FinishRequest): Promise<OutcomeAnswer> {
    const { clock, log } = this.#context;
    let asked = 0;
    let silences = 0;
    const ask = (signal: AbortSignal): Promise<OutcomeAnswer> => {
      asked += 1;
      return this.#ask(asked === 1 ? 'finish' : 'outcome', request, { timeoutMs: ANSWER_MS, signal });
    };
    const onSilence = (error: unknown): void => {
      if (silences % TOLD_OF === 0)
        log.warn('the target of a migration does not tell where the guest is', this.#local.vmi, { error });
      silences += 1;
    };
    return certainOutcome({ ask, elsewhere: () => this.#heard(), onSilence }, { clock, signal: this.#signal });
  }

  /** Where the guest is by the word of others than the target; undefined while nobody else knows. */
  async #heard(): Promise<OutcomeAnswer | undefined> {
    const { key, uid } = this.#local;
    if (hasMoved(this.#control.vmi(), this.#migration)) return { outcome: 'running' };
    return writtenOutcome(await readVmi(this.#context.client, key, uid), this.#migration);
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
        cause = (await this.#ask<OutcomeAnswer>('finish', request, { timeoutMs: ANSWER_MS })).reason;
      } catch (failure) {
        log.warn('the target of a migration that has failed does not answer', vmi, { error: failure });
      }
      // Where the copy has failed, libvirt has ended the migration by itself.
      await this.#connections.libvirt.calls
        .migrateConfirm(domain.ref, [], Buffer.alloc(0), guarded(plan), true, { timeoutMs: CONFIRM_MS })
        .catch(() => {});
    }
    const text = failureAt(this.#context.host.name, error);
    log.warn('a migration has failed', vmi, { error });
    const full = cause === undefined ? text : `${text}: node ${this.#migration.targetNode}: ${cause}`;
    return this.#remains(this.#watch.stopReason ?? (text.includes('canceled by client') ? ABORTED : full));
  }

  async #ask<T>(word: string, body: object, patience: Patience): Promise<T> {
    return (await this.#connections.target.ask(word, body, patience)) as T;
  }
}

/** Has something removed at the end: now, where that has come while it was made. */
async function atTheEnd(cleanUp: AsyncDisposableStack, remove: () => Promise<void>): Promise<void> {
  if (cleanUp.disposed) await remove();
  else cleanUp.defer(remove);
}

export function ignoreLibvirtError(error: unknown): undefined {
  if (!(error instanceof LibvirtError)) throw error;
}
