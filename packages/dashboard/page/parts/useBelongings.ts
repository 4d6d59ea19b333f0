import { useEffect, useState } from 'react';
import { readBelongings } from '../data/belongings.ts';
import type { Belongings } from '../decisions/deletion.ts';
import { DATA_VOLUMES, SNAPSHOTS } from '../decisions/features.ts';
import type { Machine } from '../decisions/machine.ts';
import { useHas, useSession } from './session.tsx';

/** After this time what has not been read counts as not known: nobody should have to wait to delete. */
const MOST_MS = 10_000;
const NOTHING: Belongings = { disks: [], snapshots: [], troubles: [] };

/** What may belong to machines, read once; undefined until then. */
export function useBelongings(machines: readonly Machine[], isAsked: boolean): Belongings | undefined {
  const { api, rights } = useSession().session;
  const has = useHas();
  const [read, setRead] = useState<Belongings>();
  // An instance without a VM owns nothing.
  const namespaces = [...new Set(machines.flatMap(({ isVm, namespace }) => (isVm ? namespace : [])))].sort().join(' ');
  const isWanted = isAsked && namespaces !== '';
  const hasSnapshots = has(SNAPSHOTS) !== false;
  const hasDataVolumes = has(DATA_VOLUMES) !== false;
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(MOST_MS)]);
    const isServed = (what: object): boolean =>
      what === SNAPSHOTS ? hasSnapshots : what === DATA_VOLUMES ? hasDataVolumes : true;
    void readBelongings({ api, rights, signal }, namespaces.split(' '), isServed).then((belongings) => {
      if (!stop.signal.aborted) setRead(belongings);
    });
    return () => stop.abort();
  }, [api, rights, namespaces, isWanted, hasSnapshots, hasDataVolumes]);
  return isWanted ? read : NOTHING;
}
