import { deepEqual } from '@vireo/api/json.ts';

/** A merge patch of the fields that differ; undefined where none does. Fields that are gone become null. */
export function changes<T extends object>(before: T, after: T): Record<string, unknown> | undefined {
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
  const differing = [...keys].filter((key) => !deepEqual(old[key], next[key]));
  return differing.length > 0 ? Object.fromEntries(differing.map((key) => [key, next[key] ?? null])) : undefined;
}
