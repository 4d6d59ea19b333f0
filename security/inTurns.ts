const CONCURRENCY = 16;

/** Acts on every item, some at a time: the server is to decide, not to be flooded. */
export async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
