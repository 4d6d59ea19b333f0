import { CONSOLES, SCREENS, type Served } from './features.ts';
import { POOLS, REPLICA_SETS } from './sets/set.ts';

/** A page of the side bar. `covers` are the beginnings of addresses that belong to it. */
export interface Place {
  readonly href: string;
  readonly title: string;
  readonly covers: readonly string[];
  /** One of these the server must have, or there is no such page. */
  readonly needs?: readonly Served[];
}

export const PLACES: readonly Place[] = [
  { href: '/', title: 'Machines', covers: ['/machines', '/create'] },
  { href: '/consoles', title: 'Consoles', covers: ['/consoles'], needs: [CONSOLES, SCREENS] },
  { href: '/sets', title: 'Replica sets and pools', covers: ['/sets'], needs: [REPLICA_SETS, POOLS] },
  { href: '/images', title: 'Images and volumes', covers: ['/images'] },
  { href: '/nodes', title: 'Nodes', covers: ['/nodes'] },
  { href: '/access', title: 'Access', covers: ['/access'] },
  { href: '/settings', title: 'Settings', covers: ['/settings'] },
];

/** Whether an address belongs to a place. */
export const isAt = (address: string, { href, covers }: Place): boolean =>
  address === href || covers.some((start) => address === start || address.startsWith(`${start}/`));

/** The letter after `g` that leads to a page. */
export const GO_KEYS: Readonly<Record<string, string>> = {
  m: '/',
  c: '/consoles',
  r: '/sets',
  i: '/images',
  n: '/nodes',
  a: '/access',
  s: '/settings',
};
