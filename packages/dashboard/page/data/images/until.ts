import type { Api } from '../api.ts';
import { type KubeObject, whole } from '../kinds.ts';
import { Refused } from '../refused.ts';

/**
 * Follows one object until `decide` returns something; what it throws is how the waiting ends. It is called with
 * undefined while there is no such object.
 */
export function until<T extends KubeObject, Result>(
  api: Pick<Api, 'view' | 'hold'>,
  { collection, name }: { readonly collection: string; readonly name: string },
  decide: (object: T | undefined) => Result | undefined,
  signal: AbortSignal,
): Promise<Result> {
  const path = `${collection}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const followed = api.view<T, T>(path, whole);
  const release = api.hold(path, whole);
  const look = (): void => {
    const { rows, state } = followed.snapshot();
    if (state.kind === 'refused') reject(new Refused(state.code, state.reason));
    if (state.kind !== 'live') return;
    try {
      const result = decide(rows[0]);
      if (result !== undefined) resolve(result);
    } catch (error) {
      reject(error);
    }
  };
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const unsubscribe = followed.subscribe(look);
  look();
  return promise.finally(() => {
    signal.removeEventListener('abort', abort);
    unsubscribe();
    release();
  });
}
