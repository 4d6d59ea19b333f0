import { type Clock, type Log, type LogSubject, parseKey } from '@vireo/kube';
import {
  ConnectionError,
  type DomainRef,
  type DomainState,
  isLibvirtError,
  type ReconnectingLibvirt,
} from '@vireo/libvirt';
import { isDomainActive, isStartingUp } from './decide.ts';
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

/** Changes that came without an event are found after so long. */
const RESYNC_MS = 300_000;
/**
 * A new daemon answers while it still looks for the guests of the last one, and tells nobody which of them it gives up.
 * It waits for a silent monitor for half a minute.
 */
const SETTLING_MS = [1_000, 4_000, 12_000, 40_000];
/** Nor is there an event for the end of a start that the last daemon began. */
const STARTING_MS = 500;

/**
 * Caches the domains of the hypervisor: refreshes one when libvirt has an event of it, and all on every new connection.
 * Calls `onChange` for every refresh.
 */
export class DomainInformer {
  readonly #libvirt: ReconnectingLibvirt;
  readonly #domains = new Map<string, Domain>();
  readonly #keys = new KeyIndex();
  readonly #onChange: (key: string) => void;
  readonly #log: Log;
  /** The last refresh of each domain: the next begins after it, so that an old answer never follows a newer one. */
  readonly #refreshes = new Map<string, Promise<void>>();
  /** Called when a domain was seen while it was starting. */
  #onStartingUp: (ref: DomainRef) => void = () => {};

  constructor(libvirt: ReconnectingLibvirt, onChange: (key: string) => void, log: Log) {
    this.#libvirt = libvirt;
    this.#onChange = onChange;
    this.#log = log;
  }

  /** Resolves when the present state is known; follows it until `signal` aborts. */
  async start(clock: Clock, signal: AbortSignal): Promise<void> {
    const logFailure = (refresh: Promise<void>, ref?: DomainRef): void => {
      refresh.catch((error: unknown) => {
        if (!signal.aborted) this.#log.error('cannot read the libvirt domains', ref && domainSubject(ref), { error });
      });
    };
    const later = new Map<string, () => void>();
    /** Of several refreshes of one name only the last that was asked for happens. */
    const refreshAfter = (ms: number, name: string, refresh: () => Promise<void>): void => {
      later.get(name)?.();
      if (signal.aborted) return;
      const cancel = clock.after(ms, () => {
        later.delete(name);
        logFailure(refresh());
      });
      later.set(name, cancel);
    };
    const stop = (): void => {
      for (const cancel of later.values()) cancel();
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#onStartingUp = (ref) => refreshAfter(STARTING_MS, ref.uuid, () => this.refresh(ref));
    await this.#libvirt.subscribe('lifecycle', ({ domain }) => logFailure(this.refresh(domain), domain));
    for (const event of [
      'agentLifecycle',
      'deviceAdded',
      'deviceRemoved',
      'trayChange',
      'memoryDeviceSizeChange',
    ] as const)
      await this.#libvirt.subscribe(event, ({ domain }) =>
        logFailure(this.refresh(domain, { rereadXml: true }), domain),
      );
    const settle = (): void => {
      for (const ms of SETTLING_MS) refreshAfter(ms, `after ${ms} ms`, () => this.refreshAll({ rereadXml: false }));
    };
    this.#libvirt.on('connected', () => {
      logFailure(this.refreshAll());
      settle();
    });
    await this.refreshAll();
    settle();
    const resync = (): Promise<void> => {
      refreshAfter(RESYNC_MS, 'resync', resync);
      return this.refreshAll();
    };
    refreshAfter(RESYNC_MS, 'resync', resync);
  }

  get(uuid: string): Domain | undefined {
    return this.#domains.get(uuid);
  }

  /** Those of one VMI's name: its own, and what its predecessors left. */
  ofKey(key: string): Domain[] {
    return [...this.#keys.uidsOf(key)].flatMap((uuid) => this.#domains.get(uuid) ?? []);
  }

  all(): Domain[] {
    return [...this.#domains.values()];
  }

  /**
   * Asks about one domain; used after an action too, so that the next decision sees its outcome. Its description is read
   * when it goes up or down, and with `rereadXml`.
   */
  async refresh(ref: DomainRef, options: { rereadXml: boolean } = { rereadXml: false }): Promise<void> {
    const before = this.#refreshes.get(ref.uuid) ?? Promise.resolve();
    const refresh = before.catch(() => {}).then(() => this.#read(ref, options));
    this.#refreshes.set(ref.uuid, refresh);
    try {
      await refresh;
    } finally {
      if (this.#refreshes.get(ref.uuid) === refresh) this.#refreshes.delete(ref.uuid);
    }
  }

  async #read(ref: DomainRef, { rereadXml }: { rereadXml: boolean }): Promise<void> {
    try {
      const { calls } = this.#libvirt;
      const state = await calls.domainState(ref);
      const known = this.#domains.get(ref.uuid);
      const isSame = known !== undefined && isDomainActive(known.state) === isDomainActive(state);
      const view = isSame && !rereadXml ? known.view : domainView(await calls.domainXml(ref));
      this.#set(ref, { ref, state, view });
      if (isStartingUp(state)) this.#onStartingUp(ref);
    } catch (error) {
      if (isLibvirtError(error, 'NO_DOMAIN')) this.#set(ref, undefined);
      // Without a connection nothing is known; the next `connected` looks again.
      else if (!(error instanceof ConnectionError)) throw error;
    }
  }

  async refreshAll(options: { rereadXml: boolean } = { rereadXml: true }): Promise<void> {
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
      this.#domains.set(ref.uuid, domain);
      this.#keys.set(ref.uuid, key);
    } else {
      this.#domains.delete(ref.uuid);
      this.#keys.delete(ref.uuid);
    }
    this.#onChange(key);
  }
}
