import { timestamp } from '@vireo/api';
import { type Clock, systemClock } from './clock.ts';

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
  readonly counted: CountedEvent;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  /** The event to count up; absent: a new one. */
  readonly existingName?: string;
}

/** One event, as often as it happened. Thousands are kept: no more than is needed to count it up. */
interface CountedEvent {
  readonly message: string;
  readonly firstAt: number;
  count: number;
  name: string | undefined;
}

/** Events of one object that differ in their message only. */
interface Similar {
  readonly type: Occurrence['type'];
  readonly reason: string;
  lastAt: number;
  /** Messages since there was silence for a while. */
  recent: number;
  counted: readonly CountedEvent[];
  combined: CountedEvent | undefined;
}

interface History {
  /** Events that the object may have, as of `lastAt`. */
  budget: number;
  lastAt: number;
  groups: readonly Similar[];
}

/** A quarter of what client-go remembers, for here everything is in one process. */
const REMEMBERED = 1024;
/** The server forgets an event after so long: there would be nothing to count up. */
const REMEMBERED_MS = 3_600_000;
const SIMILAR_LIMIT = 10;
const SIMILAR_WINDOW_MS = 600_000;
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;

/**
 * Keeps events readable and few, as client-go does: the same event again counts up the first one; after ten
 * messages of one reason in ten minutes the rest are counted as one; an object gets 25 events, then one in five minutes.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  /** The one without an event for longest comes first. */
  readonly #histories = new Map<string, History>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#histories.size;
  }

  /** What to write for an occurrence; undefined when the object has had its share. */
  correlate(occurrence: Occurrence): Correlated | undefined {
    const now = this.#clock.now();
    const history = this.#history(occurrence.involvedObject, now);
    const similar = group(history, occurrence, now);
    const counted = find(similar, occurrence.message, now);
    counted.count += 1;
    if (history.budget < 1) return undefined;
    history.budget -= 1;
    const { message } = occurrence;
    return {
      counted,
      message: counted === similar.combined ? `(combined from similar events): ${message}` : message,
      count: counted.count,
      firstTimestamp: timestamp(new Date(counted.firstAt)),
      lastTimestamp: timestamp(new Date(now)),
      existingName: counted.name,
    };
  }

  /** The event is on the server under this name: from now on it is counted up. */
  wasWritten({ counted }: Correlated, name: string): void {
    counted.name = name;
  }

  #history(object: EventObjectReference, now: number): History {
    const key = object.uid ?? objectKey(object);
    const history = this.#histories.get(key) ?? { budget: SPAM_BURST, lastAt: now, groups: [] };
    const refill = Math.max(0, now - history.lastAt) / SPAM_REFILL_MS;
    history.budget = Math.min(SPAM_BURST, history.budget + refill);
    history.lastAt = now;
    this.#histories.delete(key);
    this.#histories.set(key, history);
    for (const [oldest, { lastAt }] of this.#histories) {
      if (this.#histories.size <= REMEMBERED && now - lastAt < REMEMBERED_MS) break;
      this.#histories.delete(oldest);
    }
    return history;
  }
}

function group(history: History, { type, reason }: Occurrence, now: number): Similar {
  let similar = history.groups.find((each) => each.type === type && each.reason === reason);
  if (!similar) {
    similar = { type, reason, lastAt: now, recent: 0, counted: [], combined: undefined };
    // No object has events for more reasons at a time. Made anew rather than pushed to: arrays that grow keep room.
    history.groups = history.groups.slice(-SPAM_BURST + 1).concat(similar);
  }
  if (now - similar.lastAt > SIMILAR_WINDOW_MS) similar.recent = 0;
  similar.lastAt = now;
  return similar;
}

function find(similar: Similar, message: string, now: number): CountedEvent {
  const known = similar.counted.find((each) => each.message === message);
  if (known) return known;
  if (similar.recent + 1 >= SIMILAR_LIMIT) {
    similar.combined ??= newCountedEvent(message, now);
    return similar.combined;
  }
  const counted = newCountedEvent(message, now);
  similar.recent += 1;
  similar.counted = similar.counted.slice(-SIMILAR_LIMIT + 2).concat(counted);
  return counted;
}

const newCountedEvent = (message: string, now: number): CountedEvent => ({
  message,
  firstAt: now,
  count: 0,
  name: undefined,
});

const objectKey = ({ apiVersion, kind, namespace, name }: EventObjectReference): string =>
  [apiVersion, kind, namespace, name].join('\n');
