import { type FollowState, retryDelayMs } from '../decisions/connection.ts';
import { type KubeObject, keyOf } from './kinds.ts';
import { Refused } from './refused.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number; readonly message?: string };
}

/** How a collection is read: by lists and watches, over whatever carries them. */
export interface Source<T> {
  /** All objects, as they come; resolves with the version that a watch continues from. */
  list(signal: AbortSignal, onItems: (items: readonly T[]) => void): Promise<{ readonly version: string }>;
  /** Resolves when the server ends the watch; rejects with Refused, or with what broke. `onOpen`: the server has agreed. */
  watch(version: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal, onOpen: () => void): Promise<void>;
}

/** Where a collection is kept. */
export interface Sink<T> {
  put(item: T): void;
  remove(key: string): void;
  /** Removes all but these: what was listed after a cut came row by row, so that the table was never empty. */
  keepOnly(keys: ReadonlySet<string>): void;
  state(state: FollowState): void;
}

export interface Timing {
  now(): number;
  random(): number;
  /** Resolves early when it is worth a try, such as when the network is back. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

const GONE = 410;
/** For how long permissions that are missing are not asked about again. */
const REFUSED_PAUSE_MS = 60_000;
/** A login that has ended may be renewed any time, such as in the kubeconfig of `vireo dashboard`. */
const LOGIN_PAUSE_MS = 5_000;
/** A watch that ends sooner was no watch: it must not be opened again and again. One that lasted starts the pauses anew. */
const SHORT_WATCH_MS = 1_000;

/** Keeps a collection up to date until the signal aborts. */
export async function follow<T extends KubeObject>(
  source: Source<T>,
  sink: Sink<T>,
  timing: Timing,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  let attempt = 0;
  let heardAtMs: number | undefined;
  let cutAtMs: number | undefined;
  let isLive = false;
  const hear = (): void => {
    heardAtMs = timing.now();
    cutAtMs = undefined;
    if (!isLive) sink.state({ kind: 'live' });
    isLive = true;
  };
  sink.state({ kind: 'loading' });
  while (!signal.aborted) {
    let openedAtMs: number | undefined;
    const hasLasted = (): boolean => openedAtMs !== undefined && timing.now() - openedAtMs >= SHORT_WATCH_MS;
    let reason = 'the server ended the watch';
    try {
      if (version === undefined) {
        const keys = new Set<string>();
        const listed = await source.list(signal, (items) => {
          for (const item of items) {
            keys.add(keyOf(item));
            sink.put(item);
          }
        });
        sink.keepOnly(keys);
        version = listed.version;
        hear();
      }
      await source.watch(
        version,
        (event) => {
          hear();
          attempt = 0;
          if (event.type === 'ERROR')
            throw new Refused(event.object.code ?? 500, event.object.message ?? 'watch failed');
          version = event.object.metadata.resourceVersion ?? version;
          if (event.type === 'DELETED') sink.remove(keyOf(event.object));
          else if (event.type !== 'BOOKMARK') sink.put(event.object as unknown as T);
        },
        signal,
        () => {
          openedAtMs = timing.now();
          hear();
        },
      );
      if (hasLasted()) {
        attempt = 0;
        continue;
      }
    } catch (error) {
      if (signal.aborted) return;
      reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Refused && error.code === GONE) version = undefined;
      if (error instanceof Refused && (error.code === 401 || error.code === 403 || error.code === 404)) {
        isLive = false;
        sink.state({ kind: 'refused', code: error.code, reason });
        version = undefined;
        await timing.pause(error.code === 401 ? LOGIN_PAUSE_MS : REFUSED_PAUSE_MS, signal);
        continue;
      }
    }
    if (signal.aborted) return;
    if (hasLasted()) attempt = 0;
    const delayMs = retryDelayMs(attempt, timing.random());
    attempt += 1;
    cutAtMs ??= timing.now();
    isLive = false;
    sink.state({ kind: 'waiting', retryAtMs: timing.now() + delayMs, heardAtMs, cutAtMs, reason });
    await timing.pause(delayMs, signal);
  }
}
