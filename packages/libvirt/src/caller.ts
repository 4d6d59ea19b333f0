import type { DomainEventName, DomainEventPayload } from './events.ts';
import type { Procedure } from './protocol.ts';
import type { LibvirtStream } from './streams.ts';
import type { DomainRef } from './types.ts';

export interface CallOptions {
  /** Stops waiting; the daemon may still carry the call out. */
  readonly signal?: AbortSignal;
  /** Stops waiting after this long, with a `CallTimeoutError`. Not set: as long as the connection lives. */
  readonly timeoutMs?: number;
}

/** Whatever carries calls: a connection, a client that reconnects, a pool. */
export interface Caller {
  call<Args, Result>(procedure: Procedure<Args, Result>, args: Args, options?: CallOptions): Promise<Result>;

  /** A call that opens a stream. `signal` also ends the stream later. */
  openStream<Args, Result>(
    procedure: Procedure<Args, Result>,
    args: Args,
    options?: CallOptions,
  ): Promise<{ result: Result; stream: LibvirtStream }>;
}

export interface Subscription {
  /** No event is delivered after this is called. */
  cancel(): Promise<void>;
}

export interface SubscribeOptions {
  /** Only events of this domain. */
  readonly domain?: DomainRef;
}

/** Whatever delivers events. Handlers run at once, in the order in which things happened. */
export interface EventSource {
  subscribe<Name extends DomainEventName>(
    name: Name,
    handler: (event: DomainEventPayload<Name>) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
}
