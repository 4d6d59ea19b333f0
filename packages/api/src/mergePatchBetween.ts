import { deepEqual, isObject, own } from './json.ts';

/**
 * A merge patch that turns one object into the other; undefined where they are equal. A merge patch adds to objects, so
 * what is gone becomes null, at any depth.
 *
 * @example
 * mergePatchBetween({ phase: 'Pending', reason: 'x' }, { phase: 'Scheduled' }) // { phase: 'Scheduled', reason: null }
 */
export function mergePatchBetween<T extends object>(before: T, after: T): Record<string, unknown> | undefined {
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const patch = [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((key) => {
    const change = changeOf(own(old, key), own(next, key));
    return change === undefined ? [] : [[key, change]];
  });
  return patch.length > 0 ? Object.fromEntries(patch) : undefined;
}

function changeOf(old: unknown, next: unknown): unknown {
  if (isObject(old) && isObject(next)) return mergePatchBetween(old, next);
  return deepEqual(old, next) ? undefined : (next ?? null);
}
