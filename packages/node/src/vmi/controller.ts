import { ApiError, conditionOf, hasEnded, isDeleting, Pod } from '@vireo/api';
import { launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { enqueueKey, Informers, keyOf, parseKey, type Result, runController, type WorkQueue } from '@vireo/kube';
import { ConnectionError, isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { act } from './act.ts';
import { freeAttachments, newAttachments } from './attachments.ts';
import { decide, isActive } from './decide.ts';
import { domainKey } from './domainInformer.ts';
import { removeFiles, vmiFiles, vmisWithFiles } from './files.ts';
import { KeyIndex } from './keyIndex.ts';
import { vmiKey, vmiUid } from './launcher.ts';
import { emptyCache, type LocalVmi, type VmiCache } from './localVmi.ts';
import { runningAttachment, waitingReason, waitingStatus } from './podStatus.ts';
import { StatusWriter } from './statusWriter.ts';
import { failingStatus } from './vmiStatus.ts';

const CONCURRENCY = 8;
/** A net below the events: whatever was missed is found after so long. */
const RESYNC_SECONDS = 300;
/** While libvirt does not answer. */
const NO_CONNECTION_MS = 1_000;
/** In place of a key: all pods on this node that say of themselves that they are no launchers. */
const STRANGERS = '';
/** What such a pod waits for. */
const NOT_A_MACHINE = {
  reason: 'NotAMachine',
  message: 'this node runs virtual machines and no containers: create a VirtualMachine, and its pod comes with it',
};

/** Keeps VMIs, launchers and domains of this node in step. */
export class VmiController {
  readonly #context: NodeContext;
  readonly #queue: WorkQueue;
  readonly #writer: StatusWriter;
  readonly #informers: Informers;
  readonly #pods;
  readonly #vmis;
  /** By uid. */
  readonly #memories = new Map<string, VmiCache>();
  /** Everything that was seen and is not forgotten. */
  readonly #names = new KeyIndex();

  constructor(context: NodeContext, queue: WorkQueue) {
    this.#context = context;
    this.#queue = queue;
    this.#writer = new StatusWriter(context.client);
    this.#informers = new Informers(context.client, { log: context.log, clock: context.clock });
    this.#pods = this.#informers.for(Pod, {
      fieldSelector: `spec.nodeName=${context.host.name}`,
      indexes: {
        vmi: (pod) => (launcherOf(pod) ? [] : [vmiKey(pod) ?? STRANGERS]),
        launcher: (pod) => [launcherOf(pod)?.uid ?? []].flat(),
      },
      resyncSeconds: RESYNC_SECONDS,
    });
    this.#vmis = this.#informers.for(VirtualMachineInstance, {
      indexes: { uid: ({ metadata }) => [metadata.uid] },
    });
  }

  /** Resolves when the loop knows what is and works; `ended` when it has stopped. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { log, metrics } = this.#context;
    const enqueuePod = (pod: Pod): void => {
      const launcher = this.#launcherOf(pod) ?? pod;
      this.#queue.add(vmiKey(launcher) ?? STRANGERS);
    };
    this.#pods.on({
      added: enqueuePod,
      updated: (_, pod) => enqueuePod(pod),
      deleted: (pod) => {
        enqueuePod(pod);
        // Its attachment pods are nobody's now.
        if (this.#attachments(pod).length > 0) this.#queue.add(STRANGERS);
      },
    });
    this.#vmis.on(enqueueKey(this.#queue));
    this.#informers.start(signal);
    await this.#informers.whenSynced();
    await this.#adopt();
    const informers = [this.#vmis, this.#pods];
    const reconcile = (key: string): Promise<Result | undefined> => this.#reconcile(key);
    const queue = this.#queue;
    const controller = { name: 'vm', queue, informers, reconcile, concurrency: CONCURRENCY, log, metrics };
    return { ended: runController(controller, signal) };
  }

  /** The VMI of that name and what stands behind it; for whoever wants to do something with it. */
  localVmi(key: string): LocalVmi | undefined {
    const uid = this.#vmis.get(key)?.metadata.uid;
    return uid === undefined ? undefined : this.#local(key, uid);
  }

  /** The launcher of that name. */
  pod(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  /** Where a launcher's guest prints to, and whether it may print more. */
  logOf(launcher: Pod): { path: string; isLive: () => boolean } {
    if (!this.#isLauncher(launcher)) return { path: '/dev/null', isLive: () => false };
    const { namespace = '', name = '' } = launcher.metadata;
    const find = (): Pod | undefined => this.pod(namespace, name);
    return {
      path: vmiFiles(this.#context.layout, vmiUid(launcher)).serialLog,
      isLive: () => {
        const pod = find();
        if (!pod || hasEnded(pod)) return false;
        const domain = this.#context.domains.get(vmiUid(pod));
        return domain === undefined || isActive(domain.state);
      },
    };
  }

  enqueue(key: string): void {
    this.#queue.add(key);
  }

  /** Takes over what an earlier run left: domains are looked at, files of nobody are removed. */
  async #adopt(): Promise<void> {
    const { domains, layout } = this.#context;
    for (const { ref } of domains.all()) this.#queue.add(domainKey(ref));
    const owners = new Map(this.#pods.list().map((pod) => [vmiUid(pod), vmiKey(pod)]));
    for (const uid of await vmisWithFiles(layout)) {
      const key = this.#keyOf(uid) ?? owners.get(uid);
      if (key === undefined) await removeFiles(vmiFiles(layout, uid), { log: false });
      else {
        this.#names.set(uid, key);
        this.#cache(uid).hasFiles = true;
      }
    }
  }

  async #reconcile(key: string): Promise<Result | undefined> {
    for (const pod of this.#pods.byIndex('vmi', key)) await this.#turnDown(pod);
    if (key === STRANGERS) return this.#removeOrphans();
    const current = this.#vmis.get(key)?.metadata.uid;
    const others = this.#uidsOf(key).filter((uid) => uid !== current);
    for (const uid of others) await this.#step(key, uid);
    // libvirt takes a name once: the successor waits until its predecessor is gone.
    const isNameTaken = others.some((uid) => this.#context.domains.get(uid));
    return current === undefined || isNameTaken ? undefined : this.#step(key, current);
  }

  /** Everything that was ever on this node under that name and is not forgotten. */
  #uidsOf(key: string): string[] {
    const pods = this.#pods.byIndex('vmi', key).filter((pod) => this.#isLauncher(pod));
    const ofPods = pods.map(vmiUid);
    const ofDomains = this.#context.domains.ofKey(key).map(({ ref }) => ref.uuid);
    return [...new Set([...ofPods, ...ofDomains, ...this.#names.uidsOf(key)])];
  }

  /** To which VMI a uid belongs, by those who know: the server, the hypervisor, then we ourselves. */
  #keyOf(uid: string): string | undefined {
    const [vmi] = this.#vmis.byIndex('uid', uid);
    if (vmi) return keyOf(vmi);
    const domain = this.#context.domains.get(uid);
    return domain ? domainKey(domain.ref) : this.#names.keyOf(uid);
  }

  /** Whoever may create pods can write on one that it is the launcher of somebody else's VMI. */
  #isLauncher(pod: Pod): boolean {
    const claimed = vmiKey(pod);
    return claimed !== undefined && (this.#keyOf(vmiUid(pod)) ?? claimed) === claimed;
  }

  /** Nothing runs here for a pod that is no launcher: it is told so, and goes at once when it is to go. */
  async #turnDown(cached: Pod): Promise<void> {
    const pod = this.#writer.pods.of(cached) ?? cached;
    if (this.#isLauncher(pod)) return;
    if (isDeleting(pod)) await this.#writer.removePod(pod);
    else if ((pod.status?.phase ?? 'Pending') === 'Pending' && waitingReason(pod) !== NOT_A_MACHINE.reason) {
      const { reason, message } = NOT_A_MACHINE;
      const { clock, recorder } = this.#context;
      await this.#writer.podStatus(pod, waitingStatus(pod, reason, message, new Date(clock.now())));
      recorder.event(pod, 'Warning', reason, message);
    }
  }

  /** The launcher of an attachment pod, where it is here. */
  #launcherOf(pod: Pod): Pod | undefined {
    const owner = launcherOf(pod);
    const launcher = owner && this.#pods.get(`${pod.metadata.namespace}/${owner.name}`);
    return launcher && launcher.metadata.uid === owner?.uid && this.#isLauncher(launcher) ? launcher : undefined;
  }

  #attachments(launcher: Pod | undefined): Pod[] {
    const { uid, namespace } = launcher?.metadata ?? {};
    if (!uid) return [];
    const pods = this.#pods.byIndex('launcher', uid).filter((pod) => pod.metadata.namespace === namespace);
    return pods.map((pod) => this.#writer.pods.of(pod) ?? pod);
  }

  /** Attachment pods whose launcher is gone. Its guest is, too. */
  async #removeOrphans(): Promise<undefined> {
    for (const pod of this.#pods.list())
      if (isDeleting(pod) && launcherOf(pod) && !this.#launcherOf(pod)) await this.#writer.removePod(pod);
  }

  /** Looks at a VMI with what has come to be plugged in, and says that it has; lets go of what is out. */
  async #step(key: string, uid: string): Promise<Result | undefined> {
    const { pod, attachments } = this.#local(key, uid);
    const now = new Date(this.#context.clock.now());
    const arrivals = (pod ? newAttachments(pod, attachments) : []).map((each) => ({
      pod: each,
      status: runningAttachment(each, now),
    }));
    // A claim is protected from the moment that a pod names it: nothing has to wait until everybody knows that it runs.
    const [advanced, told] = await Promise.allSettled([
      this.#advance(
        key,
        uid,
        arrivals.map(({ pod: each, status }) => ({ ...each, status: { ...each.status, ...status } })),
      ),
      Promise.all(arrivals.map(({ pod: each, status }) => this.#writer.podStatus(each, status))),
    ]);
    if (advanced.status === 'rejected') throw advanced.reason;
    if (told.status === 'rejected') throw told.reason;
    const local = attachments.length > 0 ? this.#local(key, uid) : undefined;
    for (const each of local ? freeAttachments(local) : []) await this.#writer.removePod(each);
    return advanced.value;
  }

  async #advance(key: string, uid: string, arrived: readonly Pod[]): Promise<Result | undefined> {
    this.#names.set(uid, key);
    const local = this.#local(key, uid, arrived);
    const decision = decide({
      vmi: local.vmi,
      pod: local.pod,
      domain: local.domain?.state,
      hasFiles: local.cache.hasFiles,
      shutdownAskedAtMs: local.cache.shutdownAskedAtMs,
      nowMs: this.#context.clock.now(),
    });
    const subject = { kind: VirtualMachineInstance.kind, ...parseKey(key), uid };
    this.#context.log.debug('decided', subject, { ...decision });
    try {
      const result = await act(decision, local, this.#context, this.#writer);
      if (!local.pod && !this.#context.domains.get(uid) && !local.cache.hasFiles) this.#forget(uid);
      return result;
    } catch (error) {
      if (error instanceof ConnectionError) return { requeueAfterMs: NO_CONNECTION_MS };
      await this.#tellFailure(local, error);
      // Tried again, later each time.
      throw error;
    }
  }

  /** What keeps a VMI from going on is told in the VMI: nobody reads the log of its node. */
  async #tellFailure({ vmi }: LocalVmi, error: unknown): Promise<void> {
    // Of a VMI that is not handed over yet, the launcher tells. What the server refuses comes of somebody else's write.
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

  #local(key: string, uid: string, arrived: readonly Pod[] = []): LocalVmi {
    const vmi = this.#writer.vmis.of(this.#vmis.get(key));
    const pod = this.#pods.byIndex('vmi', key).find((each) => vmiUid(each) === uid);
    const attachments = this.#attachments(pod).map(
      (each) => arrived.find(({ metadata }) => metadata.uid === each.metadata.uid) ?? each,
    );
    return {
      key,
      uid,
      vmi: vmi?.metadata.uid === uid ? vmi : undefined,
      pod: this.#writer.pods.of(pod),
      attachments,
      domain: this.#context.domains.get(uid),
      files: vmiFiles(this.#context.layout, uid),
      cache: this.#cache(uid),
    };
  }

  #cache(uid: string): VmiCache {
    let cache = this.#memories.get(uid);
    if (!cache) {
      cache = emptyCache();
      this.#memories.set(uid, cache);
    }
    return cache;
  }

  #forget(uid: string): void {
    this.#memories.delete(uid);
    this.#names.delete(uid);
    this.#writer.vmis.forget(uid);
  }
}
