import { isDeleting, isReason, type Persisted, Pod, timestamp } from '@vireo/api';
import { ATTACHMENT_SELECTOR, launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { FORCED_FAILURE_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isFinal, QEMU_USER, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  type Client,
  type Clock,
  type ControllerMetrics,
  type EventRecorder,
  Informers,
  keyOf,
  type Log,
  type Result,
  runController,
  WorkQueue,
  watch,
} from '@vireo/kube';
import { ABORTED } from '../migration/copyWatch.ts';
import { FORCED_FAILURE, GUEST_ENDED } from '../migration/outgoing.ts';
import { FIRST_PORT } from '../migration/peerServer.ts';
import { currentMigration, isTargetBlocked, migrationRole } from '../migration/role.ts';
import { arrivedStatus, failedStatus, failureText, listeningStatus, withMigration } from '../migration/status.ts';
import { decide } from '../vmi/decide.ts';
import { currentLauncher, vmiKey, vmiUid } from '../vmi/launcher.ts';
import type { MigrationSite } from '../vmi/migratable.ts';
import {
  endedPodStatus,
  gatedStatus,
  isWaiting,
  preparedStatus,
  runningAttachment,
  SIMULATED_CRASH,
  waitingTargetStatus,
} from '../vmi/podStatus.ts';
import { StatusWriter } from '../vmi/statusWriter.ts';
import { endedStatus, runningStatus } from '../vmi/vmiStatus.ts';
import type { StageName } from './stages.ts';
import { adoptStub, advance, beginStage, copyMs, type Stub, stubView } from './stub.ts';

const CONCURRENCY = 16;
/** Nobody listens there: the address is one for documentation. */
const ADDRESS = '192.0.2.1';
/** Nothing of a stub is of its node. */
const SITE: MigrationSite = { podNetwork: 'routed', isSharedClaim: () => true };
const CONFLICT_MS = 10;
/** Before the key of an attachment pod; no namespace begins so. */
const ATTACHMENT = 'attachment:';

/** Whether two launchers are of one guest on one node: one of them is of an earlier stay. */
const isSamePlace = (a: Persisted<Pod>, b: Persisted<Pod>): boolean =>
  vmiUid(a) === vmiUid(b) && a.spec?.nodeName === b.spec?.nodeName;

export interface SimulationContext {
  readonly client: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}

interface SimulatedVmi {
  readonly uid: string;
  readonly vmi: Vmi | undefined;
  readonly pod: Persisted<Pod> | undefined;
}

/** Runs the VMIs of all simulated nodes, however many there are. It decides as real nodes do. */
export class SimulatedVmiController {
  readonly #context: SimulationContext;
  readonly #names: ReadonlySet<string>;
  readonly #queue: WorkQueue;
  readonly #writer: StatusWriter;
  readonly #informers: Informers;
  readonly #pods;
  readonly #attachments;
  readonly #vmis;
  /** By uid. */
  readonly #stubs = new Map<string, Stub>();

  constructor(context: SimulationContext, names: ReadonlySet<string>) {
    this.#context = context;
    this.#names = names;
    this.#queue = new WorkQueue({ clock: context.clock });
    this.#writer = new StatusWriter({ client: context.client, kubelet: context.client });
    this.#informers = new Informers(context.client, { log: context.log, clock: context.clock });
    this.#pods = this.#informers.for(Pod, {
      labelSelector: LAUNCHER_SELECTOR,
      indexes: {
        vmi: (pod) => (this.#isOurs(pod) ? [vmiKey(pod) ?? ''] : []),
        node: (pod) => (this.#isOurs(pod) ? [pod.spec?.nodeName ?? ''] : []),
      },
    });
    this.#attachments = this.#informers.for(Pod, {
      labelSelector: ATTACHMENT_SELECTOR,
      indexes: { launcher: (pod) => [launcherOf(pod)?.uid ?? []].flat() },
    });
    this.#vmis = this.#informers.for(VirtualMachineInstance);
  }

  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const keyOfPod = (pod: Persisted<Pod>): string | undefined => (this.#isOurs(pod) && vmiKey(pod)) || undefined;
    const forget = (pod: Persisted<Pod>): string | undefined => {
      const key = keyOfPod(pod);
      this.#writer.pods.forget(pod.metadata.uid);
      // A guest that has moved has another launcher.
      if (this.#pods.byIndex('vmi', key ?? '').some((other) => vmiUid(other) === vmiUid(pod))) return key;
      this.#stubs.delete(vmiUid(pod));
      this.#writer.vmis.forget(vmiUid(pod));
      return key;
    };
    const ended = runController(
      {
        name: 'simulated',
        concurrency: CONCURRENCY,
        queue: this.#queue,
        for: this.#vmis,
        watches: [
          watch(this.#pods, { changed: keyOfPod, deleted: forget }),
          watch(this.#attachments, (pod) => (this.#isOurs(pod) ? `${ATTACHMENT}${keyOf(pod)}` : undefined)),
        ],
        reconcile: (key) => this.#reconcile(key),
      },
      this.#context,
      signal,
    );
    this.#informers.start(signal);
    await this.#informers.whenSynced();
    return { ended };
  }

  /** The stub behind a VMI that runs here. */
  stubOf(key: string): Stub | undefined {
    const uid = this.#vmis.get(key)?.metadata.uid ?? '';
    const stub = this.#stubs.get(uid);
    return stub && advance(stub, this.#context.clock.now());
  }

  /** Changes what a VMI's guest is, as its user asks. */
  change(key: string, change: (stub: Stub) => Stub): void {
    const uid = this.#vmis.get(key)?.metadata.uid ?? '';
    const stub = this.stubOf(key);
    if (!stub) return;
    this.#stubs.set(uid, change(stub));
    this.#queue.add(key);
  }

  pod(namespace: string, name: string): Persisted<Pod> | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  /** The launchers on a node whose guests would run, with their VMIs. */
  runningOn(nodeName: string): { pod: Persisted<Pod>; vmi: Vmi; stub: Stub }[] {
    return this.#pods.byIndex('node', nodeName).flatMap((pod) => {
      const key = vmiKey(pod) ?? '';
      const vmi = this.#vmis.get(key);
      const stub = this.stubOf(key);
      return vmi && vmi.metadata.uid === vmiUid(pod) && stub?.domain ? [{ pod, vmi, stub }] : [];
    });
  }

  #isOurs = ({ spec }: Persisted<Pod>): boolean => this.#names.has(spec?.nodeName ?? '');

  async #reconcile(key: string): Promise<Result | undefined> {
    if (key.startsWith(ATTACHMENT)) return this.#attach(key.slice(ATTACHMENT.length));
    const launchers = this.#pods.byIndex('vmi', key);
    const isCurrent = (pod: Persisted<Pod>): boolean =>
      pod === currentLauncher(launchers.filter((each) => isSamePlace(each, pod)));
    const pods = launchers.filter(isCurrent);
    for (const pod of launchers) if (isDeleting(pod) && !isCurrent(pod)) await this.#writer.removePod(pod);
    const current = this.#vmis.get(key);
    const uid = current?.metadata.uid;
    const vmis = pods.map((pod): SimulatedVmi => {
      const own = vmiUid(pod);
      const vmi = own === uid ? this.#writer.vmis.newest(current) : undefined;
      return { uid: own, vmi, pod: this.#writer.pods.newest(pod) };
    });
    try {
      const waits: number[] = [];
      for (const local of vmis) waits.push((await this.#step(local))?.requeueAfterMs ?? Number.POSITIVE_INFINITY);
      const requeueAfterMs = Math.min(...waits);
      return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : undefined;
    } catch (error) {
      // Somebody else wrote in between; that change comes by itself and leads back here.
      if (!isReason(error, 'Conflict', 'NotFound')) throw error;
      return { requeueAfterMs: CONFLICT_MS };
    }
  }

  /** Nothing holds what a stub has: an attachment pod runs when it exists and goes when it is deleted. */
  async #attach(key: string): Promise<undefined> {
    const pod = this.#writer.pods.newest(this.#attachments.get(key));
    if (pod && isDeleting(pod)) await this.#writer.removePod(pod);
    else if (pod?.status?.phase === 'Pending')
      await this.#writer.podStatus(pod, runningAttachment(pod, new Date(this.#context.clock.now())));
    const launcher = pod && this.#pods.get(`${pod.metadata.namespace}/${launcherOf(pod)?.name}`);
    const owner = launcher && vmiKey(launcher);
    if (owner) this.#queue.add(owner);
  }

  async #step(local: SimulatedVmi): Promise<Result | undefined> {
    const { clock } = this.#context;
    const { uid, vmi, pod } = local;
    const nowMs = clock.now();
    const stub = advance(this.#stubs.get(uid) ?? adoptStub(vmi, nowMs), nowMs);
    this.#stubs.set(uid, stub);
    const { domain, shutdownAskedAtMs } = stub;
    const node = pod?.spec?.nodeName ?? '';
    const role = vmi && !isFinal(vmi) ? migrationRole(vmi, pod, node) : 'owner';
    // All nodes are simulated by this one process: whether a guest is on the node of a launcher, its VMI tells.
    const here = role === 'target' || role === 'former' ? undefined : domain;
    const decision = decide({ vmi, pod, domain: here, node, hasFiles: false, shutdownAskedAtMs, nowMs });
    switch (decision.action) {
      case 'nothing':
        return undefined;
      case 'prepare':
        if (!stub.isPrepared) return this.#begin(local, stub, 'prepare');
        if (pod) await this.#writer.podStatus(pod, preparedStatus(pod, ADDRESS, new Date(nowMs)));
        return undefined;
      case 'crashLauncher':
        if (pod) await this.#writer.podStatus(pod, endedPodStatus(pod, false, new Date(nowMs), SIMULATED_CRASH));
        return undefined;
      case 'start':
        return this.#begin(local, stub, vmi?.spec.startStrategy === 'Paused' ? 'startPaused' : 'start');
      case 'sync':
        return role === 'source' ? this.#migrate(local, stub) : this.#report(local, stub);
      case 'shutdown':
      case 'waitForShutdown':
        return this.#begin(local, stub, 'shutdown');
      case 'destroy':
        return this.#begin(local, stub, 'destroy');
      case 'end':
        return this.#end(local, decision.phase, decision.why);
      case 'releaseLauncher':
        if (pod) await this.#writer.removePod(pod);
        return undefined;
      case 'cleanUp':
        return decision.launcher ? this.#endLauncher(local, decision.launcher) : this.#cleanUp(local);
      case 'prepareTarget':
        if (pod) await this.#writer.podStatus(pod, waitingTargetStatus(pod, ADDRESS, new Date(nowMs)));
        return undefined;
      case 'receive':
        return this.#receive(local, node);
      case 'settleMove':
        return this.#failMove(local, GUEST_ENDED);
      // What only nodes with libvirt come to.
      case 'takeOver':
      case 'goOn':
        return undefined;
    }
  }

  #begin({ uid, vmi }: SimulatedVmi, stub: Stub, stage: StageName, leastMs = 0): Result {
    const next = beginStage(stub, stage, uid, this.#context.clock.now(), leastMs);
    this.#stubs.set(uid, next);
    if (stage === 'shutdown' && stub.shutdownAskedAtMs === 0 && vmi) {
      this.#context.recorder.event(vmi, 'Normal', 'ShuttingDown', 'Signaled Graceful Shutdown');
    }
    return { requeueAfterMs: Math.max(1, (next.pending?.dueMs ?? 0) - this.#context.clock.now()) };
  }

  async #report({ vmi, pod }: SimulatedVmi, { domain }: Stub): Promise<undefined> {
    if (!vmi || !pod || !domain) return;
    const now = new Date(this.#context.clock.now());
    const observed = {
      domain,
      view: stubView(vmi),
      attachments: this.#attachments.byIndex('launcher', pod.metadata.uid),
      isEmulated: false,
      isFrozen: false,
      user: QEMU_USER,
      guestInfo: undefined,
      site: SITE,
    };
    await this.#writer.vmiStatus(vmi, runningStatus(vmi, observed, now));
    if (vmi.status?.phase === 'Scheduled') {
      this.#context.recorder.event(vmi, 'Normal', 'Started', 'VirtualMachineInstance started.');
    }
    // The launcher that a guest has come to has no address before.
    const isNew = isWaiting(pod) || !pod.status?.podIP;
    const changed = isNew ? preparedStatus(pod, ADDRESS, now) : gatedStatus(pod, now);
    if (changed) await this.#writer.podStatus(pod, changed);
  }

  async #receive({ vmi, pod }: SimulatedVmi, node: string): Promise<undefined> {
    const migration = currentMigration(vmi);
    if (!vmi || !pod || !migration || migration.targetNodeAddress || isTargetBlocked(vmi)) return;
    const at = { node, pod: pod.metadata.name, address: ADDRESS, port: FIRST_PORT };
    await this.#writer.vmiStatus(vmi, listeningStatus(vmi, migration, at));
    this.#context.recorder.event(vmi, 'Normal', 'PreparingTarget', 'VirtualMachineInstance Migration Target Prepared.');
  }

  /** Moves a guest as both of its nodes would. */
  async #migrate(local: SimulatedVmi, stub: Stub): Promise<Result | undefined> {
    const { vmi, uid } = local;
    const migration = currentMigration(vmi);
    if (!vmi || !migration || (!migration.targetNodeAddress && !migration.abortRequested))
      return this.#report(local, stub);
    const { clock, recorder } = this.#context;
    const now = new Date(clock.now());
    const isForcedToFail =
      migration.startTimestamp && vmi.metadata.annotations?.[FORCED_FAILURE_ANNOTATION] !== undefined;
    if (migration.abortRequested || isForcedToFail) {
      this.#stubs.set(uid, { ...stub, pending: undefined });
      return this.#failMove(local, migration.abortRequested ? ABORTED : FORCED_FAILURE);
    }
    if (!migration.startTimestamp) {
      this.#stubs.set(uid, { ...stub, isCopied: false });
      await this.#writer.vmiStatus(vmi, withMigration(vmi, { startTimestamp: timestamp(now), mode: 'PreCopy' }));
      recorder.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.');
    } else if (!stub.isCopied) return this.#begin(local, stub, 'migrate', copyMs(vmi, migration));
    else {
      const { targetNode } = migration;
      this.#stubs.set(uid, { ...stub, isCopied: false });
      await this.#writer.vmiStatus(vmi, arrivedStatus(vmi, migration, targetNode, now));
      recorder.event(vmi, 'Normal', 'Migrated', `The VirtualMachineInstance migrated to node ${targetNode}.`);
    }
    return undefined;
  }

  /** The guest stays, and why. */
  async #failMove({ vmi }: SimulatedVmi, reason: string): Promise<undefined> {
    const migration = currentMigration(vmi);
    if (!vmi || !migration) return;
    const { clock, recorder } = this.#context;
    await this.#writer.vmiStatus(vmi, failedStatus(vmi, migration, reason, new Date(clock.now())));
    recorder.event(vmi, 'Warning', 'Migrated', failureText(migration, reason));
  }

  /** The launcher of a guest that has moved away, or does not come. */
  async #endLauncher({ pod }: SimulatedVmi, phase: 'Succeeded' | 'Failed'): Promise<undefined> {
    if (!pod) return;
    if (isDeleting(pod)) return this.#writer.removePod(pod).then(() => undefined);
    const now = new Date(this.#context.clock.now());
    await this.#writer.podStatus(pod, endedPodStatus(pod, phase === 'Succeeded', now));
  }

  async #end({ vmi }: SimulatedVmi, phase: 'Succeeded' | 'Failed', why: string): Promise<undefined> {
    if (!vmi) return;
    const { clock, recorder } = this.#context;
    await this.#writer.vmiStatus(vmi, endedStatus(vmi, phase, why, new Date(clock.now())));
    if (phase === 'Succeeded') recorder.event(vmi, 'Normal', 'Stopped', 'The VirtualMachineInstance was shut down.');
    else recorder.event(vmi, 'Warning', 'Stopped', `The VirtualMachineInstance failed: ${why}`);
  }

  async #cleanUp({ uid, vmi, pod }: SimulatedVmi): Promise<undefined> {
    this.#stubs.delete(uid);
    if (!pod) return;
    if (isDeleting(pod)) return this.#writer.removePod(pod).then(() => undefined);
    const now = new Date(this.#context.clock.now());
    await this.#writer.podStatus(pod, endedPodStatus(pod, vmi?.status?.phase === 'Succeeded', now));
  }
}
