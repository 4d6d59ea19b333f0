import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: ((options: { readonly type: 'minor' }) => void) | undefined;

/**
 * Clears away what was allocated a moment ago and is not used any more, which takes a millisecond. Whoever lets a
 * stream of buffers pass does so every few megabytes: V8 does not count the memory behind buffers as young, and looks
 * through all objects of the process whenever 64 MB of it have come together. For a disk that comes in over TLS those
 * searches took more time than everything else, and held up whoever asked the API meanwhile.
 */
export function collectYoung(): void {
  collect ??= exposeGarbageCollector();
  collect({ type: 'minor' });
}

function exposeGarbageCollector(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof found === 'function' ? (found as NonNullable<typeof collect>) : () => {};
}
