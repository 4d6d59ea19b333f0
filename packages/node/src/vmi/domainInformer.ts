import { type Clock, type Log, type LogSubject, parseKey } from '@vireo/kube';
import {
  ConnectionError,
  type DomainRef,
  type DomainState,
  isLibvirtError,
  type ReconnectingLibvirt,
} from '@vireo/libvirt';
import { isActive, isStartingUp } from './decide.ts';
import { type DomainView, domainView } from './domainView.ts';
import { KeyIndex } from './keyIndex.ts';

/** A domain of ours and its state. */
export interface Domain {
  readonly ref: DomainRef;
  readonly state: DomainState;
  readonly view: DomainView;
}

/** The key of the VMI that a domain is for; names of namespaces have no underscores. */
export const domainKey = ({ name }: DomainRef): string => name.replace('_', '/');

/** The VMI that a domain is for, as logs name it. */
export const domainSubject = (ref: DomainRef): LogSubject => ({
  kind: 'VirtualMachineInstance',
  ...parseKey(domainKey(ref)),
  uid: ref.uuid,
});

/** A net below the events: whatever they did not tell is found after so long. */
const RESYNC_MS = 300_000;
/**
 * A new daemon answers while it still looks for the guests of the last one, and tells nobody which of them it gives up.
 * It waits for a silent monitor for half a minute.
 */
const SETTLING_MS = [1_000, 4_000, 12_000, 40_000];
/** Nor is the end of a start told that the last daemon began. */
const STARTING_MS = 500;

/**
 * The domains of the hypervisor, kept in step by its events and looked up anew on every connection. Tells which one
 * changed.
 */
export class DomainInformer {
  readonly #libvirt: ReconnectingLibvirt;
  readonly #known = new Map<string, Domain>();
  readonly #names = new KeyIndex();
  readonly #onChange: (key: string) => void;
  readonly #log: Log;
  /** The last look at each domain: the next begins after it, so that an old answer never follows a newer one. */
  readonly #looks = new Map<string, Promise<void>>();
  /** Called when a domain was seen while it was starting. */
  #onStartingUp: (ref: DomainRef) => void = () => {};

  constructor(libvirt: ReconnectingLibvirt, onChange: (key: string) => void, log: Log) {
    this.#libvirt = libvirt;
    this.#onChange = onChange;
    this.#log = log;
  }

  /** Resolves when the present state is known; follows it until `signal` aborts. */
  async start(clock: Clock, signal: AbortSignal): Promise<void> {
    const logged = (look: Promise<void>, ref?: DomainRef): void => {
      look.catch((error: unknown) => {
        if (!signal.aborted) this.#log.error('cannot look at domains', ref && domainSubject(ref), { error });
      });
    };
    const later = new Map<string, () => void>();
    /** Of several looks of one name the last that was asked for counts. */
    const lookAfter = (ms: number, name: string, look: () => Promise<void>): void => {
      later.get(name)?.();
      if (signal.aborted) return;
      const cancel = clock.after(ms, () => {
        later.delete(name);
        logged(look());
      });
      later.set(name, cancel);
    };
    const stop = (): void => {
      for (const cancel of later.values()) cancel();
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#onStartingUp = (ref) => lookAfter(STARTING_MS, ref.uuid, () => this.refresh(ref));
    await this.#libvirt.subscribe('lifecycle', ({ domain }) => logged(this.refresh(domain), domain));
    for (const event of ['agentLifecycle', 'deviceAdded', 'deviceRemoved', 'trayChange'] as const)
      await this.#libvirt.subscribe(event, ({ domain }) => logged(this.refresh(domain, { anew: true }), domain));
    const settle = (): void => {
      for (const ms of SETTLING_MS) lookAfter(ms, `after ${ms} ms`, () => this.refreshAll({ anew: false }));
    };
    this.#libvirt.on('connected', () => {
      logged(this.refreshAll());
      settle();
    });
    await this.refreshAll();
    settle();
    const resync = (): Promise<void> => {
      lookAfter(RESYNC_MS, 'resync', resync);
      return this.refreshAll();
    };
    lookAfter(RESYNC_MS, 'resync', resync);
  }

  get(uuid: string): Domain | undefined {
    return this.#known.get(uuid);
  }

  /** Those of one VMI's name: its own, and what its predecessors left. */
  ofKey(key: string): Domain[] {
    return [...this.#names.uidsOf(key)].flatMap((uuid) => this.#known.get(uuid) ?? []);
  }

  all(): Domain[] {
    return [...this.#known.values()];
  }

  /**
   * Asks about one domain; used after an action too, so that the next decision sees its outcome. Its description is read
   * when it goes up or down, and when it is asked for `anew`.
   */
  async refresh(ref: DomainRef, options: { anew: boolean } = { anew: false }): Promise<void> {
    const before = this.#looks.get(ref.uuid) ?? Promise.resolve();
    const look = before.catch(() => {}).then(() => this.#look(ref, options));
    this.#looks.set(ref.uuid, look);
    try {
      await look;
    } finally {
      if (this.#looks.get(ref.uuid) === look) this.#looks.delete(ref.uuid);
    }
  }

  async #look(ref: DomainRef, { anew }: { anew: boolean }): Promise<void> {
    try {
      const { calls } = this.#libvirt;
      const state = await calls.domainState(ref);
      const known = this.#known.get(ref.uuid);
      const isSame = known !== undefined && isActive(known.state) === isActive(state);
      const view = isSame && !anew ? known.view : domainView(await calls.domainXml(ref));
      this.#set(ref, { ref, state, view });
      if (isStartingUp(state)) this.#onStartingUp(ref);
    } catch (error) {
      if (isLibvirtError(error, 'NO_DOMAIN')) this.#set(ref, undefined);
      // Without a connection nothing is known; the next `connected` looks again.
      else if (!(error instanceof ConnectionError)) throw error;
    }
  }

  async refreshAll(options: { anew: boolean } = { anew: true }): Promise<void> {
    try {
      const refs = await this.#libvirt.calls.listDomains();
      const present = new Set(refs.map(({ uuid }) => uuid));
      // One that was started since the list was made is not in it: what the list lacks is asked about like the rest.
      const lacking = this.all().flatMap(({ ref }) => (present.has(ref.uuid) ? [] : [ref]));
      await Promise.all([...refs, ...lacking].map((ref) => this.refresh(ref, options)));
    } catch (error) {
      if (!(error instanceof ConnectionError) && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    }
  }

  #set(ref: DomainRef, domain: Domain | undefined): void {
    const key = domainKey(ref);
    if (domain) {
      this.#known.set(ref.uuid, domain);
      this.#names.set(ref.uuid, key);
    } else {
      this.#known.delete(ref.uuid);
      this.#names.delete(ref.uuid);
    }
    this.#onChange(key);
  }
}
