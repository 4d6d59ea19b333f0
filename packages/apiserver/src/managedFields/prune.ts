/** What an apply takes away, because its manager says it no longer. */
import type { Schema, UnknownObject } from '@vireo/api';
import { convertTo, schemaAt, type Typed } from './convert.ts';
import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union } from './fieldSet.ts';
import type { Manager } from './managers.ts';
import { membersOf } from './members.ts';
import { removeFields, withNamedFields } from './removeFields.ts';
import { UntypedValue } from './untypedValue.ts';

/** Takes away what the manager applied before and applies no longer, unless somebody else owns it. */
export const prune = (
  typed: Typed,
  merged: UnknownObject,
  last: Manager,
  managers: readonly Manager[],
): UnknownObject => explained('failed to prune fields', () => pruned(typed, merged, last, managers));

function pruned(typed: Typed, merged: UnknownObject, last: Manager, managers: readonly Manager[]): UnknownObject {
  const version = last.apiVersion;
  const schema = schemaAt(typed, version);
  if (!schema || isEmptySet(last.fieldsV1)) return merged;
  const before = explained('failed to convert merged object to last applied version', () =>
    convertTo(typed, merged, version),
  ) as UnknownObject;
  const lastFields = withNamedFields(last.fieldsV1, schema);
  let rest = removeFields(before, lastFields, schema) as UnknownObject;
  const versions = new Set([version, ...managers.map(({ apiVersion }) => apiVersion)]);
  for (const at of versions)
    rest = explained('failed add back owned items', () => addBackOwned(typed, before, rest, at, managers));
  // What was below the fields that went, but was not the manager's, comes back too.
  const left = explained('failed add back dangling items', () =>
    explained('failed to convert pruned object to last applied version', () => convertTo(typed, rest, version)),
  ) as UnknownObject;
  const gone = difference(namedMembers(before, schema), namedMembers(left, schema));
  const result = removeFields(before, intersection(gone, lastFields), schema) as UnknownObject;
  return convertTo(typed, result, merged.apiVersion) as UnknownObject;
}

/** Puts back what managers own in one version. */
function addBackOwned(
  typed: Typed,
  merged: UnknownObject,
  pruned: UnknownObject,
  version: string,
  managers: readonly Manager[],
): UnknownObject {
  const schema = schemaAt(typed, version);
  if (!schema) return pruned;
  const at = (what: string, object: UnknownObject): UnknownObject =>
    explained(`failed to convert ${what} object at version ${version}`, () =>
      convertTo(typed, object, version),
    ) as UnknownObject;
  const [whole, rest] = [at('merged', merged), at('pruned', pruned)];
  const owned = managers
    .filter(({ apiVersion }) => apiVersion === version)
    .reduce((all, { fieldsV1 }) => union(all, fieldsV1), EMPTY_SET);
  const kept = union(namedMembers(rest, schema), withNamedFields(owned, schema));
  return removeFields(whole, difference(namedMembers(whole, schema), kept), schema) as UnknownObject;
}

const namedMembers = (object: UnknownObject, schema: Schema): FieldSet =>
  withNamedFields(membersOf(object, schema), schema);

/** Says what was tried when it turned out that an object does not fit. */
function explained<T>(what: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw error instanceof UntypedValue ? new UntypedValue(`${what}: ${error.message}`) : error;
  }
}
