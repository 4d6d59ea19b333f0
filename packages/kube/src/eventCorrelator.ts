import { timestamp } from '@vireo/api';
import { type Clock, systemClock } from './clock.ts';
import { LruMap } from './lru.ts';
import { TokenBucket } from './rateLimiter.ts';

/** What happened to whom, before it is known whether it happened before. */
export interface Occurrence {
  readonly involvedObject: EventObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface EventObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What to write: a new event, or the count and time of one that exists. */
export interface Correlated {
  /** Where `wasWritten` files the result. */
  readonly key: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  /** The event to count up; absent: a new one. */
  readonly existingName?: string;
}

interface Seen {
  readonly count: number;
  readonly firstTimestamp: string;
  readonly name?: string;
}

const REMEMBERED = 4096;
const SIMILAR_LIMIT = 10;
const SIMILAR_WINDOW_MS = 600_000;
const SPAM_BURST = 25;
const SPAM_RATE_PER_SECOND = 1 / 300;

/**
 * Keeps events readable and few, with the numbers of client-go: the same event again counts up the first one; after ten
 * messages of one reason in ten minutes the rest are counted as one; an object gets 25 events, then one in five minutes.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #seen = new LruMap<string, Seen>(REMEMBERED);
  readonly #similar = new LruMap<string, { messages: Set<string>; lastAt: number }>(REMEMBERED);
  readonly #budgets = new LruMap<string, TokenBucket>(REMEMBERED);

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** What to write for an occurrence; undefined when the object has had its share. */
  correlate(occurrence: Occurrence): Correlated | undefined {
    const { key, message } = this.#aggregate(occurrence);
    const now = timestamp(new Date(this.#clock.now()));
    const before = this.#seen.get(key);
    const count = (before?.count ?? 0) + 1;
    const firstTimestamp = before?.firstTimestamp ?? now;
    this.#seen.set(key, { count, firstTimestamp, name: before?.name });
    if (!this.#budget(occurrence.involvedObject).tryTake()) return undefined;
    return { key, message, count, firstTimestamp, lastTimestamp: now, existingName: before?.name };
  }

  /** The event is on the server under this name: from now on it is counted up. */
  wasWritten({ key, count, firstTimestamp }: Correlated, name: string): void {
    const seen = this.#seen.get(key);
    this.#seen.set(key, { count: seen?.count ?? count, firstTimestamp, name });
  }

  #aggregate({ involvedObject, type, reason, message }: Occurrence): { key: string; message: string } {
    const group = [objectKey(involvedObject), type, reason].join('\n');
    const now = this.#clock.now();
    const known = this.#similar.get(group);
    const isRecent = known !== undefined && now - known.lastAt <= SIMILAR_WINDOW_MS;
    const messages = isRecent ? known.messages : new Set<string>();
    messages.add(message);
    this.#similar.set(group, { messages, lastAt: now });
    if (messages.size < SIMILAR_LIMIT) return { key: `${group}\n${message}`, message };
    // One more than the limit would only make the set grow; any will do to keep it at the limit.
    for (const oldest of messages) {
      messages.delete(oldest);
      break;
    }
    return { key: group, message: `(combined from similar events): ${message}` };
  }

  #budget(object: EventObjectReference): TokenBucket {
    const key = objectKey(object);
    const known = this.#budgets.get(key);
    if (known) return known;
    const bucket = new TokenBucket({ ratePerSecond: SPAM_RATE_PER_SECOND, burst: SPAM_BURST, clock: this.#clock });
    this.#budgets.set(key, bucket);
    return bucket;
  }
}

const objectKey = ({ apiVersion, kind, namespace, name, uid }: EventObjectReference): string =>
  [apiVersion, kind, namespace, name, uid].join('\n');
