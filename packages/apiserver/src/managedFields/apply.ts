/** Server-side apply: what an object becomes, and who owns what of it, when a manager applies a configuration. */
import { type Schema, timestamp, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type Comparison, compare, filtered } from './compare.ts';
import { applyConflict, type Conflict, conflictsWith } from './conflicts.ts';
import { convertTo, type Typed } from './convert.ts';
import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union } from './fieldSet.ts';
import { allowedConflicts } from './lastApplied.ts';
import { entryOf, inOrder, isSameManager, losing, type Manager, type ManagerName } from './managers.ts';
import { membersOf } from './members.ts';
import { merge } from './merge.ts';
import { reconcileFields } from './reconcileSchema.ts';
import { removeFields, withNamedFields } from './removeFields.ts';
import { type FieldFilter, ownableFields, strip } from './resetFields.ts';
import { trackUpdate } from './update.ts';

const BEFORE_FIRST_APPLY = 'before-first-apply';
const KUBECTL = 'kubectl';

/** One apply. `fields`: what the configuration sets, from `membersOf`. */
export interface Application {
  readonly typed: Typed;
  readonly live: UnknownObject;
  readonly config: UnknownObject;
  readonly fields: FieldSet;
  readonly managers: readonly Manager[];
  readonly name: ManagerName;
  readonly force: boolean;
  /** How conflicts are told to the client, where it sees the object in another form. */
  readonly describe?: (conflict: Conflict) => Conflict;
}

export interface Applied {
  /** The same object as `live` if nothing changes. */
  readonly object: UnknownObject;
  readonly managers: readonly Manager[];
}

/** Applies a configuration to an object. Throws 409 if it changes what others own. */
export function apply(application: Application): Applied {
  const { typed, live, name } = application;
  const { schema } = typed.resource.kind;
  const ownable = ownableFields(typed.resource.kind, typed.resource.custom, name.subresource);
  const managers = managersBefore(application).map((entry) => ({
    ...entry,
    fieldsV1: reconcileFields(entry.fieldsV1, schema),
  }));
  const last = managers.find((entry) => isSameManager(entry, name));
  const set = ownable(application.fields);
  const mine = entryOf(name, set, last?.time);
  const others = managers.filter((entry) => entry !== last);
  const merged = merge(live, application.config, schema) as UnknownObject;
  const object = last ? prune(typed, merged, last, [...others, mine]) : merged;
  const comparison = filtered(compare(live, object, schema), ownable);
  const outcome = settle(application, object, others, comparison, ownable);
  const unchanged = deepEqual(live, object);
  const entry = entryOf(name, strip(set), unchanged ? last?.time : timestamp());
  return { object: unchanged ? live : object, managers: inOrder([...outcome, entry]) };
}

/** An object that nobody owned yet belongs to those before the first apply. */
function managersBefore({ typed, live, managers, name }: Application): readonly Manager[] {
  if (managers.length > 0) return managers;
  const before: ManagerName = { ...name, manager: BEFORE_FIRST_APPLY, operation: 'Update', subresource: '' };
  return trackUpdate(typed, undefined, live, [], before);
}

/** Takes away what the manager applied before and applies no longer, unless somebody else owns it. */
function prune(typed: Typed, merged: UnknownObject, last: Manager, managers: readonly Manager[]): UnknownObject {
  const at = convertTo(typed, last.apiVersion);
  if (!at || isEmptySet(last.fieldsV1)) return merged;
  const { schema } = at;
  const before = at.convert(merged);
  const lastFields = withNamedFields(last.fieldsV1, schema);
  let pruned = removeFields(before, lastFields, schema) as UnknownObject;
  const versions = new Set([last.apiVersion, ...managers.map(({ apiVersion }) => apiVersion)]);
  for (const version of versions) pruned = addBackOwned(typed, last.apiVersion, before, pruned, version, managers);
  // What was below the fields that went, but was not the manager's, comes back too.
  const gone = difference(namedMembers(before, schema), namedMembers(pruned, schema));
  return at.convertBack(removeFields(before, intersection(gone, lastFields), schema) as UnknownObject);
}

/** Puts back what managers own in one version. Objects come and go in the version `from`. */
function addBackOwned(
  typed: Typed,
  from: string,
  merged: UnknownObject,
  pruned: UnknownObject,
  version: string,
  managers: readonly Manager[],
): UnknownObject {
  const [base, at] = [convertTo(typed, from), convertTo(typed, version)];
  if (!base || !at) return pruned;
  const owned = managers
    .filter(({ apiVersion }) => apiVersion === version)
    .reduce((all, { fieldsV1 }) => union(all, fieldsV1), EMPTY_SET);
  const convert = (object: UnknownObject): UnknownObject =>
    from === version ? object : at.convert(base.convertBack(object));
  const [whole, rest] = [convert(merged), convert(pruned)];
  const kept = union(namedMembers(rest, at.schema), withNamedFields(owned, at.schema));
  const result = removeFields(whole, difference(namedMembers(whole, at.schema), kept), at.schema) as UnknownObject;
  return from === version ? result : base.convert(at.convertBack(result));
}

const namedMembers = (object: UnknownObject, schema: Schema): FieldSet =>
  withNamedFields(membersOf(object, schema, { lenient: true }).fields, schema);

/** The other managers afterwards; whoever owns what changes is in conflict, or loses it by force. */
function settle(
  application: Application,
  object: UnknownObject,
  others: readonly Manager[],
  comparison: Comparison,
  ownable: FieldFilter,
): Manager[] {
  const { typed, live, name } = application;
  const conflicts: Conflict[] = [];
  const result: Manager[] = [];
  for (const entry of others) {
    const there = comparisonAt(typed, live, object, entry.apiVersion, name, comparison, ownable);
    if (!there) continue;
    const contested = intersection(entry.fieldsV1, union(there.modified, there.added));
    conflicts.push(...conflictsWith(entry, contested));
    const rest = losing(entry, union(contested, there.removed));
    if (rest) result.push(rest);
  }
  if (conflicts.length > 0 && !application.force) refuse(application, conflicts);
  return result;
}

function comparisonAt(
  typed: Typed,
  live: UnknownObject,
  object: UnknownObject,
  version: string,
  name: ManagerName,
  comparison: Comparison,
  ownable: FieldFilter,
): Comparison | undefined {
  if (version === name.apiVersion) return comparison;
  const at = convertTo(typed, version);
  return at && filtered(compare(at.convert(live), at.convert(object), at.schema), ownable);
}

/** kubectl may take over what it set by client-side apply, as long as nobody has changed it since. */
function refuse({ typed, live, name, describe }: Application, conflicts: readonly Conflict[]): void {
  if (name.manager !== KUBECTL) throw applyConflict(describe ? conflicts.map(describe) : conflicts);
  const allowed = allowedConflicts(live, typed.resource.kind.schema);
  const left = conflicts.filter(({ set }) => !isEmptySet(difference(set, allowed)));
  if (left.length > 0) throw applyConflict(left);
}
