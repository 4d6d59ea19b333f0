import { pathOf } from './images/deleting.ts';
import { VOLUME_KINDS } from './images/volumes.ts';
import { POOLS, REPLICA_SETS, setHref, setsPath } from './sets/set.ts';

/** Objects that have pages, and that the palette finds by name where their list is there anyway. */
export interface Shelf {
  /** Their list, as the page that shows them reads it. */
  readonly path: string;
  /** What they are, for people. */
  readonly title: string;
  readonly hrefOf: (namespace: string, name: string) => string;
}

export const NODES_PATH = '/api/v1/nodes';
export const NAMESPACES_PATH = '/api/v1/namespaces';

export const shelves = (namespace: string | undefined): readonly Shelf[] => [
  ...[REPLICA_SETS, POOLS].map((kind) => ({
    path: setsPath(kind, namespace),
    title: `${kind.title.charAt(0).toUpperCase()}${kind.title.slice(1)}`,
    hrefOf: (of: string, name: string) => setHref(kind, of, name),
  })),
  ...VOLUME_KINDS.map((kind) => ({
    path: pathOf(kind, namespace),
    title: kind,
    hrefOf: (of: string, name: string) => `/images/volumes/${kind}/${of}/${name}`,
  })),
  { path: NODES_PATH, title: 'Node', hrefOf: (_: string, name: string) => `/nodes/${name}` },
];
