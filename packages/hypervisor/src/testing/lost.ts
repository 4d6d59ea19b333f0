/** Paths of what was said before and is no longer there. Lists may grow; empty texts and zeroes count as silence. */
export function lost(before: unknown, after: unknown, path: string): string[] {
  if (before === '' || before === 0) return [];
  if (typeof before !== 'object' || before === null) return before === after ? [] : [path];
  if (typeof after !== 'object' || after === null) return [path];
  return Object.entries(before).flatMap(([key, value]) =>
    lost(value, (after as Record<string, unknown>)[key], `${path}.${key}`),
  );
}
