import { readFile } from 'node:fs/promises';
import { type KubeObject, Node } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  ORPHANS_ANNOTATION,
  type OrphanedGuest,
  RESTORED_ANNOTATION,
  STOP_ORPHANS_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/restored.ts';
import { pause } from '@vireo/kube';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { replaceFile } from '../replaceFile.ts';
import { isDomainActive } from '../vmi/decide.ts';
import { domainKey } from '../vmi/domainInformer.ts';
import { isForeign } from './foreignGuests.ts';
import { readVmi } from './readVmi.ts';

const POLL_MS = 5_000;
/** How long a guest that is to stop has to shut down. */
const SHUTDOWN_MS = 60_000;

/** What is remembered from one run of the agent to the next. */
interface Remembered {
  /** Which server, restored from which backup, this node knows. */
  readonly server: string;
  readonly orphans: readonly OrphanedGuest[];
}

type Parts = Pick<
  NodeContext,
  'client' | 'kubelet' | 'libvirt' | 'domains' | 'host' | 'recorder' | 'log' | 'clock' | 'enqueue'
> & {
  readonly file: string;
};

/**
 * Guests that run here and that the server does not know, because it was restored from a backup that is older than they
 * are, or because the agent was pointed at another server. That it knows no such VMI is then no reason to end them: an
 * administrator decides.
 */
export class Orphans {
  readonly #parts: Parts;
  #remembered: Remembered | undefined;
  /** When those that are to stop were asked to, by uid. */
  readonly #askedAtMs = new Map<string, number>();
  #checking: Promise<void> | undefined;
  /** What the Node says; unknown at first. */
  #reported: { readonly text: string | undefined } | undefined;

  private constructor(parts: Parts, remembered: Remembered | undefined) {
    this.#parts = parts;
    this.#remembered = remembered;
  }

  /** Reads what an earlier run knew, and finds out whether the server is still the same. */
  static async open(parts: Parts): Promise<Orphans> {
    const text = await readFile(parts.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const orphans = new Orphans(parts, text === undefined ? undefined : (JSON.parse(text) as Remembered));
    await orphans.#check();
    return orphans;
  }

  /**
   * Whether a guest is left alone although the server says that it is not this node's. The server is asked each time: it
   * may have been restored just now.
   */
  async has(uid: string): Promise<boolean> {
    await this.#check();
    return this.#list.some((each) => each.uid === uid);
  }

  get #list(): readonly OrphanedGuest[] {
    return this.#remembered?.orphans ?? [];
  }

  #check(): Promise<void> {
    this.#checking ??= this.#compare().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #compare(): Promise<void> {
    const { client, kubelet, domains, host } = this.#parts;
    const settings = await client.of(KubeVirt).find(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE });
    const restored = settings?.metadata.annotations?.[RESTORED_ANNOTATION];
    const server = `${settings?.metadata.uid ?? ''} ${restored ?? ''}`;
    if (server === this.#remembered?.server) return;
    const running = domains.all().filter(({ state }) => isDomainActive(state));
    // A home that knows of no server is of the version before, or was damaged: a server that knows its Node is the same.
    const isFirst = this.#remembered === undefined && restored === undefined;
    const isSame = isFirst && (running.length === 0 || (await kubelet.of(Node).find(host.name)) !== undefined);
    const orphans: OrphanedGuest[] = [];
    for (const { ref } of isSame ? [] : running) {
      const key = domainKey(ref);
      if (isForeign(await readVmi(client, key, ref.uuid), host.name)) orphans.push({ key, uid: ref.uuid });
    }
    await this.#remember({ server, orphans });
    if (orphans.length === 0) return;
    const names = orphans.map(({ key }) => key).join(', ');
    const message =
      `the server was restored, or is another one than before, and does not know these guests, which run here: ${names}. ` +
      'They are left alone. If this is the wrong server: vireo join HOST:PORT with the right one. To list and stop them: vireo orphans';
    this.#parts.log.warn(message, nodeReference(host.name));
    this.#parts.recorder.event(nodeReference(host.name), 'Warning', 'OrphanedGuests', message);
  }

  async #remember(remembered: Remembered): Promise<void> {
    this.#remembered = remembered;
    await replaceFile(this.#parts.file, JSON.stringify(remembered), { flush: true });
  }

  /** Reports the guests on the Node, and stops those that an administrator names there, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, host } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        if (!signal.aborted) log.warn('cannot report on orphaned guests', nodeReference(host.name), { error });
      }
      await pause(POLL_MS, signal, clock);
    }
  }

  async #look(): Promise<void> {
    const { kubelet, host, domains, enqueue } = this.#parts;
    const ended = this.#list.filter(({ uid }) => !isDomainActive(domains.get(uid)?.state));
    if (ended.length > 0 && this.#remembered) {
      await this.#remember({ ...this.#remembered, orphans: this.#list.filter((each) => !ended.includes(each)) });
      for (const { key } of ended) enqueue(key);
    }
    const text = this.#list.length > 0 ? JSON.stringify(this.#list) : undefined;
    if (!text && this.#reported && !this.#reported.text) return;
    const node = await kubelet.of(Node).get(host.name);
    if (node.metadata.annotations?.[ORPHANS_ANNOTATION] !== text) {
      const annotations = { [ORPHANS_ANNOTATION]: text ?? null, ...(text ? {} : { [STOP_ORPHANS_ANNOTATION]: null }) };
      await kubelet.of(Node).patch(host.name, { metadata: { annotations } }, { type: 'merge' });
    }
    this.#reported = { text };
    const toStop = node.metadata.annotations?.[STOP_ORPHANS_ANNOTATION]?.split(',') ?? [];
    for (const { uid } of this.#list) if (toStop.includes(uid)) await this.#stop(uid);
  }

  async #stop(uid: string): Promise<void> {
    const { domains, libvirt, clock } = this.#parts;
    const domain = domains.get(uid);
    if (!domain) return;
    const askedAtMs = this.#askedAtMs.get(uid) ?? clock.now();
    this.#askedAtMs.set(uid, askedAtMs);
    const isLate = clock.now() - askedAtMs >= SHUTDOWN_MS;
    const stop = isLate ? libvirt.long.destroyDomain(domain.ref) : libvirt.calls.shutdownDomain(domain.ref);
    await stop.catch((error: unknown) => {
      // It ended in the meantime.
      if (!isLibvirtError(error, 'NO_DOMAIN', 'OPERATION_INVALID')) throw error;
    });
  }
}

const nodeReference = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: Node.kind,
  metadata: { name, uid: name },
});
