import { deepEqual } from '@vireo/api/json.ts';

/**
 * A merge patch of the fields that differ, one level deep; undefined where none does. Fields that are gone become null.
 *
 * @example
 * changes({ phase: 'Pending', reason: 'x' }, { phase: 'Scheduled' }) // { phase: 'Scheduled', reason: null }
 */
export function changes<T extends object>(before: T, after: T): Record<string, unknown> | undefined {
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)]))
    if (!deepEqual(old[key], next[key])) patch[key] = replacement(old[key], next[key]);
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** A merge patch adds to objects; what is to go from one has to be named. */
function replacement(old: unknown, next: unknown): unknown {
  if (next === undefined) return null;
  if (!isPlain(old) || !isPlain(next)) return next;
  const gone = Object.keys(old).filter((key) => next[key] === undefined);
  return { ...next, ...Object.fromEntries(gone.map((key) => [key, null])) };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
