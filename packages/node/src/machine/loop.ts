import { Pod } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { enqueueKey, Informers, type Result, runController, type WorkQueue } from '@vireo/kube';
import { ConnectionError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { CREATED_BY_LABEL } from '../wellKnown.ts';
import { act } from './act.ts';
import { decide, isActive } from './decide.ts';
import { domainKey } from './domains.ts';
import { machineFiles, machinesWithFiles, removeFiles } from './files.ts';
import { instanceKey, instanceUid } from './launcher.ts';
import { type Machine, type MachineMemory, newMemory } from './machine.ts';
import { Writer } from './write.ts';

const CONCURRENCY = 8;
/** A net below the events: whatever was missed is found after so long. */
const RESYNC_SECONDS = 300;
/** While libvirt does not answer. */
const NO_CONNECTION_MS = 1_000;

/** Keeps instances, launchers and domains of this node in step. */
export class MachineLoop {
  readonly #context: NodeContext;
  readonly #queue: WorkQueue;
  readonly #writer: Writer;
  readonly #informers: Informers;
  readonly #pods;
  readonly #vmis;
  /** By uid. */
  readonly #memories = new Map<string, MachineMemory>();
  /** Under which key a uid was seen. */
  readonly #keys = new Map<string, string>();

  constructor(context: NodeContext, queue: WorkQueue) {
    this.#context = context;
    this.#queue = queue;
    this.#writer = new Writer(context.client);
    this.#informers = new Informers(context.client, { log: context.log, clock: context.clock });
    this.#pods = this.#informers.for(Pod, {
      fieldSelector: `spec.nodeName=${context.host.name}`,
      indexes: { instance: (pod) => [instanceKey(pod) ?? ''] },
      resyncSeconds: RESYNC_SECONDS,
    });
    this.#vmis = this.#informers.for(VirtualMachineInstance);
  }

  /** Resolves when the loop knows what is and works; `ended` when it has stopped. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { log } = this.#context;
    const enqueuePod = (pod: Pod): void => {
      const key = instanceKey(pod);
      if (key) this.#queue.add(key);
    };
    this.#pods.on({ added: enqueuePod, updated: (_, pod) => enqueuePod(pod), deleted: enqueuePod });
    this.#vmis.on(enqueueKey(this.#queue));
    this.#informers.start(signal);
    await this.#informers.whenSynced();
    await this.#adopt();
    const informers = [this.#pods, this.#vmis];
    const reconcile = (key: string): Promise<Result | undefined> => this.#reconcile(key);
    const controller = { name: 'machines', queue: this.#queue, informers, reconcile, concurrency: CONCURRENCY, log };
    return { ended: runController(controller, signal) };
  }

  /** The instance of that name and what stands behind it; for whoever wants to do something with it. */
  machineOf(key: string): Machine | undefined {
    const uid = this.#vmis.get(key)?.metadata.uid;
    return uid === undefined ? undefined : this.#machine(key, uid);
  }

  /** The launcher of that name. */
  pod(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(`${namespace}/${name}`);
  }

  /** Where a launcher's guest prints to, and whether it may print more. */
  logOf({ metadata }: Pod): { path: string; isLive: () => boolean } {
    const find = (): Pod | undefined => this.pod(metadata.namespace ?? '', metadata.name ?? '');
    return {
      path: machineFiles(this.#context.layout, metadata.labels?.[CREATED_BY_LABEL] ?? '').serialLog,
      isLive: () => {
        const pod = find();
        if (!pod || ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return false;
        const domain = this.#context.domains.get(instanceUid(pod));
        return domain === undefined || isActive(domain.state);
      },
    };
  }

  lookAt(key: string): void {
    this.#queue.add(key);
  }

  /** Takes over what an earlier run left: domains are looked at, files of nobody are removed. */
  async #adopt(): Promise<void> {
    const { domains, layout } = this.#context;
    for (const { ref } of domains.all()) this.#queue.add(domainKey(ref));
    const owners = new Map(this.#pods.list().map((pod) => [instanceUid(pod), instanceKey(pod)]));
    for (const uid of await machinesWithFiles(layout)) {
      const domain = domains.get(uid);
      const key = owners.get(uid) ?? (domain && domainKey(domain.ref));
      if (key === undefined) await removeFiles(machineFiles(layout, uid), { log: false });
      else {
        this.#keys.set(uid, key);
        this.#memory(uid).hasFiles = true;
      }
    }
  }

  async #reconcile(key: string): Promise<Result | undefined> {
    const current = this.#vmis.get(key)?.metadata.uid;
    const others = this.#uidsOf(key).filter((uid) => uid !== current);
    for (const uid of others) await this.#step(key, uid);
    // libvirt takes a name once: the successor waits until its predecessor is gone.
    const isNameTaken = others.some((uid) => this.#context.domains.get(uid));
    return current === undefined || isNameTaken ? undefined : this.#step(key, current);
  }

  /** Everything that was ever on this node under that name and is not forgotten. */
  #uidsOf(key: string): string[] {
    const ofPods = this.#pods.byIndex('instance', key).map(instanceUid);
    const ofDomains = this.#context.domains.ofKey(key).map(({ ref }) => ref.uuid);
    const remembered = [...this.#keys].filter(([, of]) => of === key).map(([uid]) => uid);
    return [...new Set([...ofPods, ...ofDomains, ...remembered])];
  }

  async #step(key: string, uid: string): Promise<Result | undefined> {
    this.#keys.set(uid, key);
    const machine = this.#machine(key, uid);
    const decision = decide({
      vmi: machine.vmi,
      pod: machine.pod,
      domain: machine.domain?.state,
      hasFiles: machine.memory.hasFiles,
      shutdownAskedAtMs: machine.memory.shutdownAskedAtMs,
      nowMs: this.#context.clock.now(),
    });
    this.#context.log.debug('decided', { key, uid, ...decision });
    try {
      const result = await act(decision, machine, this.#context, this.#writer);
      if (!machine.pod && !this.#context.domains.get(uid) && !machine.memory.hasFiles) this.#forget(uid);
      return result;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return { requeueAfterMs: NO_CONNECTION_MS };
    }
  }

  #machine(key: string, uid: string): Machine {
    const vmi = this.#writer.vmis.of(this.#vmis.get(key));
    const pod = this.#pods.byIndex('instance', key).find((each) => instanceUid(each) === uid);
    return {
      key,
      uid,
      vmi: vmi?.metadata.uid === uid ? vmi : undefined,
      pod: this.#writer.pods.of(pod),
      domain: this.#context.domains.get(uid),
      files: machineFiles(this.#context.layout, uid),
      memory: this.#memory(uid),
    };
  }

  #memory(uid: string): MachineMemory {
    let memory = this.#memories.get(uid);
    if (!memory) {
      memory = newMemory();
      this.#memories.set(uid, memory);
    }
    return memory;
  }

  #forget(uid: string): void {
    this.#memories.delete(uid);
    this.#keys.delete(uid);
    this.#writer.vmis.forget(uid);
  }
}
