import { type CustomResourceDefinitionNames, type FieldError, field } from '@vireo/api';
import { dns1035Label, dnsSubdomain } from '@vireo/api/names.ts';
import { each } from '../../strategies/fields.ts';

/** One error for everything that is wrong with a name. */
const invalidName = (path: string, name: string, problems: readonly string[], before = ''): FieldError[] =>
  problems.length > 0 ? [field.invalid(path, name, before + problems.join(','))] : [];

/** A group is a domain. */
export function groupErrors(group: string, path: string): FieldError[] {
  if (!group) return [field.required(path)];
  const errors = invalidName(path, group, dnsSubdomain(group));
  if (errors.length > 0 || group.includes('.')) return errors;
  return [field.invalid(path, group, 'should be a domain with at least one dot')];
}

/** What is wrong with the name of a version. */
export const versionNameErrors = (name: string, path: string): FieldError[] =>
  invalidName(path, name, dns1035Label(name));

/** The names that a spec must have. */
export const requiredNameErrors = (names: Partial<CustomResourceDefinitionNames>, path: string): FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => !names[name])
    .map((name) => field.required(`${path}.${name}`));

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** What is wrong with the names that there are. */
export function nameErrors(names: Partial<CustomResourceDefinitionNames>, path: string): FieldError[] {
  const { categories, kind, listKind, plural, shortNames, singular } = names;
  const label = (name: string | undefined, at: string): FieldError[] =>
    name ? invalidName(`${path}.${at}`, name, dns1035Label(name)) : [];
  const mixed = (name: string | undefined, at: string): FieldError[] =>
    name ? invalidName(`${path}.${at}`, name, dns1035Label(name.toLowerCase()), MIXED_CASE) : [];
  return [
    ...label(plural, 'plural'),
    ...label(singular, 'singular'),
    ...mixed(kind, 'kind'),
    ...mixed(listKind, 'listKind'),
    ...each(shortNames, `${path}.shortNames`, (name, at) => invalidName(at, name, dns1035Label(name))),
    ...(kind && kind === listKind
      ? [field.invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...each(categories, `${path}.categories`, (name, at) => invalidName(at, name, dns1035Label(name))),
  ];
}
