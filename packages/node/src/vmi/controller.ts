import { ApiError, conditionOf, hasEnded, isDeleting, Node, type Persisted, Pod } from '@vireo/api';
import { pollRequestOf } from '@vireo/api/kinds/cdi/importCron.ts';
import { importedClaim } from '@vireo/api/kinds/cdi/importerPod.ts';
import { backupWorkOf } from '@vireo/api/kinds/harvester/backupWork.ts';
import { launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { withCurrentVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { Informers, keyOf, parseKey, type Result, runController, type WorkQueue, watch } from '@vireo/kube';
import { ConnectionError, isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { isForeign } from '../fencing/foreignGuests.ts';
import { readVmi } from '../fencing/readVmi.ts';
import { revokeUnplugged } from '../guests/disks.ts';
import { act } from './act.ts';
import { pendingAttachments, removableAttachments } from './attachments.ts';
import { decide, isDomainActive, isElsewhere } from './decide.ts';
import { domainKey } from './domainInformer.ts';
import { vmiFiles, vmisWithFiles } from './files.ts';
import { KeyIndex } from './keyIndex.ts';
import { currentLauncher, vmiKey, vmiUid } from './launcher.ts';
import { emptyCache, type LocalVmi, type VmiCache } from './localVmi.ts';
import { NOT_A_LAUNCHER, notALauncher } from './notALauncher.ts';
import { runningAttachment, waitingReason, waitingStatus } from './podStatus.ts';
import { removeRemains } from './remains.ts';
import { StatusWriter } from './statusWriter.ts';
import { failingStatus } from './vmiStatus.ts';

const CONCURRENCY = 8;
/** Changes that came without an event are found after so long. */
const RESYNC_SECONDS = 300;
/** The cache is about to show why a guest is not to be started, or the server to be heard of again. */
const NOT_YET_MS = 3_000;
/** While libvirt does not answer. */
const NO_CONNECTION_MS = 1_000;
/** The key of all pods on this node that belong to no VMI. */
const NO_VMI = '';

/** Keeps the VMIs, launcher pods and domains of this node in step. */
export class VmiController {
  readonly #context: NodeContext;
  readonly #queue: WorkQueue;
  readonly #writer: StatusWriter;
  readonly #informers: readonly [pods: Informers, vmis: Informers];
  readonly #pods;
  readonly #vmis;
  /** By uid. */
  readonly #caches = new Map<string, VmiCache>();
  /** All VMIs that have or had something on this node. */
  readonly #keys = new KeyIndex();

  constructor(context: NodeContext, queue: WorkQueue) {
    this.#context = context;
    this.#queue = queue;
    this.#writer = new StatusWriter(context);
    const { client, kubelet, log, clock } = context;
    const [ofPods, ofVmis] = [new Informers(kubelet, { log, clock }), new Informers(client, { log, clock })];
    this.#informers = [ofPods, ofVmis];
    this.#pods = ofPods.for(Pod, {
      fieldSelector: `spec.nodeName=${context.host.name}`,
      indexes: {
        vmi: (pod) => (launcherOf(pod) ? [] : [vmiKey(pod) ?? NO_VMI]),
        launcher: (pod) => [launcherOf(pod)?.uid ?? []].flat(),
      },
      resyncSeconds: RESYNC_SECONDS,
    });
    this.#vmis = ofVmis.for(VirtualMachineInstance, {
      indexes: { uid: ({ metadata }) => [metadata.uid] },
    });
  }

  /** Resolves once the informers have synced and the workers run; `ended` when they have stopped. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const keyOfPod = (pod: Persisted<Pod>): string => vmiKey(this.#launcherOf(pod) ?? pod) ?? NO_VMI;
    for (const informers of this.#informers) informers.start(signal);
    await Promise.all(this.#informers.map((informers) => informers.whenSynced()));
    await this.#adopt();
    this.#pods.on({ deleted: (pod, { finalStateUnknown }) => this.#launcherGone(pod, finalStateUnknown) });
    const ended = runController(
      {
        name: 'vm',
        concurrency: CONCURRENCY,
        queue: this.#queue,
        for: this.#vmis,
        watches: [
          watch(this.#pods, {
            changed: keyOfPod,
            // The attachment pods of a launcher that is gone belong to no VMI.
            deleted: (pod) => [keyOfPod(pod), ...(this.#attachments(pod).length > 0 ? [NO_VMI] : [])],
          }),
        ],
        reconcile: (key) => this.#reconcile(key),
      },
      this.#context,
      signal,
    );
    return { ended };
  }

  /** The VMI of that key, with its pods, its domain and its files. */
  localVmi(key: string): LocalVmi | undefined {
    const uid = this.#vmis.get(key)?.metadata.uid;
    return uid === undefined ? undefined : this.#local(key, uid);
  }

  /** The launcher of that name. */
  pod(namespace: string, name: string): Persisted<Pod> | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  /** All pods of this node. */
  pods(): readonly Persisted<Pod>[] {
    return this.#pods.list();
  }

  /** Where a launcher's guest prints to, and whether it may print more. */
  logOf(launcher: Persisted<Pod>): { path: string; mayGrow: () => boolean } {
    if (!this.#isLauncher(launcher)) return { path: '/dev/null', mayGrow: () => false };
    const { namespace = '', name } = launcher.metadata;
    const find = (): Persisted<Pod> | undefined => this.pod(namespace, name);
    return {
      path: vmiFiles(this.#context.layout, vmiUid(launcher)).serialLog,
      mayGrow: () => {
        const pod = find();
        if (!pod || hasEnded(pod)) return false;
        const domain = this.#context.domains.get(vmiUid(pod));
        return domain === undefined || isDomainActive(domain.state);
      },
    };
  }

  enqueue(key: string): void {
    this.#queue.add(key);
  }

  /**
   * A launcher that is deleted by force takes its guest along, as a pod its containers, if this node hears of it: `kubectl
   * drain --force` means it. What the garbage collector removes, or was removed while nobody heard of us, does not.
   */
  #launcherGone(pod: Persisted<Pod>, finalStateUnknown: boolean): void {
    const uid = vmiUid(pod);
    const cache = this.#caches.get(uid);
    if (!cache || finalStateUnknown || !this.#isLauncher(pod) || cache.releasedLauncher === pod.metadata.uid) return;
    const isCollected = conditionOf(pod, 'DisruptionTarget')?.reason === 'DeletionByPodGC';
    if (!isCollected && isDomainActive(this.#context.domains.get(uid)?.state)) cache.isLauncherKilled = true;
  }

  /** The VMI with what the server says of it now, where the cache has a reason to end the guest that nothing else confirms. */
  async #confirmed(local: LocalVmi): Promise<LocalVmi> {
    const { key, uid, vmi, cache } = local;
    const { client, host } = this.#context;
    const isInDoubt = !vmi || isElsewhere(vmi, host.name) || cache.isLauncherKilled;
    if (!isDomainActive(local.domain?.state) || !isInDoubt) return local;
    const confirmed = await readVmi(client, key, uid);
    // The launcher went while nobody heard of us.
    if (isUnknown(confirmed)) cache.isLauncherKilled = false;
    return { ...local, vmi: confirmed };
  }

  /** Whether the server, asked now, still wants the guest to be started here. */
  async #mayStart({ key, uid }: LocalVmi): Promise<boolean> {
    const { client, host, fence, areStartsHeld } = this.#context;
    if (areStartsHeld()) return false;
    const vmi = await readVmi(client, key, uid);
    const isWanted = vmi?.status?.phase === 'Scheduled' && vmi.status.nodeName === host.name && !isDeleting(vmi);
    return isWanted && fence.mayStart();
  }

  /** Takes over what an earlier run left: enqueues its domains, and removes files that belong to no VMI. */
  async #adopt(): Promise<void> {
    const { domains, layout } = this.#context;
    for (const { ref } of domains.all()) this.#queue.add(domainKey(ref));
    const owners = new Map(this.#pods.list().map((pod) => [vmiUid(pod), vmiKey(pod)]));
    for (const uid of await vmisWithFiles(layout)) {
      const key = this.#keyOf(uid) ?? owners.get(uid);
      if (key === undefined) {
        const files = vmiFiles(layout, uid);
        await removeRemains(uid, files, { log: false }, this.#context).catch((error: unknown) => {
          // At the next start again: it keeps no other machine from running.
          const subject = { kind: Node.kind, name: this.#context.host.name };
          this.#context.log.error('cannot remove what is left of a VMI', subject, {
            directory: files.directory,
            error,
          });
        });
      } else {
        this.#keys.set(uid, key);
        this.#cache(uid).hasFiles = true;
        // Its pod may go before anybody listens.
        this.#queue.add(key);
      }
    }
  }

  async #reconcile(key: string): Promise<Result | undefined> {
    for (const pod of this.#pods.byIndex('vmi', key)) await this.#rejectPod(pod);
    await this.#removeFormerLaunchers(key);
    if (key === NO_VMI) return this.#removeOrphans();
    const current = this.#vmis.get(key)?.metadata.uid;
    const others = this.#uidsOf(key).filter((uid) => uid !== current);
    for (const uid of others) await this.#reconcileVmi(key, uid);
    // libvirt takes a name once: the successor waits until its predecessor is gone.
    const isNameTaken = others.some((uid) => this.#context.domains.get(uid));
    return current === undefined || isNameTaken ? undefined : this.#reconcileVmi(key, current);
  }

  /** A guest that has left and comes back has another launcher; the one before goes when it is deleted. */
  async #removeFormerLaunchers(key: string): Promise<void> {
    const launchers = this.#pods.byIndex('vmi', key).filter((pod) => this.#isLauncher(pod));
    for (const pod of launchers) {
      const current = currentLauncher(launchers.filter((each) => vmiUid(each) === vmiUid(pod)));
      if (isDeleting(pod) && pod !== current) await this.#writer.removePod(pod);
    }
  }

  /** The uids of all VMIs of that key that have something on this node: the present one and its predecessors. */
  #uidsOf(key: string): string[] {
    const pods = this.#pods.byIndex('vmi', key).filter((pod) => this.#isLauncher(pod));
    const ofPods = pods.map(vmiUid);
    const ofDomains = this.#context.domains.ofKey(key).map(({ ref }) => ref.uuid);
    return [...new Set([...ofPods, ...ofDomains, ...this.#keys.uidsOf(key)])];
  }

  /** The key of the VMI with that uid, from the API server, libvirt, or what was seen before. */
  #keyOf(uid: string): string | undefined {
    const [vmi] = this.#vmis.byIndex('uid', uid);
    if (vmi) return keyOf(vmi);
    const domain = this.#context.domains.get(uid);
    return domain ? domainKey(domain.ref) : this.#keys.keyOf(uid);
  }

  /** Whether a pod is the launcher that it claims to be: whoever may create pods can label one with the uid of another's VMI. */
  #isLauncher(pod: Persisted<Pod>): boolean {
    const claimed = vmiKey(pod);
    return claimed !== undefined && (this.#keyOf(vmiUid(pod)) ?? claimed) === claimed;
  }

  /** A pod that is no launcher never runs here: its status says so, and it is removed as soon as it is deleted. */
  async #rejectPod(cached: Persisted<Pod>): Promise<void> {
    const pod = this.#writer.pods.newest(cached) ?? cached;
    if (this.#isLauncher(pod)) return;
    if (importedClaim(pod)) return this.#acceptImporter(pod);
    if (isDeleting(pod)) await this.#writer.removePod(pod);
    // Those who ask registries tell it how that went, and those who move the data of backups.
    else if (pollRequestOf(pod) || backupWorkOf(pod)) return;
    else if ((pod.status?.phase ?? 'Pending') === 'Pending' && waitingReason(pod) !== NOT_A_LAUNCHER) {
      const { reason, message } = notALauncher(pod);
      const { clock, recorder } = this.#context;
      await this.#writer.podStatus(pod, waitingStatus(pod, reason, message, new Date(clock.now())));
      recorder.event(pod, 'Warning', reason, message);
    }
  }

  /** Nothing runs in an importer pod: it is there so that this node may read what it names. */
  async #acceptImporter(pod: Persisted<Pod>): Promise<void> {
    if (isDeleting(pod)) await this.#writer.removePod(pod);
    else if ((pod.status?.phase ?? 'Pending') === 'Pending')
      await this.#writer.podStatus(pod, runningAttachment(pod, new Date(this.#context.clock.now())));
  }

  /** The launcher of an attachment pod, where it is here. */
  #launcherOf(pod: Persisted<Pod>): Persisted<Pod> | undefined {
    const owner = launcherOf(pod);
    const launcher = owner && this.#pods.get(`${pod.metadata.namespace}/${owner.name}`);
    return launcher && launcher.metadata.uid === owner?.uid && this.#isLauncher(launcher) ? launcher : undefined;
  }

  #attachments(launcher: Persisted<Pod> | undefined): Persisted<Pod>[] {
    const { uid, namespace } = launcher?.metadata ?? {};
    if (!uid) return [];
    const pods = this.#pods.byIndex('launcher', uid).filter((pod) => pod.metadata.namespace === namespace);
    return pods.map((pod) => this.#writer.pods.newest(pod) ?? pod);
  }

  /** Removes deleted attachment pods whose launcher, and so the guest, is gone. */
  async #removeOrphans(): Promise<undefined> {
    for (const pod of this.#pods.list())
      if (isDeleting(pod) && launcherOf(pod) && !this.#launcherOf(pod)) await this.#writer.removePod(pod);
  }

  /** Reconciles one VMI; reports new attachment pods as running, and removes deleted ones that the guest no longer uses. */
  async #reconcileVmi(key: string, uid: string): Promise<Result | undefined> {
    const { pod, attachments } = this.#local(key, uid);
    const now = new Date(this.#context.clock.now());
    const arrivals = (pod ? pendingAttachments(pod, attachments) : []).map((each) => ({
      pod: each,
      status: runningAttachment(each, now),
    }));
    // A claim is protected from the moment that a pod names it: nothing has to wait until everybody knows that it runs.
    const [acted, reported] = await Promise.allSettled([
      this.#decideAndAct(
        key,
        uid,
        arrivals.map(({ pod: each, status }) => ({ ...each, status: { ...each.status, ...status } })),
      ),
      Promise.all(arrivals.map(({ pod: each, status }) => this.#writer.podStatus(each, status))),
    ]);
    if (acted.status === 'rejected') throw acted.reason;
    if (reported.status === 'rejected') throw reported.reason;
    const local = attachments.length > 0 ? this.#local(key, uid) : undefined;
    if (local) await revokeUnplugged(local, this.#context);
    for (const each of local ? removableAttachments(local) : []) await this.#writer.removePod(each);
    return acted.value;
  }

  async #decideAndAct(key: string, uid: string, arrived: readonly Persisted<Pod>[]): Promise<Result | undefined> {
    this.#keys.set(uid, key);
    const local = await this.#confirmed(this.#local(key, uid, arrived));
    // That a server which was restored from a backup does not know a guest is no reason to end it.
    if (isDomainActive(local.domain?.state) && isForeign(local.vmi, this.#context.host.name))
      if (await this.#context.orphans.has(uid)) return undefined;
    const decision = decide({
      vmi: local.vmi,
      pod: local.pod,
      domain: local.domain?.state,
      node: this.#context.host.name,
      isLauncherKilled: local.cache.isLauncherKilled,
      hasFiles: local.cache.hasFiles,
      shutdownAskedAtMs: local.cache.shutdownAskedAtMs,
      sending: this.#context.migrations.sendingOf(uid, local.vmi),
      isReceiving: this.#context.migrations.incoming.isReceiving(uid),
      nowMs: this.#context.clock.now(),
    });
    const subject = { kind: VirtualMachineInstance.kind, ...parseKey(key), uid };
    this.#context.log.debug('decided', subject, { ...decision });
    try {
      if (decision.action === 'start' && !(await this.#mayStart(local))) return { requeueAfterMs: NOT_YET_MS };
      const result = await act(decision, local, this.#context, this.#writer);
      if (!local.pod && !this.#context.domains.get(uid) && !local.cache.hasFiles) this.#forget(uid);
      return result;
    } catch (error) {
      if (error instanceof ConnectionError) return { requeueAfterMs: NO_CONNECTION_MS };
      await this.#reportFailure(local, error);
      // Tried again, later each time.
      throw error;
    }
  }

  /** Reports an error in the VMI, where its user sees it. */
  async #reportFailure({ vmi }: LocalVmi, error: unknown): Promise<void> {
    // Before the hand-over the launcher pod reports errors. A refused write means that somebody else wrote in between.
    const isOurs = vmi && !isFinal(vmi) && ['Scheduled', 'Running'].includes(vmi.status?.phase ?? '');
    if (!isOurs || error instanceof ApiError || isLibvirtError(error, 'OPERATION_TIMEOUT')) return;
    const why = error instanceof Error ? error.message : String(error);
    const { clock, recorder } = this.#context;
    const before = conditionOf(vmi, 'Synchronized');
    if (before?.status === 'False' && before.message === why) return;
    recorder.event(vmi, 'Warning', 'SyncFailed', why);
    await this.#writer.vmiStatus(vmi, failingStatus(vmi, why, new Date(clock.now()))).catch((refused: unknown) => {
      if (!(refused instanceof ApiError)) throw refused;
    });
  }

  #local(key: string, uid: string, arrived: readonly Persisted<Pod>[] = []): LocalVmi {
    const vmi = this.#writer.vmis.newest(this.#vmis.get(key));
    const pod = currentLauncher(this.#pods.byIndex('vmi', key).filter((each) => vmiUid(each) === uid));
    const attachments = this.#attachments(pod).map(
      (each) => arrived.find(({ metadata }) => metadata.uid === each.metadata.uid) ?? each,
    );
    const user = this.#context.users?.of(uid);
    const isHere = vmi?.status?.nodeName === this.#context.host.name;
    return {
      key,
      uid,
      vmi: vmi?.metadata.uid === uid ? (isHere ? withCurrentVolumes(vmi) : vmi) : undefined,
      pod: this.#writer.pods.newest(pod),
      attachments,
      domain: this.#context.domains.get(uid),
      files: vmiFiles(this.#context.layout, uid, user),
      user,
      cache: this.#cache(uid),
    };
  }

  #cache(uid: string): VmiCache {
    let cache = this.#caches.get(uid);
    if (!cache) {
      cache = emptyCache();
      this.#caches.set(uid, cache);
    }
    return cache;
  }

  #forget(uid: string): void {
    this.#caches.delete(uid);
    this.#keys.delete(uid);
    this.#writer.vmis.forget(uid);
  }
}
