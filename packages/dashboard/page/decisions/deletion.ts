import { type KubeObject, keyOf } from '../data/kinds.ts';
import type { VmSnapshot } from '../data/snapshotKinds.ts';
import type { Machine } from './machine.ts';

/** What may belong to machines, as read when their deletion is asked about. */
export interface Belongings {
  /** Claims and DataVolumes; undefined if they could not be read. */
  readonly disks: readonly KubeObject[] | undefined;
  /** Undefined if they could not be read. */
  readonly snapshots: readonly VmSnapshot[] | undefined;
  /** Why something could not be read. */
  readonly troubles: readonly string[];
}

/** What becomes of what machines have when they are deleted. Disks and snapshots by namespace and name. */
export interface Losses {
  readonly disksThatGo: readonly string[];
  readonly disksThatStay: readonly string[];
  /** Disks of which it is not known whether they go. */
  readonly disksInDoubt: readonly string[];
  readonly snapshotsThatGo: readonly string[];
  readonly snapshotsThatStay: readonly string[];
  /** Disks without a claim that guests write to, each with its machine. */
  readonly fleeting: readonly string[];
}

/** A disk or a snapshot goes with a VM that it names as an owner: users take the name out to keep one. */
export function lossesOf(machines: readonly Machine[], { disks, snapshots }: Omit<Belongings, 'troubles'>): Losses {
  const uids = new Set(machines.flatMap(({ uid }) => uid ?? []));
  const isOwned = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid !== undefined && uids.has(uid)) ?? false;
  const keys = new Set(machines.map(({ key }) => key));
  const ofThese = (snapshots ?? []).filter(
    ({ metadata, spec: { source } }) =>
      source.kind === 'VirtualMachine' && keys.has(`${metadata.namespace ?? ''}/${source.name}`),
  );
  return {
    ...diskLosses(machines, disks, isOwned),
    snapshotsThatGo: ofThese.filter(isOwned).map(keyOf).sort(),
    snapshotsThatStay: ofThese
      .filter((each) => !isOwned(each))
      .map(keyOf)
      .sort(),
    fleeting: machines
      .filter(({ hasInstance, fleetingDisks }) => hasInstance && fleetingDisks.length > 0)
      .map(({ key, fleetingDisks }) => `${key} (${fleetingDisks.join(', ')})`),
  };
}

function diskLosses(
  machines: readonly Machine[],
  disks: Belongings['disks'],
  isOwned: (object: KubeObject) => boolean,
): Pick<Losses, 'disksThatGo' | 'disksThatStay' | 'disksInDoubt'> {
  const named = (of: (machine: Machine) => readonly string[]): string[] =>
    machines.flatMap((machine) => of(machine).map((name) => `${machine.namespace}/${name}`));
  const own = named(({ ownDisks }) => ownDisks);
  const used = named(({ isVm, otherDisks }) => (isVm ? otherDisks : []));
  // An instance without a VM owns none.
  const ofOthers = named(({ isVm, otherDisks }) => (isVm ? [] : otherDisks));
  if (!disks) return { disksThatGo: unique(own), disksThatStay: unique(ofOthers), disksInDoubt: unique(used) };
  const gone = new Set(disks.filter(isOwned).map(keyOf));
  const there = new Set(disks.map(keyOf));
  const left = [...own, ...used].filter((key) => there.has(key));
  return {
    disksThatGo: unique([...gone]),
    disksThatStay: unique([...left, ...ofOthers].filter((key) => !gone.has(key))),
    disksInDoubt: [],
  };
}

const unique = (keys: readonly string[]): string[] => [...new Set(keys)].sort();

/** What must be typed before machines are deleted; undefined if nothing is lost with them that a stop would not lose. */
export function wordsToType(machines: readonly Machine[], losses: Losses): string | undefined {
  const losesData = [losses.disksThatGo, losses.disksInDoubt, losses.snapshotsThatGo].some(({ length }) => length > 0);
  // A VM that is deleted loses of these what every stop loses; an instance alone has nothing else.
  const losesGuest = machines.some(
    ({ isVm, hasInstance, fleetingDisks }) => !isVm && hasInstance && fleetingDisks.length > 0,
  );
  if (!losesData && !losesGuest) return undefined;
  return machines.length === 1 ? machines[0]?.name : `${machines.length} machines`;
}
