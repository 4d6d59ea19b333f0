/** Server-side apply: what an object becomes, and who owns what of it, when a manager applies a configuration. */
import { timestamp, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Comparison } from './compare.ts';
import { applyConflict, type Conflict, conflictsWith } from './conflicts.ts';
import { convertTo, type Typed } from './convert.ts';
import { difference, type FieldSet, intersection, isEmptySet, union } from './fieldSet.ts';
import { allowedConflicts } from './lastApplied.ts';
import { entryOf, inOrder, isSameManager, losing, type Manager, type ManagerName } from './managers.ts';
import { merge } from './merge.ts';
import { prune } from './prune.ts';
import { ownableChanges, ownableFields, strip } from './resetFields.ts';
import { comparisonAt, managersAfter, reconciled } from './update.ts';

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

/**
 * Applies a configuration to an object. Throws 409 if it changes what others own, UntypedValue if it cannot be told who
 * owns what.
 */
export function apply(application: Application): Applied {
  const { typed, live, name } = application;
  const { schema } = typed.resource.kind;
  const managers = reconciledManagers(typed, live, managersBefore(application));
  const last = managers.find((entry) => isSameManager(entry, name));
  const set = ownableFields(typed.resource, name.subresource)(application.fields);
  const mine = entryOf(name, set, last?.time);
  const others = managers.filter((entry) => entry !== last);
  const merged = merge(live, application.config, schema) as UnknownObject;
  const object = last ? prune(typed, merged, last, [...others, mine]) : merged;
  const comparison = ownableChanges(live, object, schema, typed.resource, name.subresource);
  const outcome = settle(application, object, others, comparison);
  const unchanged = deepEqual(live, object);
  const entry = entryOf(name, strip(set), unchanged ? last?.time : timestamp());
  return { object: unchanged ? live : object, managers: inOrder([...outcome, entry]) };
}

/** An object that nobody owned yet belongs to those before the first apply. */
function managersBefore({ typed, live, managers, name }: Application): readonly Manager[] {
  if (managers.length > 0) return managers;
  const before: ManagerName = { ...name, manager: BEFORE_FIRST_APPLY, operation: 'Update' };
  return managersAfter(typed, undefined, live, [], before);
}

/** What managers own by the schemas as they are now. The object must be one of each version that they speak of. */
function reconciledManagers(typed: Typed, live: UnknownObject, managers: readonly Manager[]): Manager[] {
  const isVersion = new Map<string, boolean>();
  const knows = (version: string): boolean => {
    const known = isVersion.get(version) ?? convertTo(typed, live, version) !== undefined;
    isVersion.set(version, known);
    return known;
  };
  return managers.flatMap((entry) =>
    knows(entry.apiVersion) ? [{ ...entry, fieldsV1: reconciled(typed, entry) }] : [],
  );
}

/** The other managers afterwards; whoever owns what changes is in conflict, or loses it by force. */
function settle(
  application: Application,
  object: UnknownObject,
  others: readonly Manager[],
  comparison: Comparison,
): Manager[] {
  const { typed, live, name } = application;
  const conflicts: Conflict[] = [];
  const result: Manager[] = [];
  const byVersion = new Map<string, Comparison | undefined>([[name.apiVersion, comparison]]);
  for (const entry of others) {
    const version = entry.apiVersion;
    if (!byVersion.has(version)) byVersion.set(version, comparisonAt(typed, live, object, version, name.subresource));
    const there = byVersion.get(version);
    if (!there) continue;
    const contested = intersection(entry.fieldsV1, union(there.modified, there.added));
    conflicts.push(...conflictsWith(entry, contested));
    const rest = losing(entry, union(contested, there.removed));
    if (rest) result.push(rest);
  }
  if (conflicts.length > 0 && !application.force) refuse(application, conflicts);
  return result;
}

/** kubectl may take over what it set by client-side apply, as long as nobody has changed it since. */
function refuse({ typed, live, name, describe }: Application, conflicts: readonly Conflict[]): void {
  if (name.manager !== KUBECTL) throw applyConflict(describe ? conflicts.map(describe) : conflicts);
  const allowed = allowedConflicts(live, typed.resource.kind.schema);
  const left = conflicts.filter(({ set }) => !isEmptySet(difference(set, allowed)));
  if (left.length > 0) throw applyConflict(left);
}
