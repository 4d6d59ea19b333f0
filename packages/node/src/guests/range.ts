import { createHash } from 'node:crypto';

/** The user and the group that the processes of one guest run as. */
export interface GuestUser {
  readonly uid: number;
  readonly gid: number;
}

/** The ids that a home gives its guests: the first is the group of all of them, the others are users, one a machine. */
export interface GuestRange {
  readonly first: number;
  readonly count: number;
}

/** Above the ids that systemd hands out to containers, and below those that do not fit into 31 bits. */
const FIRST = 1_900_000_000;
const COUNT = 65_536;
const SLOTS = 1_024;
/** A range that is worth having: no node has as many guests. */
const LEAST_COUNT = 1_024;

/**
 * Chooses the ids of a home's guests: those that it has, by their first id `present`, else those that `home`, its host and
 * path, decides.
 * `taken` are the first ids of other homes on this host. Where this process has fewer ids (`uidMap`: the contents of
 * /proc/self/uid_map), as in a container, it is the upper half of those. Undefined where there are too few.
 */
export function guestRange(
  home: string,
  uidMap: string,
  taken: ReadonlySet<number>,
  present = 0,
): GuestRange | undefined {
  const known = knownIds(uidMap);
  if (known.some(([first, count]) => first <= FIRST && first + count >= FIRST + SLOTS * COUNT)) {
    const own = (present - FIRST) / COUNT;
    const isOwn = Number.isInteger(own) && own >= 0 && own < SLOTS;
    const slot = isOwn ? own : createHash('sha256').update(home).digest().readUInt32BE() % SLOTS;
    for (let tried = 0; tried < SLOTS; tried += 1) {
      const first = FIRST + ((slot + tried) % SLOTS) * COUNT;
      if (!taken.has(first)) return { first, count: COUNT };
    }
    return undefined;
  }
  // The lower half is what the host's or the container's own users are in.
  const [start, count] = known.sort(([, a], [, b]) => b - a)[0] ?? [0, 0];
  const half = Math.min(COUNT, Math.floor(count / 2));
  const range = { first: start + count - half, count: half };
  return half < LEAST_COUNT || taken.has(range.first) ? undefined : range;
}

/** The ids that there are for this process, as pairs of the first and the count. */
export const knownIds = (uidMap: string): [number, number][] =>
  uidMap
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([first, , count]) => (first !== undefined && count !== undefined ? [[first, count]] : []));
