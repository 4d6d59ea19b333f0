/** The families of the tables that a network has. */
export type Family = 'inet' | 'arp' | 'ip' | 'ip6';

/** An element of a set or a map of the skeleton, or of a set that the same fragment declares. */
export interface Element {
  readonly family: Family;
  readonly set: string;
  /** `10.96.0.1 . tcp . 443` */
  readonly key: string;
  /** Of a map: `goto service/default/web/http`. */
  readonly value?: string;
}

/** A part of the ruleset that comes and goes as a whole: a card, a Service, a policy. Chains and sets are of family `inet`. */
export interface Fragment {
  readonly chains?: Readonly<Record<string, readonly string[]>>;
  /** By name: its declaration, such as `type ipv4_addr; flags interval;`. */
  readonly sets?: Readonly<Record<string, string>>;
  readonly elements?: readonly Element[];
  /** Elements that belong together, by name: of several owners that want some of a name, one has all of its own there. */
  readonly groups?: Readonly<Record<string, readonly Element[]>>;
}

/** What comes and goes of a fragment whose other parts stay. */
export interface ElementChange {
  readonly added: readonly Element[];
  readonly removed: readonly Element[];
}

/** What is in the kernel, or is to be. Elements are by `family set key`; sets and chains by name. */
export interface Contents {
  readonly chains: ReadonlyMap<string, string>;
  readonly sets: ReadonlyMap<string, string>;
  readonly elements: ReadonlyMap<string, Element>;
}

/** One element of one set, as a key of maps. */
export const elementId = ({ family, set, key }: Element): string => `${family} ${set} ${key}`;

/** Several fragments as one. */
export const mergeFragments = (fragments: readonly Fragment[]): Fragment => ({
  chains: Object.assign({}, ...fragments.map(({ chains }) => chains)) as NonNullable<Fragment['chains']>,
  sets: Object.assign({}, ...fragments.map(({ sets }) => sets)) as NonNullable<Fragment['sets']>,
  elements: fragments.flatMap(({ elements = [] }) => elements),
  groups: Object.assign({}, ...fragments.map(({ groups }) => groups)) as NonNullable<Fragment['groups']>,
});
