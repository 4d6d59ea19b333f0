import type { Store, Stored } from '../store/store.ts';

const POLL_MS = 1;

/**
 * What was below `prefix` at a revision: the present with every later change undone. Throws StoreCompacted when the
 * history does not reach back that far.
 */
export async function listAt(store: Store, prefix: string, revision: number): Promise<Stored[]> {
  const present = store.list(prefix);
  const upTo = store.revision;
  if (revision === upTo) return present;
  const before = new Map<string, Stored | undefined>();
  let failure: Error | undefined;
  const past = store.watch(
    prefix,
    revision,
    (event) => {
      if (event.revision <= upTo && !before.has(event.key)) before.set(event.key, event.previous);
    },
    (error) => {
      failure = error;
    },
  );
  try {
    while (!past.isCaughtUp && !failure) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  } finally {
    past.close();
  }
  if (failure) throw failure;
  const unchanged = present.filter(({ key }) => !before.has(key));
  const undone = [...before.values()].filter((stored) => stored !== undefined);
  return [...unchanged, ...undone].sort((a, b) => (a.key < b.key ? -1 : 1));
}
