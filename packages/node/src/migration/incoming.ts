import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, conflict, hasEnded, isDeleting, notFound, pathNotFound } from '@vireo/api';
import { isTargetGivenUp } from '@vireo/api/kinds/kubevirt/migration.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { domainName } from '@vireo/hypervisor';
import { parseKey } from '@vireo/kube';
import { ConnectionError, type DomainRef, isLibvirtError, LibvirtError, MigrateFlags, typed } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { exists } from '../exists.ts';
import { readVmi } from '../fencing/readVmi.ts';
import type { GuestUser } from '../guests/range.ts';
import { Turns } from '../turns.ts';
import { isDomainActive } from '../vmi/decide.ts';
import { confineGuest, describeDomain, type LaunchedVmi } from '../vmi/describeDomain.ts';
import { destroy } from '../vmi/destroy.ts';
import type { VmiFiles } from '../vmi/files.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import type { StatusWriter } from '../vmi/statusWriter.ts';
import { firmwareFile, firmwareNeeds, readDescriptions } from '../vmi/uefiTemplate.ts';
import { adoptDomain } from './adoptDomain.ts';
import { hasArrived, isComingByPostCopy } from './arrival.ts';
import { baseDigests } from './bases.ts';
import { ABORTED } from './copyWatch.ts';
import { complaintsSince, endOfLog } from './emulatorMessages.ts';
import { moveParameters, targetFlags } from './flags.ts';
import { withMovedDisks } from './movedVolumes.ts';
import type { PeerCertificates } from './peerCertificates.ts';
import type {
  BasesAnswer,
  Channel,
  FinishRequest,
  OutcomeAnswer,
  PrepareAnswer,
  PrepareRequest,
} from './peerProtocol.ts';
import { pluggedDisks } from './pluggedDisks.ts';
import { finishReception, type Reception } from './reception.ts';
import { currentMigration, type HandedOver } from './role.ts';
import { expectSigns, stayingDisks } from './sharedStorage.ts';
import { failureAt, withMigration } from './status.ts';
import type { ChannelSocket } from './streamProtocol.ts';
import type { Listening, PeerRequests, StreamThread } from './streamThread.ts';

/** A VMI that is to come. */
interface Expected {
  readonly key: string;
  readonly uid: string;
}

const LISTEN_AGAIN_MS = 1_000;

const VMIS = { group: 'kubevirt.io', resource: 'virtualmachineinstances' };

/** Guests that come to this node. */
export class IncomingMigrations implements PeerRequests {
  readonly #context: NodeContext;
  readonly #certificates: PeerCertificates;
  readonly #thread: StreamThread;
  readonly #find: (key: string) => LocalVmi | undefined;
  /** The keys of VMIs whose migrations were handed over to this node, by migration. */
  readonly #expected = new Map<string, Expected>();
  /** By the VMI's uid. */
  readonly #receptions = new Map<string, Reception>();
  /** Why guests did not come, by the VMI's uid. */
  readonly #problems = new Map<string, string>();
  /** The uids of VMIs whose domains are being made. */
  readonly #preparing = new Set<string>();
  readonly #turns = new Turns();
  #server: Promise<Listening> | undefined;

  constructor(
    context: NodeContext,
    certificates: PeerCertificates,
    thread: StreamThread,
    find: (key: string) => LocalVmi | undefined,
  ) {
    this.#context = context;
    this.#certificates = certificates;
    this.#thread = thread;
    this.#find = find;
  }

  /** Whether the domain of a VMI is here because its guest is on its way. */
  isReceiving(uid: string): boolean {
    return this.#receptions.has(uid) || this.#preparing.has(uid);
  }

  /** Listens for the source of a migration, and tells where. */
  async expect(migrationUid: string, key: string, uid: string): Promise<{ address: string; port: number }> {
    this.#expected.set(migrationUid, { key, uid });
    const { host } = this.#context;
    this.#server ??= this.#listen();
    return { address: host.address, port: (await this.#server).port };
  }

  #listen(): Promise<Listening> {
    const { host, log } = this.#context;
    const report = (path: string, error: unknown): void =>
      log.error('a request of another node failed', undefined, { path, error });
    const listening = this.#certificates
      .serving()
      .then((credentials) => this.#thread.listen(host.address, credentials, this, report));
    listening.then(
      ({ ended }) => void ended.then(() => this.#listenAgain(listening)),
      () => this.#stopped(listening),
    );
    return listening;
  }

  #stopped(listening: Promise<Listening>): boolean {
    if (this.#server !== listening) return false;
    this.#server = undefined;
    return true;
  }

  /** Whoever brings a guest asks until it is answered, maybe with the guest standing still. */
  #listenAgain(lost: Promise<Listening>): void {
    const { clock, log, enqueue } = this.#context;
    if (!this.#stopped(lost)) return;
    log.error('the thread that listens for other nodes has ended; it is started again', undefined, {});
    clock.after(LISTEN_AGAIN_MS, () => {
      // It may have another port.
      for (const [migrationUid, { key, uid }] of this.#expected)
        void this.expect(migrationUid, key, uid).then(
          () => enqueue(key),
          () => enqueue(key),
        );
    });
  }

  /** A VMI is no longer to come: it has come, or will not. */
  async forget(uid: string): Promise<void> {
    for (const [migrationUid, expected] of this.#expected)
      if (expected.uid === uid) this.#expected.delete(migrationUid);
    const reception = this.#receptions.get(uid);
    this.#receptions.delete(uid);
    this.#problems.delete(uid);
    await reception?.connection.close();
    if (this.#expected.size === 0) await this.close();
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.then(
      (listening) => listening.close(),
      () => {},
    );
  }

  async call(caller: string, migrationUid: string, word: string, body: unknown): Promise<object> {
    const expected = this.#expected.get(migrationUid);
    if (!expected) throw notFound(VMIS, migrationUid);
    return this.#turns.take(expected.uid, async () => {
      switch (word) {
        case 'bases': {
          const { local } = await this.#authorized(caller, migrationUid);
          return { digests: await baseDigests(local.vmi, local.files.directory) } satisfies BasesAnswer;
        }
        case 'prepare':
          return this.#prepare(await this.#authorized(caller, migrationUid), body as PrepareRequest);
        case 'finish': {
          // The guest stands still meanwhile: who began it may end it, without another question to the server.
          const reception = this.#receptions.get(expected.uid);
          if (reception?.migrationUid === migrationUid && reception.source === caller)
            return this.#finish(expected, reception, body as FinishRequest);
          return this.#told(expected, await this.#authorized(caller, migrationUid));
        }
        case 'outcome':
          return this.#told(expected, await this.#authorized(caller, migrationUid));
        default:
          throw pathNotFound();
      }
    });
  }

  async open(caller: string, migrationUid: string, channel: Channel): Promise<ChannelSocket> {
    const { local } = await this.#authorized(caller, migrationUid);
    const reception = this.#receptions.get(local.uid);
    if (reception?.migrationUid !== migrationUid) throw notFound(VMIS, local.vmi.metadata.name);
    return { path: reception.sockets[channel], uid: reception.user?.uid };
  }

  /** The VMI of a migration as the server has it now, if it is the caller's guest that is to come here. */
  async #authorized(caller: string, migrationUid: string): Promise<{ local: LaunchedVmi; migration: HandedOver }> {
    const { key, uid } = this.#expected.get(migrationUid) ?? { key: '', uid: '' };
    const { client, host } = this.#context;
    const vmi = key ? await readVmi(client, key, uid) : undefined;
    const migration = currentMigration(vmi);
    const isTheirs =
      migration?.migrationUid === migrationUid && migration.sourceNode === caller && migration.targetNode === host.name;
    if (!vmi || !isTheirs)
      throw new ApiError('Forbidden', `migration ${migrationUid} does not bring a guest of node ${caller} here`);
    const local = this.#find(key);
    if (local?.uid !== uid || !local.pod || local.pod.metadata.name !== migration.targetPod)
      throw conflict(VMIS, vmi.metadata.name, `its launcher pod ${migration.targetPod} is not on node ${host.name}`);
    return { local: { ...local, vmi, pod: local.pod }, migration };
  }

  async #prepare(
    { local, migration }: { local: LaunchedVmi; migration: HandedOver },
    { xml: theirs, cookie, flags, copiedDisks, signs, sizes = {} }: PrepareRequest,
  ): Promise<PrepareAnswer> {
    const { libvirt, domains, host, users, layout, fence } = this.#context;
    const { vmi, uid } = local;
    if (isTargetGivenUp(vmi) || !fence.mayStart())
      throw conflict(VMIS, vmi.metadata.name, `node ${host.name} was given up, and does not take the guest any more`);
    if (migration.abortRequested) throw conflict(VMIS, vmi.metadata.name, 'the migration is to be aborted');
    if (this.#receptions.has(uid)) throw conflict(VMIS, vmi.metadata.name, 'the guest is on its way already');
    const {
      xml: own,
      files,
      user,
    } = await describeDomain(local, this.#context, await pluggedDisks(local, this.#context));
    const needs = firmwareNeeds(vmi, host.architecture);
    const adopted = adoptDomain(own, theirs, needs && firmwareFile(needs, await readDescriptions()));
    const xml = await withMovedDisks(vmi, adopted, sizes).catch((error: Error) => {
      throw new ApiError('Conflict', error.message);
    });
    const staying = stayingDisks(xml, copiedDisks);
    const { migrationUid } = migration;
    await expectSigns(signs, staying, { vmi, migrationUid, volumes: this.#context.volumes });
    const unshared = staying.find(({ volume }) => !Object.hasOwn(signs, volume));
    // Not copied and not shared: the guest would find an empty disk.
    if (unshared)
      throw conflict(VMIS, vmi.metadata.name, `node ${migration.sourceNode} does not send ${unshared.volume}`);
    const sockets = channelSockets(files, user);
    for (const path of Object.values(sockets)) await rm(path, { force: true });
    if (flags & MigrateFlags.POSTCOPY && user && (await exists(USERFAULTFD))) await users?.openDevice(USERFAULTFD);
    const log = await endOfLog(layout, local.key);
    const connection = await libvirt.reserve();
    this.#preparing.add(uid);
    try {
      const parameters = [...moveParameters(sockets, copiedDisks), typed.string('destination_xml', xml)];
      const prepared = await connection.calls.migratePrepare(
        parameters,
        Buffer.from(cookie, 'base64'),
        targetFlags(flags),
      );
      const domain = domainOf(local);
      const { sourceNode: source } = migration;
      this.#receptions.set(uid, { migrationUid, source, connection, sockets, user, domain, log });
      await Promise.all([domains.refresh(domain), confineGuest(local, this.#context)]);
      return { cookie: prepared.cookie.toString('base64') };
    } catch (error) {
      this.#receptions.delete(uid);
      await connection.close();
      if (error instanceof LibvirtError) throw new ApiError('Conflict', preparationProblem(error.message, host.name));
      if (error instanceof ConnectionError) throw new ApiError('Conflict', failureAt(host.name, error));
      throw error;
    } finally {
      this.#preparing.delete(uid);
    }
  }

  #finish(expected: Expected, reception: Reception, request: FinishRequest): Promise<OutcomeAnswer> {
    const { network, domains, enqueue, log, fence } = this.#context;
    const { uid, key } = expected;
    const about = { kind: 'VirtualMachineInstance', ...parseKey(key) };
    return finishReception(reception, request, {
      mayStart: () => fence.mayStart(),
      arrive: () => network.arrive(uid),
      outcome: (problem) => this.#outcome(expected, { problem }),
      refresh: () => domains.refresh(reception.domain),
      forget: () => {
        this.#receptions.delete(uid);
        enqueue(key);
      },
      onError: (what, error) => log.warn(what, about, { error }),
    });
  }

  /**
   * The launcher of a guest that was to come has ended, and nobody listens for its source any more: the VMI says so to a
   * source that asks only later, because its host was off. False where the guest has come.
   */
  async withdraw({ key, uid, vmi, pod }: LocalVmi, writer: StatusWriter): Promise<boolean> {
    const { host, domains } = this.#context;
    const migration = currentMigration(vmi);
    if (!vmi || !migration || isFinal(vmi) || migration.failureReason !== undefined) return true;
    const isComing = vmi.status?.nodeName === migration.sourceNode && migration.targetNode === host.name;
    const isOver = pod && (isDeleting(pod) || hasEnded(pod));
    if (!isComing || !isOver || migration.targetPod !== pod.metadata.name) return true;
    return this.#turns.take(uid, async () => {
      const { outcome } = await this.#outcome({ key, uid }, {});
      if (outcome === 'running') {
        await domains.refresh(domainOf({ key, uid }));
        return false;
      }
      // Whoever brings the guest begins no more.
      this.#expected.delete(migration.migrationUid);
      const failureReason = migration.abortRequested ? ABORTED : launcherEnded(host.name);
      await writer.vmiStatus(vmi, withMigration(vmi, { failureReason }));
      return true;
    });
  }

  /** Ends a domain whose guest does not come, unless it has come by now: meanwhile nobody has it go on. */
  discard(local: Pick<LocalVmi, 'uid' | 'vmi' | 'domain' | 'cache'>): Promise<undefined> {
    const { libvirt, domains } = this.#context;
    return this.#turns.take(local.uid, async () => {
      if (!local.domain) return undefined;
      const { ref } = local.domain;
      const state = await libvirt.calls.domainState(ref).catch((error: unknown) => {
        if (!isLibvirtError(error, 'NO_DOMAIN')) throw error;
        return undefined;
      });
      const isWaiting = isDomainActive(state) && !hasArrived(state) && !isComingByPostCopy(state);
      if (isWaiting) return destroy(local, this.#context);
      await domains.refresh(ref);
      return undefined;
    });
  }

  #told(expected: Expected, { local: { vmi } }: { local: LaunchedVmi }): Promise<OutcomeAnswer> {
    // The source may have had the guest go on by now.
    return this.#outcome(expected, { mustEnd: isTargetGivenUp(vmi) });
  }

  /**
   * Where the guest is, by what libvirt says now. `problem`: why it did not come, where that was just said. `mustEnd`: whether
   * it is not to be here even if it has come.
   */
  async #outcome(
    { uid, key }: Expected,
    { problem, mustEnd = false }: { readonly problem?: string; readonly mustEnd?: boolean },
  ): Promise<OutcomeAnswer> {
    const { libvirt, enqueue } = this.#context;
    const reception = this.#receptions.get(uid);
    // Whoever asks again, because an answer was lost, is to hear the same.
    const known = (await complaintsSince(reception?.log)) ?? problem ?? this.#problems.get(uid);
    if (known !== undefined) this.#problems.set(uid, known);
    const ref = domainOf({ key, uid });
    try {
      const state = await libvirt.calls.domainState(ref);
      if (hasArrived(state) && !mustEnd) return { outcome: 'running' };
      if (isComingByPostCopy(state) && !mustEnd) throw conflict(VMIS, parseKey(key).name, 'its memory is on its way');
      if (!isDomainActive(state))
        return { outcome: 'gone', reason: known ?? `its domain is ${state.state} (${state.reason})` };
      // Its source asks when its move is over, or was lost with its host: nobody can finish it any more, and nobody is to.
      await libvirt.long.destroyDomain(ref);
      this.#receptions.delete(uid);
      await reception?.connection.close();
      enqueue(key);
    } catch (error) {
      if (!isLibvirtError(error, 'NO_DOMAIN', 'OPERATION_INVALID')) throw error;
    }
    return { outcome: 'gone', reason: known ?? 'there is no domain for it' };
  }
}

const launcherEnded = (node: string): string => `the launcher on node ${node} has ended before the guest came`;

function domainOf({ key, uid }: Expected): DomainRef {
  const { namespace = '', name } = parseKey(key);
  return { name: domainName(namespace, name), uuid: uid, id: -1 };
}

/** With this QEMU 8.0 and later catch accesses to memory that is not there yet, as post-copy needs. */
const USERFAULTFD = '/dev/userfaultfd';

/** Why a domain cannot be prepared, and what an administrator can do about it. */
const preparationProblem = (message: string, node: string): string =>
  /post-?copy is not supported/i.test(message)
    ? `post-copy is not possible: the kernel of node ${node} does not let QEMU handle page faults. Allow it there ` +
      '(sysctl -w vm.unprivileged_userfaultfd=1), install QEMU 8.0 or newer, or set allowPostCopy to false'
    : message;

/** QEMU listens on these itself, so they are where it may create files. */
export const channelSockets = (
  { own, sockets }: Pick<VmiFiles, 'own' | 'sockets'>,
  user: GuestUser | undefined,
): Record<Channel, string> => {
  const directory = user ? own : sockets;
  return { memory: join(directory, 'memory'), disks: join(directory, 'disks') };
};
