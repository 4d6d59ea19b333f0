import { builtinKinds, type Kind } from '@vireo/api';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { RESOURCES } from '../../actions/resources.ts';

/** A kind as Harvester's Steve API calls it. */
export interface SteveType {
  /** `kubevirt.io.virtualmachine`, `node`. */
  readonly id: string;
  /** `kubevirt.io.virtualmachines`, `nodes`: what URLs are made with. */
  readonly pluralId: string;
  readonly kind: Kind;
}

const withGroup = (group: string, name: string): string => (group === '' ? name : `${group}.${name}`);

const steveType = (kind: Kind): SteveType => ({
  id: withGroup(kind.group, kind.kind.toLowerCase()),
  pluralId: withGroup(kind.group, kind.plural),
  kind,
});

/** Finished versions go before betas, and those before alphas. */
const rank = ({ version }: Kind): number => (version.includes('alpha') ? 2 : version.includes('beta') ? 1 : 0);

/** Every type, of each kind the version that is furthest. */
export const STEVE_TYPES: readonly SteveType[] = [
  ...Map.groupBy(
    [...builtinKinds, ...kubevirtKinds].filter(({ virtual }) => !virtual),
    ({ group, kind }) => `${group}/${kind}`,
  ).values(),
].map((versions) => steveType(versions.toSorted((a, b) => rank(a) - rank(b))[0]!));

/** How users write types, beside what they are called: without their group where it has actions, and misspelt. */
const ALIASES: readonly (readonly [alias: string, pluralId: string])[] = [
  ...Object.values(RESOURCES).map(({ group, plural }) => [plural, withGroup(group, plural)] as const),
  ['upgradeslogs', 'harvesterhci.io.upgradelogs'],
];

const BY_NAME: ReadonlyMap<string, SteveType> = (() => {
  const named = new Map(STEVE_TYPES.flatMap((type) => [[type.id, type] as const, [type.pluralId, type] as const]));
  for (const [alias, pluralId] of ALIASES) {
    const type = named.get(pluralId);
    if (type && !named.has(alias)) named.set(alias, type);
  }
  return named;
})();

/** The type of that name, singular or plural, in any case. */
export const findSteveType = (name: string): SteveType | undefined => BY_NAME.get(name.toLowerCase());
