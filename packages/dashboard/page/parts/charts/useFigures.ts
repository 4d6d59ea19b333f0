import { createContext, use, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Range, Usage } from '../../../src/figures/history.ts';
import type { Told } from '../../../src/figures/service.ts';
import { feedOf, followWhileVisible } from '../../data/figures.ts';
import { UsageStore } from '../../data/usageStore.ts';
import { useSession } from '../session.tsx';

/** Figures of one machine, new with every sample; undefined until the first. */
export function useMachineFigures(
  namespace: string,
  name: string,
  range: Range,
  isClose: boolean,
): Exclude<Told, { kind: 'list' }> | undefined {
  const { session } = useSession();
  const [told, setTold] = useState<Exclude<Told, { kind: 'list' }>>();
  useEffect(() => {
    const take = (next: Told): void => {
      if (next.kind !== 'list') setTold(next);
    };
    return followWhileVisible(feedOf(session), { namespace, name, range, isClose }, take);
  }, [session, namespace, name, range, isClose]);
  return told;
}

/** What the machines of a namespace use; undefined is all namespaces. */
export function useUsageStore(namespace: string | undefined): UsageStore {
  const { session } = useSession();
  // biome-ignore lint/correctness/useExhaustiveDependencies: figures of another namespace are not mixed with these
  const store = useMemo(() => new UsageStore(), [session, namespace]);
  useEffect(
    () => followWhileVisible(feedOf(session), { namespace: namespace ?? '' }, (told) => store.take(told)),
    [session, namespace, store],
  );
  return store;
}

/** Draws again with every sample, if what is drawn depends on all machines; else never. */
export function useUsageVersion(store: UsageStore, isNeeded: boolean): number {
  const subscribe = useCallback(
    (listener: () => void) => (isNeeded ? store.subscribe(listener) : () => {}),
    [store, isNeeded],
  );
  return useSyncExternalStore(subscribe, () => (isNeeded ? store.version() : 0));
}

const none = new UsageStore();
/** The store of the list that a row is in. */
export const UsageContext = createContext(none);

/** What one machine of the list uses; draws again only with its own figures. */
export function useUsage(key: string): Usage | undefined {
  const store = use(UsageContext);
  const subscribe = useCallback((listener: () => void) => store.subscribeTo(key, listener), [store, key]);
  return useSyncExternalStore(subscribe, () => store.get(key));
}
