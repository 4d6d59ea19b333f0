import { percentile } from '../rounds.ts';
import type { Connection, Endpoint } from './connection.ts';
import { headerBlock } from './frames.ts';
import { collectionPath } from './object.ts';
import { create, openConnections } from './requests.ts';

export interface WatchInput {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly watchers: number;
  /** The watchers are spread over these. */
  readonly connections: number;
}

/** Objects that are created one by one, each when all watchers have seen the one before. */
export interface LatencyInput {
  readonly writes: number;
}

/** Objects that are created as fast as these clients can. */
export interface BurstInput {
  readonly writes: number;
  readonly clients: number;
}

/** In milliseconds. */
export type Latencies = Readonly<Record<'acknowledgedP50' | 'acknowledgedP99' | 'sentP50' | 'sentP99', number>>;

const NEWLINE = 10;

/** Watches of one collection, and the writers that give them something to see. */
export class Watchers {
  readonly #input: WatchInput;
  readonly #connections: Connection[];
  #seen = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: (() => void) | undefined;
  #seenAt: number[] = [];
  #lastName = 0;

  static async open(input: WatchInput): Promise<Watchers> {
    const watchers = new Watchers(input, await openConnections(input.endpoint, input.connections));
    await watchers.#begin();
    return watchers;
  }

  private constructor(input: WatchInput, connections: Connection[]) {
    this.#input = input;
    this.#connections = connections;
  }

  /** How long after a write was acknowledged, and after it was sent, each watcher has its event. */
  async latency({ writes }: LatencyInput): Promise<Latencies> {
    const sinceAcknowledged: number[] = [];
    const sinceSent: number[] = [];
    const [writer] = await openConnections(this.#input.endpoint, 1);
    for (let write = 0; write < writes; write++) {
      this.#seenAt = [];
      const seenByAll = this.#expect(this.#input.watchers);
      const sentAt = performance.now();
      await create(writer!, this.#input.namespace, `latency-${++this.#lastName}`);
      const acknowledgedAt = performance.now();
      await seenByAll;
      for (const at of this.#seenAt) {
        // An event can overtake the acknowledgement: then nobody has waited.
        sinceAcknowledged.push(Math.max(0, at - acknowledgedAt));
        sinceSent.push(at - sentAt);
      }
    }
    writer!.close();
    return {
      acknowledgedP50: percentile(sinceAcknowledged, 50),
      acknowledgedP99: percentile(sinceAcknowledged, 99),
      sentP50: percentile(sinceSent, 50),
      sentP99: percentile(sinceSent, 99),
    };
  }

  /** Events a second, from the first write until all watchers have seen all of them. */
  async burst({ writes, clients }: BurstInput): Promise<{ eventsPerSecond: number }> {
    const writers = await openConnections(this.#input.endpoint, clients);
    const seenByAll = this.#expect(writes * this.#input.watchers);
    const startedAt = performance.now();
    let begun = 0;
    const write = async (connection: Connection): Promise<void> => {
      while (begun++ < writes) await create(connection, this.#input.namespace, `burst-${++this.#lastName}`);
    };
    await Promise.all([...writers.map(write), seenByAll]);
    const seconds = (performance.now() - startedAt) / 1000;
    for (const connection of writers) connection.close();
    return { eventsPerSecond: (writes * this.#input.watchers) / seconds };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  /** Resolves when the server has answered every watch. */
  async #begin(): Promise<void> {
    const { namespace, watchers } = this.#input;
    const block = headerBlock('GET', `${collectionPath(namespace)}?watch=true`, { accept: 'application/json' });
    const open = (connection: Connection): Promise<void> =>
      new Promise((resolve, reject) => {
        connection.request(block, undefined, {
          onHeaders: resolve,
          onData: (chunk) => this.#count(chunk),
          onEnd: (status) => reject(new Error(`a watch ended with status ${status}`, { cause: connection.error })),
        });
      });
    const opened = Array.from({ length: watchers }, (_, index) =>
      open(this.#connections[index % this.#connections.length]!),
    );
    await Promise.all(opened);
  }

  /** An event is a line. */
  #count(chunk: Buffer): void {
    const now = performance.now();
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      this.#seen++;
      this.#seenAt.push(now);
    }
    if (this.#seen >= this.#wanted) this.#reached?.();
  }

  #expect(events: number): Promise<void> {
    this.#wanted = this.#seen + events;
    this.#seenAt = [];
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }
}
