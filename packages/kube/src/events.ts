import { ApiError, Event, isReason, type KubeObject, type ObjectMeta } from '@vireo/api';
import type { Client } from './client.ts';
import { type Clock, pause, systemClock } from './clock.ts';
import { isNamespaceTerminating } from './concurrentChange.ts';
import { type Correlated, EventCorrelator, type EventObjectReference, type Occurrence } from './eventCorrelator.ts';
import { ignoreNotFound } from './ignore.ts';
import { consoleLog, type Log } from './log/index.ts';
import type { ResourceClient } from './resourceClient.ts';

export interface EventRecorderOptions {
  /** Who reports: `replicaset-controller`. */
  readonly component: string;
  readonly host?: string;
  readonly clock?: Clock;
  readonly log?: Log;
}

const MAX_WAITING = 1000;
/** A write waits for the disk, and many can wait together. */
const BATCH_SIZE = 16;
const MAX_ATTEMPTS = 12;
const RETRY_MS = 10_000;

/**
 * Tells users what happened to an object. Recording never waits, never throws and never holds up the caller: events
 * that cannot be written are logged and dropped.
 *
 * @example
 * const recorder = new EventRecorder(client, { component: 'vm-controller' });
 * recorder.event(vm, 'Warning', 'FailedCreate', 'the launcher pod was refused: …');
 */
export class EventRecorder {
  readonly #client: ResourceClient<Event>;
  readonly #component: string;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #correlator: EventCorrelator;
  readonly #waiting: Occurrence[] = [];
  readonly #stop = new AbortController();
  #writing: Promise<void> | undefined;
  #isDropping = false;
  /** Begins anywhere: recorders of one process may tell of objects of one name at one moment. */
  #sequence = Math.floor(Math.random() * 1_000_000);

  constructor(client: Client, { component, host = '', clock = systemClock, log = consoleLog }: EventRecorderOptions) {
    this.#client = client.of(Event);
    this.#component = component;
    this.#host = host;
    this.#clock = clock;
    this.#log = log;
    this.#correlator = new EventCorrelator(clock);
  }

  event(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.length >= MAX_WAITING) {
      // One line for all of them: a controller that makes thousands of objects would fill the log.
      if (!this.#isDropping)
        this.#log.warn('too many events are queued; dropped one', object, { reason, said: message });
      this.#isDropping = true;
      return;
    }
    // Only once there is room again: a queue that stays full drops and takes in turn.
    if (this.#waiting.length < MAX_WAITING / 2) this.#isDropping = false;
    this.#waiting.push({ involvedObject: reference(object), type, reason, message });
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when all events so far are written or given up. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Drops what waits and takes no more. */
  close(): void {
    this.#waiting.length = 0;
    this.#stop.abort();
  }

  async #writeAll(): Promise<void> {
    // The caller has to note that this runs before it ends: with nothing to write it would end at once.
    await Promise.resolve();
    for (let next = this.#nextBatch(); next.length > 0; next = this.#nextBatch()) {
      await Promise.all(
        next.map(async (occurrence) => {
          const correlated = this.#correlator.correlate(occurrence);
          if (correlated) await this.#write(occurrence, correlated);
        }),
      );
    }
    this.#writing = undefined;
  }

  /** The oldest that wait, of different objects each: the events of one object are written in order. */
  #nextBatch(): Occurrence[] {
    const objects = new Set<string>();
    let count = 0;
    for (const { involvedObject } of this.#waiting.slice(0, BATCH_SIZE)) {
      const { kind, namespace, name } = involvedObject;
      const object = `${kind}/${namespace}/${name}`;
      if (objects.has(object)) break;
      objects.add(object);
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(occurrence: Occurrence, correlated: Correlated): Promise<void> {
    for (let attempt = 1; !this.#stop.signal.aborted; attempt++) {
      try {
        const name = await this.#writeOnce(occurrence, correlated);
        this.#correlator.wasWritten(correlated, name);
        return;
      } catch (error) {
        // What a new event does not find is its namespace; what happens in one that goes goes with it.
        if (isNamespaceTerminating(error) || isReason(error, 'NotFound')) return;
        if (!isPassing(error) || attempt === MAX_ATTEMPTS) {
          const { reason, message, involvedObject } = occurrence;
          const { kind = '', namespace, name = '', uid } = involvedObject;
          this.#log.warn('cannot write an event', { kind, namespace, name, uid }, { reason, said: message, error });
          return;
        }
        await pause(RETRY_MS * (0.5 + Math.random() / 2), this.#stop.signal, this.#clock);
      }
    }
  }

  /** The name of the event on the server. */
  async #writeOnce(occurrence: Occurrence, correlated: Correlated): Promise<string> {
    const { signal } = this.#stop;
    const namespace = occurrence.involvedObject.namespace ?? 'default';
    const { existingName, message, count, lastTimestamp } = correlated;
    if (existingName !== undefined) {
      const patch = { message, count, lastTimestamp };
      const options = { namespace, type: 'merge', signal } as const;
      // Events expire after a while; then the count goes on in a new one.
      if (await this.#client.patch(existingName, patch, options).catch(ignoreNotFound)) return existingName;
    }
    const created = await this.#client.create(this.#event(occurrence, correlated, namespace), { signal });
    return created.metadata.name;
  }

  #event({ involvedObject, type, reason }: Occurrence, correlated: Correlated, namespace: string): Event {
    const { message, count, firstTimestamp, lastTimestamp } = correlated;
    const metadata: ObjectMeta = { name: this.#uniqueName(involvedObject.name ?? ''), namespace };
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject,
      type,
      reason,
      message,
      count,
      firstTimestamp,
      lastTimestamp,
      source: { component: this.#component, ...(this.#host && { host: this.#host }) },
      reportingComponent: this.#component,
      reportingInstance: this.#host,
    };
  }

  /** As client-go names them: the object, and the moment in hexadecimal nanoseconds; here with a counter below. */
  #uniqueName(object: string): string {
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    const nanoseconds = BigInt(Math.floor(this.#clock.now())) * 1_000_000n + BigInt(this.#sequence);
    // The suffix is 17 characters; names end at 253.
    return `${object.slice(0, 236)}.${nanoseconds.toString(16)}`;
  }
}

const reference = ({ apiVersion, kind, metadata }: KubeObject): EventObjectReference => ({
  apiVersion,
  kind,
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
});

/** The server did not answer, or is busy. A refusal will not change. */
const isPassing = (error: unknown): boolean => !(error instanceof ApiError) || error.code >= 500 || error.code === 429;
