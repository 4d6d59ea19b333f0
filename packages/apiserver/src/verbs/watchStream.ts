import { groupVersion, type Kind, type Status } from '@vireo/api';
import type { StreamFrame, StreamSink } from '@vireo/kube';
import { protobufFrame } from '../protobuf/bodies.ts';
import { partialMetadata, type Representation, table } from '../representation.ts';
import type { Stored, StoreEvent, Subscription } from '../store/store.ts';

const BOOKMARK_MS = 60_000;
/** The socket is given more only while less than this waits in it. */
const BUFFER_BYTES = 1 << 20;
/** A client that falls further behind than this is cut off and has to list again. */
const MAX_WAITING_EVENTS = 10_000;
const MIN_SECONDS = 1800;

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

interface Options {
  readonly kind: Kind;
  readonly representation: Representation;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  /** The store's newest revision. */
  readonly revision: () => number;
}

/** One client's watch: initial state, events in order, bookmarks, back-pressure, and an end. */
export class WatchStream {
  readonly #sink: StreamSink;
  readonly #options: Options;
  readonly #timers: NodeJS.Timeout[] = [];
  #initial: readonly Stored[] = [];
  #initialSent = 0;
  #initialEnd: number | undefined;
  #waiting: StoreEvent[] = [];
  #waitingSent = 0;
  #sentColumns = false;
  #subscription: Subscription | undefined;
  #closed = false;
  #draining = false;

  constructor(sink: StreamSink, options: Options) {
    this.#sink = sink;
    this.#options = options;
  }

  /** `markEnd`: tell the client when the initial state is complete (WatchList). */
  begin(initial: readonly Stored[], markEnd: boolean, revision: number): void {
    if (this.#closed) return;
    this.#initial = initial;
    if (markEnd) this.#initialEnd = revision;
    const { bookmarks, timeoutSeconds } = this.#options;
    if (bookmarks) this.#every(BOOKMARK_MS, () => this.#bookmark());
    const seconds = timeoutSeconds || MIN_SECONDS * (1 + Math.random());
    this.#timers.push(setTimeout(() => this.#timeOut(), Math.min(seconds * 1000, 2 ** 31 - 1)).unref());
    this.#pump();
  }

  push(event: StoreEvent): void {
    if (this.#closed) return;
    if (this.#waiting.length - this.#waitingSent >= MAX_WAITING_EVENTS) this.end();
    else {
      this.#waiting.push(event);
      this.#pump();
    }
  }

  /** An ERROR event, then the end. */
  fail(status: Status): void {
    this.#writeLine('ERROR', status);
    this.end();
  }

  /** The subscription that feeds this stream; it ends with it. */
  follow(subscription: Subscription): void {
    if (this.#closed) subscription.close();
    this.#subscription = subscription;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#subscription?.close();
    this.#waiting = [];
    this.#initial = [];
  }

  /** A last bookmark lets the client go on from here, however little has happened to what it watches. */
  #timeOut(): void {
    if (this.#options.bookmarks) this.#bookmark();
    this.end();
  }

  #every(ms: number, action: () => void): void {
    this.#timers.push(setInterval(action, ms).unref());
  }

  /** Ends the response; the client may begin a new watch where this one stopped. */
  end(): void {
    if (this.#closed) return;
    this.close();
    this.#sink.end();
  }

  #pump(): void {
    if (this.#draining) return;
    while (!this.#closed) {
      if (this.#sink.bufferedBytes >= BUFFER_BYTES) {
        this.#draining = true;
        this.#sink.onDrain(() => {
          this.#draining = false;
          this.#pump();
        });
        return;
      }
      if (!this.#writeNext()) return;
    }
  }

  /** Whether there was something to write. */
  #writeNext(): boolean {
    const state = this.#initial[this.#initialSent];
    if (state) {
      this.#initialSent++;
      this.#writeEvent('ADDED', state);
      return true;
    }
    if (this.#initialEnd !== undefined) {
      const revision = this.#initialEnd;
      this.#initialEnd = undefined;
      this.#initial = [];
      this.#bookmark(revision, { 'k8s.io/initial-events-end': 'true' });
      return true;
    }
    const event = this.#waiting[this.#waitingSent];
    if (!event) {
      this.#waiting = [];
      this.#waitingSent = 0;
      return false;
    }
    this.#waitingSent++;
    this.#writeEvent(event.type, event.current);
    return true;
  }

  #writeEvent(type: EventType, stored: Stored): void {
    const { kind, representation } = this.#options;
    if (representation.as === 'object' && !representation.protobuf)
      this.#write(type, stored.object, () => eventBytes(type, stored));
    else if (representation.as === 'object') this.#writeLine(type, stored.object);
    else if (representation.as === 'partial') this.#writeLine(type, partialMetadata(stored.object));
    else {
      const metadata = { resourceVersion: stored.object.metadata.resourceVersion };
      this.#writeLine(type, table(kind, [stored], representation, metadata, !this.#sentColumns));
      this.#sentColumns = true;
    }
  }

  #writeLine(type: NonNullable<StreamFrame['type']>, object: object): void {
    const { protobuf } = this.#options.representation;
    this.#write(type, object, () => (protobuf ? protobufFrame(type, { ...object }) : line(type, object)));
  }

  /** Tells how far the stream has come. Only when all events up to there are written, or it would skip some. */
  #bookmark(revision = this.#options.revision(), annotations?: Record<string, string>): void {
    if (this.#closed || (this.#isBehind() && !annotations)) return;
    const { kind, representation } = this.#options;
    const object = {
      kind: kind.kind,
      apiVersion: groupVersion(kind.group, kind.version),
      metadata: { resourceVersion: String(revision), creationTimestamp: null, ...(annotations && { annotations }) },
    };
    const shown =
      representation.as === 'table'
        ? {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion: String(revision) },
            columnDefinitions: null,
            rows: [{ cells: [], object }],
          }
        : representation.as === 'partial'
          ? { ...object, kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
          : object;
    this.#writeLine('BOOKMARK', shown);
  }

  #isBehind(): boolean {
    const hasWaiting = this.#waitingSent < this.#waiting.length || this.#initialSent < this.#initial.length;
    return hasWaiting || this.#subscription?.isCaughtUp !== true;
  }

  #write(type: NonNullable<StreamFrame['type']>, object: unknown, bytes: () => Buffer): void {
    if (!this.#closed) this.#sink.write({ type, object, bytes });
  }
}

const line = (type: string, object: unknown): Buffer =>
  Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);

const TAIL = Buffer.from('}\n');
/** Larger events are put together for each watcher; few are, and keeping them would cost more than it saves. */
const MAX_SHARED_BYTES = 64 * 1024;
const MAX_SHARED = 256;
const shared = new Map<Stored, { type: EventType; bytes: Buffer }>();

/** The bytes of one event, made once for all watchers that take it in the same while. */
function eventBytes(type: EventType, stored: Stored): Buffer {
  const known = shared.get(stored);
  if (known?.type === type) return known.bytes;
  const bytes = Buffer.concat([Buffer.from(`{"type":"${type}","object":`), stored.bytes, TAIL]);
  if (bytes.length > MAX_SHARED_BYTES) return bytes;
  shared.set(stored, { type, bytes });
  if (shared.size > MAX_SHARED) shared.delete(shared.keys().next().value as Stored);
  return bytes;
}
