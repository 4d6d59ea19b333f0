import type { Attempt } from './attacker.ts';

/** What a thing is, for the report and for the run that is to find one of each. */
export type What =
  | 'key'
  | 'store'
  | 'log'
  | 'disk'
  | 'socket'
  | 'libvirt'
  | 'process'
  | 'guest process'
  | 'home'
  | 'temporary file'
  | 'host';

/** Something that is tried, and whose it is. */
export interface Target extends Attempt {
  /** What a report calls it. */
  readonly name: string;
  readonly what: What;
  /** Of the host's own things every user can have some: only what is more than that counts. */
  readonly isHosts: boolean;
}

/** What a machine may do with things of its own, and what it must be able to do: else it could not run. */
export interface Own {
  readonly name: string;
  readonly may: readonly string[];
  readonly must: readonly string[];
}

/** A name as the attacker gave it back, and the ways. */
export interface Reached {
  readonly target: Target;
  readonly ways: readonly string[];
}

/** What a file is, by its place in the home. */
export function whatIs(place: string): What {
  if (/(\.key|kubeconfig|tokens\.csv|master-key\.aes)$/.test(place)) return 'key';
  if (/^store\.db/.test(place)) return 'store';
  if (/\.log(\.\d+)?$/.test(place)) return 'log';
  if (/^(machines|volumes|snapshots)\//.test(place)) return 'disk';
  if (/^libvirt(\/|$)/.test(place)) return 'libvirt';
  return 'home';
}

/**
 * What should not be. `own`: what belongs to the attacker; `everybody`: what a user of the host reaches who has nothing
 * to do with Vireo.
 */
export function unexpected(reached: readonly Reached[], own: readonly Own[], everybody: readonly Reached[]): Reached[] {
  const owned = new Map(own.map((each) => [each.name, each]));
  const common = new Map(everybody.map(({ target, ways }) => [target.name, ways]));
  return reached.flatMap(({ target, ways }) => {
    const granted = owned.get(target.name)?.may ?? [];
    const usual = target.isHosts ? (common.get(target.name) ?? []) : [];
    const left = ways.filter((way) => !granted.includes(way) && !usual.includes(way));
    return left.length > 0 ? [{ target, ways: left }] : [];
  });
}

/** What an attacker could not do with its own, or was not told to try. One who can do nothing has shown nothing. */
export function missing(reached: readonly Reached[], own: readonly Own[]): string[] {
  const ways = new Map(reached.map((each) => [each.target.name, each.ways]));
  return own.flatMap(({ name, must }) => {
    const lacking = must.filter((way) => !ways.get(name)?.includes(way));
    return lacking.length > 0 ? [`cannot ${lacking.join(', ')} its own ${name}`] : [];
  });
}
