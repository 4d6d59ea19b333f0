/** Calls `work` for every item, some at a time: much of a case is waiting for the real server. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** How many cases are played at a time; the real server sleeps two seconds before the first object of a new kind. */
export const CASES_AT_ONCE = 8;
