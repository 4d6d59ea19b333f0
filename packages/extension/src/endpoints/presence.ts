import { isDeepStrictEqual } from 'node:util';
import { EndpointSlice, Endpoints, isReason, Lease, type Persisted } from '@vireo/api';
import {
  EXTENSION_SELECTOR,
  extensionObjectName,
  KUBEVIRT_NAMESPACE,
  VIRT_API_SERVICE,
} from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type Client,
  type Clock,
  consoleLog,
  type Informer,
  type Informers,
  ignoreNotFound,
  type Log,
  pause,
  systemClock,
} from '@vireo/kube';
import { endpointsOf, type Instance, isSliceOf, leaseOf, sliceOf, targetsOf } from './objects.ts';

export interface PresenceOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly instance: Instance;
  /** Whether the API server looks for instances in Endpoints, as those before 1.33 do. */
  readonly writesEndpoints?: boolean;
  readonly log?: Log;
  readonly clock?: Clock;
}

const RENEW_MS = 1_000;
/** After how long without a renewal the controllers take the instance for dead. */
const DURATION_SECONDS = 3;
/** No renewal is worth waiting for longer. */
const CALL_MS = 2_500;
const MAX_TRIES = 5;

/**
 * Keeps the EndpointSlice that leads API servers to an instance, and the Lease that says that it lives. Whoever finds
 * the Lease silent takes the slice away; an instance that was only slow makes both again.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #slices: Informer<EndpointSlice>;
  readonly #key: string;
  readonly #overtaken = Promise.withResolvers<void>();
  #lease: Persisted<Lease> | undefined;
  #isWithdrawn = false;
  #isOvertaken = false;
  #isFailing = false;
  #working: Promise<void> = Promise.resolve();
  #kept: Promise<void> | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? consoleLog;
    this.#slices = options.informers.for(EndpointSlice, {
      namespace: KUBEVIRT_NAMESPACE,
      labelSelector: EXTENSION_SELECTOR,
    });
    this.#key = `${KUBEVIRT_NAMESPACE}/${this.#name}`;
  }

  /** Resolves when another process has taken the name of this instance, which has to end then. */
  get overtaken(): Promise<void> {
    return this.#overtaken.promise;
  }

  /** How many other instances requests can go to. */
  get others(): number {
    return this.#slices.list().filter(({ metadata }) => metadata.name !== this.#name).length;
  }

  /** Resolves when API servers are led here; the instance is kept there until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#slices.whenSynced();
    await this.#take();
    await this.#ensureSlice();
    await this.#ensureEndpoints();
    this.#kept = this.#keep(signal);
  }

  /** Leads API servers elsewhere. */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true;
    // What is under way may be about to make the slice again.
    await this.#working;
    // The slice is that of whoever has the name now.
    if (this.#isOvertaken) return;
    await this.#client.of(EndpointSlice).delete(this.#name, this.#at()).catch(ignoreNotFound);
    await this.#ensureEndpoints();
  }

  /** Takes the Lease away as well, once the signal of `start` has aborted, unless another process has taken it over since. */
  async end(): Promise<void> {
    await this.#kept;
    if (!this.#lease || this.#isOvertaken) return;
    const { uid, resourceVersion } = this.#lease.metadata;
    await this.#client
      .of(Lease)
      .delete(this.#name, { ...this.#at(), preconditions: { uid, resourceVersion } })
      .catch((error: unknown) => {
        if (!isReason(error, 'Conflict', 'NotFound')) throw error;
      });
  }

  get #client(): Client {
    return this.#options.client;
  }

  get #name(): string {
    return extensionObjectName(this.#options.instance.name);
  }

  #at() {
    return { namespace: KUBEVIRT_NAMESPACE, signal: AbortSignal.timeout(CALL_MS) };
  }

  async #keep(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(RENEW_MS, signal, this.#clock);
      if (signal.aborted || this.#isOvertaken) return;
      this.#working = this.#work();
      await this.#working;
    }
  }

  async #work(): Promise<void> {
    try {
      await this.#renew();
      if (!this.#isWithdrawn && !this.#isOvertaken) await this.#ensureSlice();
      if (!this.#isOvertaken) await this.#ensureEndpoints();
      this.#isFailing = false;
    } catch (error) {
      // Said once: a server that is down is said to be so by others as well.
      if (!this.#isFailing) this.#log.warn('cannot renew the lease of the instance', this.#subject(), { error });
      this.#isFailing = true;
    }
  }

  async #renew(): Promise<void> {
    if (!this.#lease) return this.#take();
    try {
      this.#lease = await this.#client.of(Lease).update(this.#renewed(this.#lease), this.#at());
    } catch (error) {
      if (!isReason(error, 'Conflict', 'NotFound')) throw error;
      const found = await this.#client.of(Lease).find(this.#name, this.#at());
      this.#lease = found;
      const { holder } = this.#options.instance;
      if (found && found.spec?.holderIdentity !== holder) this.#giveUp();
      else await this.#renew();
    }
  }

  /** A process that starts under a name takes it over: the last one is dead, or ends when it finds out. */
  async #take(): Promise<void> {
    const leases = this.#client.of(Lease);
    for (let attempt = 1; ; attempt++)
      try {
        const { object, wasCreated } = await leases.createOrGet(this.#renewed(undefined), this.#at());
        this.#lease = wasCreated ? object : await leases.update(this.#renewed(object), this.#at());
        return;
      } catch (error) {
        if (attempt === MAX_TRIES || !isReason(error, 'Conflict', 'NotFound')) throw error;
      }
  }

  #giveUp(): void {
    this.#lease = undefined;
    this.#isOvertaken = true;
    this.#overtaken.resolve();
  }

  #renewed(before: Persisted<Lease> | undefined): Lease {
    return leaseOf(this.#options.instance, DURATION_SECONDS, this.#clock.now(), before);
  }

  async #ensureSlice(): Promise<void> {
    const found = this.#slices.get(this.#key);
    const { instance } = this.#options;
    if (found && isSliceOf(instance, found)) return;
    const slices = this.#client.of(EndpointSlice);
    const wanted = sliceOf(instance);
    const { object, wasCreated } = await slices.createOrGet(wanted, this.#at());
    if (wasCreated || isSliceOf(instance, object)) return;
    // The family of a slice cannot be changed.
    if (object.addressType === wanted.addressType)
      await slices.update({ ...wanted, metadata: object.metadata }, this.#at());
    else {
      await slices.delete(this.#name, this.#at()).catch(ignoreNotFound);
      await slices.create(wanted, this.#at());
    }
  }

  /** Every instance writes all of them, so that a dead one goes when the next lives. Who comes second looks again. */
  async #ensureEndpoints(): Promise<void> {
    if (!this.#options.writesEndpoints) return;
    const others = this.#slices.list().filter(({ metadata }) => metadata.name !== this.#name);
    const wanted = endpointsOf(this.#isWithdrawn ? others : [...others, sliceOf(this.#options.instance)]);
    const found = await this.#client.of(Endpoints).find(VIRT_API_SERVICE, this.#at());
    if (found && isDeepStrictEqual(targetsOf(found), targetsOf(wanted))) return;
    const write = found
      ? this.#client
          .of(Endpoints)
          .update({ ...wanted, metadata: { ...found.metadata, ...wanted.metadata } }, this.#at())
      : this.#client.of(Endpoints).create(wanted, this.#at());
    await write.catch((error: unknown) => {
      if (!isReason(error, 'Conflict', 'AlreadyExists')) throw error;
    });
  }

  #subject() {
    return { kind: Lease.kind, namespace: KUBEVIRT_NAMESPACE, name: this.#name };
  }
}
