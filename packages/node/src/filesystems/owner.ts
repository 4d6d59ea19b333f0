import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { knownIds } from '../guests/range.ts';
import { runChild } from '../volumes/program.ts';

/**
 * Whom a share belongs to on the host. The guest's root is `uid` and `gid`; its other users, `count` in all with root,
 * follow at `others` (where the user with the uid 0 would be).
 */
export interface ShareOwner {
  readonly uid: number;
  readonly gid: number;
  /** How many users of the guest exist on the host: with 1, only root. */
  readonly count: number;
  readonly others: number;
}

/** Which users this host has for the shares of a guest. */
export interface ShareIds {
  /** Whether there are ranges, one for each volume. */
  readonly hasRanges: boolean;
  /** Whom the guest runs as; undefined where that is root. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** How many users a guest has in a share: as many as a user namespace usually has. */
const USERS = 65_536;
/** Above what systemd gives to containers and we to guests, and below what old programs take for negative. */
const FIRST_RANGE = 0x7800_0000;
const RANGES = 2_047;
/** Behind all ranges: the owners of what guests only read are nobody's other users. */
const FIRST_CONFIG = FIRST_RANGE + RANGES * USERS;

/** The range of users of shares that no volume owns. */
export const NOBODY: ShareOwner = { uid: FIRST_RANGE, gid: FIRST_RANGE, count: USERS, others: FIRST_RANGE };

const rangeAt = (base: number): ShareOwner => ({ uid: base, gid: base, count: USERS, others: base });

const isRange = (uid: number): boolean =>
  uid > FIRST_RANGE && uid < FIRST_RANGE + RANGES * USERS && (uid - FIRST_RANGE) % USERS === 0;

const singleOwner = (uid: number, gid: number): ShareOwner => ({ uid, gid, count: 1, others: uid });

/** Which users there are for the shares of a guest: containers often have too few for ranges. */
export async function shareIds(user: ShareIds['user']): Promise<ShareIds> {
  const map = await readFile('/proc/self/uid_map', 'utf8');
  const hasRanges = knownIds(map).some(
    ([first, count]) => first <= FIRST_RANGE && first + count >= FIRST_CONFIG + USERS,
  );
  return { hasRanges, user };
}

/** Without ranges, all shares belong to the user of the guests' group, whom no guest runs as. */
const fallback = ({ user }: ShareIds): ShareOwner | undefined => user && singleOwner(user.gid, user.gid);

/**
 * The owner of what a guest only reads. It is another user than the guest's: what we write there as root must not be
 * where a guest that has broken out can put links.
 */
export function ownerOfConfig(ids: ShareIds): ShareOwner | undefined {
  if (!ids.hasRanges) return fallback(ids);
  // As many places as the guests of a home have.
  const place = ids.user ? (ids.user.uid - ids.user.gid) % USERS : 0;
  return singleOwner(FIRST_CONFIG + place, FIRST_CONFIG + place);
}

/**
 * The owner of a directory of the host. The guest's root is the user that the directory belongs to, so that both have
 * the same rights in it. No guest is root on the host: in a directory of root's it has the rights of everybody.
 */
export async function ownerOfDirectory(directory: string, ids: ShareIds): Promise<ShareOwner | undefined> {
  const { uid, gid } = await stat(directory);
  const nobody = ids.hasRanges ? NOBODY : fallback(ids);
  if (uid === 0 || !nobody) return nobody;
  if (ids.hasRanges && isRange(uid)) return rangeAt(uid);
  return { ...nobody, uid, gid: gid === 0 ? nobody.gid : gid };
}

/**
 * Gives the files of a volume a range of users of their own, once: who owns the directory tells which. All guests that
 * share the volume, one after another or at the same time, have the same users in it.
 */
export function ownerOfVolume(files: string, volumes: string, ids: ShareIds): Promise<ShareOwner | undefined> {
  const owner = allocation.then(async () => {
    const { uid } = await stat(files);
    if (ids.hasRanges && isRange(uid)) return rangeAt(uid);
    const chosen = ids.hasRanges ? rangeAt(freeRange(await rangesOf(volumes), volumes)) : fallback(ids);
    if (chosen && chosen.uid !== uid)
      await runChild(['chown', '--recursive', '--no-dereference', `${chosen.uid}:${chosen.gid}`, '--', files]);
    return chosen;
  });
  allocation = owner.catch(() => undefined);
  return owner;
}

/** One after another: two volumes must not get the same range. */
let allocation: Promise<unknown> = Promise.resolve();

/**
 * Where the files of a volume are that its guests share; its disk is beside them. Who may read them is up to the guests
 * that share them, so the directory above is closed: other guests can pass the volume's.
 */
export const FILES = 'shared/files';

async function rangesOf(volumes: string): Promise<Set<number>> {
  const names = await readdir(volumes).catch(() => []);
  const owners = await Promise.all(names.map((name) => stat(join(volumes, name, FILES)).catch(() => undefined)));
  return new Set(owners.flatMap((owner) => owner?.uid ?? []));
}

/**
 * A range that no volume here has. Homes begin at different places, so that they hardly meet. When all are taken, volumes
 * share one: they are kept apart by their mounts as well.
 */
export function freeRange(taken: ReadonlySet<number>, volumes: string): number {
  const start = createHash('sha256').update(volumes).digest().readUInt32BE();
  const at = (tried: number): number => FIRST_RANGE + (1 + ((start + tried) % (RANGES - 1))) * USERS;
  for (let tried = 0; tried < RANGES - 1; tried++) if (!taken.has(at(tried))) return at(tried);
  return at(0);
}

/** The map of a user namespace, in the words of `/proc/PID/uid_map`. `first`: whom root is. */
export function idMap(first: number, { count, others }: ShareOwner): string {
  if (first === others) return `0 ${first} ${count}\n`;
  const overlaps = first > others && first < others + count;
  return `0 ${first} 1\n${overlaps || count === 1 ? '' : `1 ${others + 1} ${count - 1}\n`}`;
}
