import type { Belongings } from '../decisions/deletion.ts';
import { DATA_VOLUMES, type Served, SNAPSHOTS } from '../decisions/features.ts';
import { missingText } from '../decisions/offers.ts';
import type { Api } from './api.ts';
import type { KubeObject } from './kinds.ts';
import { Refused } from './refused.ts';
import type { Rights } from './rights.ts';
import type { VmSnapshot } from './snapshotKinds.ts';

const CLAIMS: Served = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
const PAGE_SIZE = 500;

interface Source {
  readonly api: Pick<Api, 'request'>;
  readonly rights: Pick<Rights, 'ask'>;
  readonly signal: AbortSignal;
}

/** Reads once what may belong to the machines of these namespaces. Kinds that the server does not have are none. */
export async function readBelongings(
  source: Source,
  namespaces: readonly string[],
  isServed: (what: Served) => boolean,
): Promise<Belongings> {
  const troubles = new Set<string>();
  const read = async <T extends KubeObject>(what: Served): Promise<readonly T[] | undefined> => {
    if (!isServed(what)) return [];
    try {
      return await listAll<T>(source, what, namespaces);
    } catch (error) {
      troubles.add(error instanceof Error && error.name !== 'TimeoutError' ? error.message : TOO_LATE);
      return undefined;
    }
  };
  const [claims, volumes, snapshots] = await Promise.all([
    read<KubeObject>(CLAIMS),
    read<KubeObject>(DATA_VOLUMES),
    read<VmSnapshot>(SNAPSHOTS),
  ]);
  return { disks: claims && volumes && [...claims, ...volumes], snapshots, troubles: [...troubles] };
}

const TOO_LATE = 'The server did not answer in time.';

/** All of a kind in these namespaces: at once if that is allowed, otherwise one after the other. */
async function listAll<T extends KubeObject>(
  { api, rights, signal }: Source,
  { group, version, resource }: Served,
  namespaces: readonly string[],
): Promise<readonly T[]> {
  const permission = { verb: 'list', group, resource };
  // A server that answers no reviews decides when it is asked for the list.
  const mayList = (namespace: string): Promise<boolean> =>
    rights.ask(permission, namespace).catch(() => namespace !== '');
  const isEverywhere = namespaces.length > 1 && (await mayList(''));
  const items: T[] = [];
  for (const namespace of isEverywhere ? [''] : namespaces) {
    if (!isEverywhere && !(await mayList(namespace))) throw new Refused(403, missingText(permission, namespace));
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const path = `${root}/${namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`}${resource}`;
    for (let next: string | undefined = ''; next !== undefined; ) {
      const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(next && { continue: next }) });
      const page: List<T> = await api.request<List<T>>('GET', `${path}?${query}`, undefined, signal);
      items.push(...(page.items ?? []));
      next = page.metadata?.continue || undefined;
    }
  }
  return items;
}

interface List<T> {
  readonly items?: readonly T[];
  readonly metadata?: { readonly continue?: string };
}
