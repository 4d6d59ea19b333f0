import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import { navigate, useSearch } from 'wouter/use-browser-location';
import type { Snapshot } from '../data/collection.ts';
import { joined } from '../data/joined.ts';
import type { KubeObject } from '../data/kinds.ts';
import type { Session } from '../data/session.ts';
import type { May } from '../decisions/actions.ts';
import type { Has } from '../decisions/features.ts';
import { keepNamespace, namespaceIn, withNamespace } from '../decisions/namespaceAddress.ts';

interface Value {
  readonly session: Session;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly setNamespace: (namespace: string | undefined) => void;
}

const Context = createContext<Value | undefined>(undefined);

/** The session, and where one is: the namespace is part of the address, so that it is kept like the rest of it. */
export function SessionProvider({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const search = useSearch();
  const namespace = namespaceIn(search) ?? session.namespace;
  const setNamespace = useCallback(
    (next: string | undefined): void =>
      navigate(withNamespace(location.pathname + location.search, next === session.namespace ? undefined : next)),
    [session],
  );
  const value = useMemo(() => ({ session, namespace, setNamespace }), [session, namespace, setNamespace]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: links are drawn again for another namespace
  const hrefs = useMemo(
    () =>
      (href: string): string =>
        keepNamespace(href, location.search),
    [namespace],
  );
  return (
    <Context value={value}>
      <Router base="/dashboard" hrefs={hrefs} aroundNav={goOn}>
        {children}
      </Router>
    </Context>
  );
}

/** Goes to another page of the same namespace. */
const goOn: AroundNavHandler = (go, to, options) => go(keepNamespace(to, location.search), options);

export function useSession(): Value {
  const value = use(Context);
  if (!value) throw new Error('useSession needs a SessionProvider above it');
  return value;
}

/** Rows that follow the objects at a path. `project` must be the same function each time: define it outside of components. */
export function useCollection<T extends KubeObject, Row>(path: string, project: (object: T) => Row): Snapshot<Row> {
  const { api } = useSession().session;
  const collection = useMemo(() => api.view(path, project), [api, path, project]);
  useEffect(() => api.hold(path, project), [api, path, project]);
  return useSyncExternalStore(collection.subscribe, collection.snapshot);
}

/** The rows of several paths together; the paths may change from one drawing to the next. */
export function useCollections<T extends KubeObject, Row>(
  paths: readonly string[],
  project: (object: T) => Row,
): Snapshot<Row> {
  const { api } = useSession().session;
  const key = paths.join('\n');
  const all = useMemo(
    () => joined(key === '' ? [] : key.split('\n').map((path) => api.view(path, project))),
    [api, key, project],
  );
  useEffect(() => {
    const ends = key.split('\n').map((path) => api.hold(path, project));
    return () => {
      for (const end of ends) end();
    };
  }, [api, key, project]);
  return useSyncExternalStore(all.subscribe, all.snapshot);
}

/** What the user may do; asks as it is called, and draws again with the answers. */
export function useMay(): May {
  const { rights } = useSession().session;
  const version = useSyncExternalStore(rights.subscribe, rights.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a new answer
  return useMemo(() => (permission, namespace) => rights.may(permission, namespace), [rights, version]);
}

/** What the server has; asks as it is called, and draws again with the answers. */
export function useHas(): Has {
  const { features } = useSession().session;
  const version = useSyncExternalStore(features.subscribe, features.version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a new answer
  return useMemo(() => (what) => features.has(what), [features, version]);
}

/** The time, which moves on every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
