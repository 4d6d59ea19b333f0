/** Numbers that Go's clients leave out when they are 0. */
const SILENT = /\.(cores|sockets|threads|maxSockets|(timeout|period|initialDelay)Seconds|\w*Threshold)$/;

/** Paths of what was said before and is no longer there. Lists may grow; empty texts count as silence, and zeroes of `SILENT`. */
export function lost(before: unknown, after: unknown, path: string): string[] {
  if (before === '' || (before === 0 && SILENT.test(path))) return [];
  if (typeof before !== 'object' || before === null) return before === after ? [] : [path];
  if (typeof after !== 'object' || after === null) return [path];
  return Object.entries(before).flatMap(([key, value]) =>
    lost(value, (after as Record<string, unknown>)[key], `${path}.${key}`),
  );
}
