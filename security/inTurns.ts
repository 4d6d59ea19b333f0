const AT_ONCE = 16;

/** Acts on every item, some at a time: the server is to decide, not to be flooded. */
export async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(act));
}
