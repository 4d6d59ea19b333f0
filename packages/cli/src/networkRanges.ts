import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DEFAULT_NETWORK, type NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { writeAtomically } from '@vireo/kube/files.ts';
import { canonicalRange6, findNetwork, hasIpv6, overlaps, readRoutes, removeAbandonedNetwork } from '@vireo/network';
import { withFileLock } from '@vireo/node/guestImage/lock.ts';
import { networkOwner } from '@vireo/node/network/owner.ts';

/** The ranges of a home. */
export type Ranges = Pick<NetworkConfig, 'clusterCIDR' | 'clusterCIDRv6' | 'serviceCIDR' | 'serviceCIDRv6'>;

/** What a home was told, or keeps: null for a range that it is to be without. */
type KnownRanges = Partial<Pick<Ranges, 'clusterCIDR' | 'serviceCIDR'>> & {
  readonly clusterCIDRv6?: string | null;
  readonly serviceCIDRv6?: string | null;
};

interface RangesOptions {
  /** Whether guests and Services get addresses that this host has routes to. */
  readonly isRouted: boolean;
  /** Where reservations are; the host's when missing. */
  readonly directory?: string;
  /** What the host has routes to, besides the home's own. */
  readonly routes?: (home: string) => Promise<string[]>;
}

/** Where the homes of this host say which ranges they have. It is empty after a boot, and then nobody has any. */
const RESERVATIONS = '/run/vireo-ranges';
const LOCK = '.lock';
const fileOf = (home: string): string => join(home, 'network', 'ranges.json');

/** The default first, then what is near to it. */
const CANDIDATES = {
  clusterCIDR: [DEFAULT_NETWORK.clusterCIDR, ...Array.from({ length: 120 }, (_, n) => `10.${243 - n}.0.0/16`)],
  serviceCIDR: [DEFAULT_NETWORK.serviceCIDR, ...Array.from({ length: 26 }, (_, n) => `10.${97 + n}.0.0/16`)],
} as const satisfies Partial<Record<keyof Ranges, readonly string[]>>;

/** Ranges of private IPv6 addresses that nobody else has but by chance (RFC 4193). */
function randomRanges6(): Pick<Ranges, 'clusterCIDRv6' | 'serviceCIDRv6'> {
  const [first, second, third] = `fd${randomBytes(5).toString('hex')}`.match(/.{4}/g) ?? [];
  const prefix = `${first}:${second}:${third}`;
  return {
    clusterCIDRv6: canonicalRange6(`${prefix}::/56`),
    serviceCIDRv6: canonicalRange6(`${prefix}:100::/112`),
  };
}

/**
 * The ranges of a home: those that it was told, else those that it had, else the first that overlap nothing that this host
 * has a route to and that no other home has. What it finds it keeps.
 */
export async function networkRanges(
  home: string,
  wanted: KnownRanges,
  { isRouted, directory = RESERVATIONS, routes = foreignRoutes }: RangesOptions,
): Promise<Ranges> {
  // Before anything is reserved: a home without it counts as gone.
  await mkdir(dirname(fileOf(home)), { recursive: true, mode: 0o700 });
  const before = (await readRanges(home)) ?? {};
  const known = { ...before, ...wanted };
  // Without devices and routes of our own, every range is free.
  const taken = isRouted ? await routes(home) : [];
  const random6 = isRouted && (await hasIpv6()) ? randomRanges6() : {};
  const { clusterCIDRv6 = random6.clusterCIDRv6 } = known;
  const { serviceCIDRv6 = random6.serviceCIDRv6 } = clusterCIDRv6 ? known : { serviceCIDRv6: null };
  const find = async (reservations?: string): Promise<Pick<Ranges, 'clusterCIDR' | 'serviceCIDR'>> => ({
    clusterCIDR: known.clusterCIDR ?? (await choose(home, 'clusterCIDR', taken, reservations)),
    serviceCIDR: known.serviceCIDR ?? (await choose(home, 'serviceCIDR', taken, reservations)),
  });
  const ranges = isRouted ? await whileAlone(directory, () => find(directory)) : await find();
  const found: KnownRanges = {
    ...ranges,
    ...(clusterCIDRv6 !== undefined && { clusterCIDRv6 }),
    ...(serviceCIDRv6 !== undefined && { serviceCIDRv6 }),
  };
  if (JSON.stringify(found) !== JSON.stringify(before))
    await writeAtomically(fileOf(home), `${JSON.stringify(found)}\n`, 0o600);
  return { ...ranges, ...(clusterCIDRv6 && { clusterCIDRv6 }), ...(serviceCIDRv6 && { serviceCIDRv6 }) };
}

async function foreignRoutes(home: string): Promise<string[]> {
  try {
    const name = await findNetwork(networkOwner(home));
    return (await readRoutes(name === undefined ? [] : [name])).map((route) =>
      route.includes('/') ? route : `${route}/32`,
    );
  } catch {
    // No iproute2, so no network either.
    return [];
  }
}

/** The first candidate that is free, reserved for this home where there is a directory to do so. */
async function choose(
  home: string,
  kind: keyof typeof CANDIDATES,
  taken: readonly string[],
  directory: string | undefined,
): Promise<string> {
  for (const candidate of CANDIDATES[kind]) {
    if (taken.some((route) => overlaps(route, candidate))) continue;
    if (directory === undefined || (await reserve(home, candidate, directory))) return candidate;
  }
  return DEFAULT_NETWORK[kind];
}

/**
 * Finds ranges while no other home of this host does so: between looking at a reservation and replacing it, nobody else
 * may take the range.
 */
async function whileAlone<T>(directory: string, work: () => Promise<T>): Promise<T> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  return withFileLock(join(directory, LOCK), async () => {
    await forgetGoneHomes(directory);
    return work();
  });
}

/** Takes a range for a home, unless another home that is still there has it. */
async function reserve(home: string, range: string, directory: string): Promise<boolean> {
  const file = join(directory, range.replace('/', '_'));
  const holder = await readFile(file, 'utf8').catch(() => '');
  if (holder === home) return true;
  if (holder !== '' && (await isHeld(holder, range))) return false;
  await writeFile(file, home, { mode: 0o600 });
  return true;
}

/** Removes the networks and the reservations of homes that were deleted: a server that was killed left them. */
async function forgetGoneHomes(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name === LOCK) continue;
    const file = join(directory, name);
    const home = await readFile(file, 'utf8');
    // Whoever wrote it was killed before it said who it is: the range is free.
    if (home === '' || (await exists(home))) continue;
    await removeAbandonedNetwork(networkOwner(home));
    await rm(file, { force: true });
  }
}

/** Whether a home that has reserved a range is there, and has not chosen another since. */
async function isHeld(home: string, range: string): Promise<boolean> {
  const ranges = await readRanges(home);
  if (ranges) return range === ranges.clusterCIDR || range === ranges.serviceCIDR;
  return exists(dirname(fileOf(home)));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function readRanges(home: string): Promise<KnownRanges | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(home), 'utf8')) as KnownRanges;
  } catch {
    return undefined;
  }
}
