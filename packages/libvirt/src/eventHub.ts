import type { Caller, EventSource, SubscribeOptions, Subscription } from './caller.ts';
import { int, nothing, optional, struct } from './codec.ts';
import { ConnectionError } from './errors.ts';
import { type DomainEventName, type DomainEventPayload, domainEvents, readEvent } from './events.ts';
import { procedure } from './protocol.ts';
import { domain } from './types.ts';
import { XdrReader } from './xdr.ts';

const registerAny = procedure(
  'connectDomainEventCallbackRegisterAny',
  struct({ event: int, domain: optional(domain) }),
  struct({ callback: int }),
);
const deregisterAny = procedure('connectDomainEventCallbackDeregisterAny', struct({ callback: int }), nothing);

/** Most events kept for registrations that are not answered yet. */
const maxEarlyEvents = 10_000;

type Handler = (payload: unknown) => void;

/** libvirt takes an event of a domain once a connection, so all who want it share one registration. */
interface Registration {
  readonly subscribers: Set<{ readonly handler: Handler }>;
  readonly callback: Promise<number>;
}

/** The subscriptions of one connection. */
export class EventHub implements EventSource {
  readonly #caller: Pick<Caller, 'call'>;
  readonly #registrations = new Map<string, Registration>();
  readonly #byCallback = new Map<number, Registration>();
  /** Deregistrations under way: who wants the same event again must wait for them. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  #registering = 0;
  #early: { callback: number; payload: unknown }[] = [];

  constructor(caller: Pick<Caller, 'call'>) {
    this.#caller = caller;
  }

  async subscribe<Name extends DomainEventName>(
    name: Name,
    handler: (event: DomainEventPayload<Name>) => void,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    const key = `${name} ${options.domain?.uuid ?? ''}`;
    const registration = this.#registrations.get(key) ?? this.#register(key, name, options);
    const subscriber = { handler: handler as Handler };
    registration.subscribers.add(subscriber);
    await registration.callback;
    return {
      cancel: async () => {
        registration.subscribers.delete(subscriber);
        if (registration.subscribers.size === 0) await this.#deregister(key, registration);
      },
    };
  }

  #register(key: string, name: DomainEventName, options: SubscribeOptions): Registration {
    const register = async (): Promise<number> => {
      this.#registering += 1;
      try {
        await this.#leaving.get(key);
        const asked = { event: domainEvents[name].id, domain: options.domain };
        const { callback } = await this.#caller.call(registerAny, asked);
        this.#byCallback.set(callback, registration);
        this.#deliverEarly(callback, registration);
        return callback;
      } catch (error) {
        this.#registrations.delete(key);
        throw error;
      } finally {
        this.#registering -= 1;
        if (this.#registering === 0) this.#early = [];
      }
    };
    const registration: Registration = { subscribers: new Set(), callback: Promise.resolve().then(register) };
    this.#registrations.set(key, registration);
    return registration;
  }

  async #deregister(key: string, registration: Registration): Promise<void> {
    if (this.#registrations.get(key) !== registration) return;
    this.#registrations.delete(key);
    const callback = await registration.callback;
    this.#byCallback.delete(callback);
    // A registration ends with its connection: then nothing is left to do.
    const left = this.#caller.call(deregisterAny, { callback }).catch((error: unknown) => {
      if (!(error instanceof ConnectionError)) throw error;
    });
    const over = left.catch(() => {});
    this.#leaving.set(key, over);
    await left;
    if (this.#leaving.get(key) === over) this.#leaving.delete(key);
  }

  /**
   * A message from the daemon. The first events of a registration may overtake the reply that tells its number, and
   * others come in the same read as the reply, before whoever awaits it goes on; so unknown ones are kept meanwhile.
   */
  receive(procedureNumber: number, body: Buffer): void {
    const message = readEvent(procedureNumber, new XdrReader(body));
    if (!message) return;
    const registration = this.#byCallback.get(message.callback);
    if (registration) deliver(registration, message.payload);
    else if (this.#registering > 0 && this.#early.length < maxEarlyEvents) this.#early.push(message);
  }

  #deliverEarly(callback: number, registration: Registration): void {
    const early = this.#early.filter((message) => message.callback === callback);
    this.#early = this.#early.filter((message) => message.callback !== callback);
    for (const { payload } of early) deliver(registration, payload);
  }
}

/** A handler that throws is a bug of its owner: the process hears of it, the connection does not suffer. */
function deliver({ subscribers }: Registration, payload: unknown): void {
  for (const { handler } of subscribers) {
    try {
      handler(payload);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
