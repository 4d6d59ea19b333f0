import type { Caller, EventSource, SubscribeOptions, Subscription } from './caller.ts';
import { int, optional, struct } from './codec.ts';
import { type DomainEventName, type DomainEventPayload, domainEvents, readEvent } from './events.ts';
import { procedure } from './protocol.ts';
import { domain } from './types.ts';
import { XdrReader } from './xdr.ts';

const register = procedure(
  'connectDomainEventCallbackRegisterAny',
  struct({ event: int, domain: optional(domain) }),
  struct({ callback: int }),
);
const deregister = procedure('connectDomainEventCallbackDeregisterAny', struct({ callback: int }), struct({}));

/** Most events kept for registrations that are not answered yet. */
const maxEarlyEvents = 10_000;

type Handler = (payload: unknown) => void;

/** The subscriptions of one connection. */
export class EventHub implements EventSource {
  readonly #caller: Pick<Caller, 'call'>;
  readonly #handlers = new Map<number, Handler>();
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
    this.#registering += 1;
    let callback: number;
    try {
      callback = (await this.#caller.call(register, { event: domainEvents[name].id, domain: options.domain })).callback;
      this.#handlers.set(callback, handler as Handler);
      this.#deliverEarly(callback);
    } finally {
      this.#registering -= 1;
      if (this.#registering === 0) this.#early = [];
    }
    return {
      cancel: async () => {
        if (this.#handlers.delete(callback)) await this.#caller.call(deregister, { callback });
      },
    };
  }

  /**
   * A message from the daemon. The first events of a registration may overtake the reply that tells its number, and
   * others come in the same read as the reply, before whoever awaits it goes on; so unknown ones are kept meanwhile.
   */
  receive(procedureNumber: number, body: Buffer): void {
    const message = readEvent(procedureNumber, new XdrReader(body));
    if (!message) return;
    const handler = this.#handlers.get(message.callback);
    if (handler) deliver(handler, message.payload);
    else if (this.#registering > 0 && this.#early.length < maxEarlyEvents) this.#early.push(message);
  }

  #deliverEarly(callback: number): void {
    const early = this.#early.filter((message) => message.callback === callback);
    this.#early = this.#early.filter((message) => message.callback !== callback);
    for (const { payload } of early) {
      const handler = this.#handlers.get(callback);
      if (handler) deliver(handler, payload);
    }
  }
}

/** A handler that throws is a bug of its owner: the process hears of it, the connection does not suffer. */
function deliver(handler: Handler, payload: unknown): void {
  try {
    handler(payload);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
