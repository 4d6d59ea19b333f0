import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Snapshot } from '../../data/collection.ts';
import type { KubeObject } from '../../data/kinds.ts';
import { useMay, useSession } from '../session.tsx';

const nobody = (): (() => void) => () => {};
const LOADING: Snapshot<never> = { rows: [], state: { kind: 'loading' } };

/** As `useCollection`, for what many users may not list: that is not even asked for, and reads as refused. */
export function useListed<T extends KubeObject, Row>(
  path: string,
  project: (object: T) => Row,
  {
    group,
    resource,
    namespace = '',
  }: { readonly group: string; readonly resource: string; readonly namespace?: string | undefined },
): Snapshot<Row> {
  const { api } = useSession().session;
  const mayList = useMay()({ verb: 'list', group, resource }, namespace);
  const source = useMemo(() => {
    if (mayList) return api.view(path, project);
    const what = group === '' ? resource : `${resource}.${group}`;
    const reason = `You are not allowed to list ${what}${namespace === '' ? '' : ` in namespace ${namespace}`}.`;
    const refused: Snapshot<Row> = { rows: [], state: { kind: 'refused', code: 403, reason } };
    return { subscribe: nobody, snapshot: () => (mayList === undefined ? LOADING : refused) };
  }, [api, path, project, mayList, group, resource, namespace]);
  useEffect(() => (mayList ? api.hold(path, project) : undefined), [api, path, project, mayList]);
  return useSyncExternalStore(source.subscribe, source.snapshot);
}
