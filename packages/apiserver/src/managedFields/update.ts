/** Who owns which field after a write that is no apply. */
import { timestamp, type UnknownObject } from '@vireo/api';
import type { Comparison } from './compare.ts';
import { convertTo, schemaAt, type Typed } from './convert.ts';
import { difference, type FieldSet, intersection, isEmptySet, union } from './fieldSet.ts';
import {
  entryOf,
  isSameManager,
  losing,
  type Manager,
  type ManagerName,
  managersToStore,
  withFields,
} from './managers.ts';
import { reconcileFields } from './reconcileSchema.ts';
import { ownableChanges, strip } from './resetFields.ts';
import { UntypedValue } from './untypedValue.ts';

const NOBODY: readonly Manager[] = [];

/**
 * The managers after `name` has changed `live` to `now`. `live` is undefined for a new object. Where the object does not
 * fit its schema, nobody owns it any more, as a write must not fail for that.
 */
export function trackUpdate(
  typed: Typed,
  live: UnknownObject | undefined,
  now: UnknownObject,
  managers: readonly Manager[],
  name: ManagerName,
): readonly Manager[] {
  // Objects from before managers were kept stay without, until somebody applies them.
  if (managers.length === 0 && live) return managers;
  try {
    return managersToStore(managersAfter(typed, live, now, managers, name));
  } catch (error) {
    if (error instanceof UntypedValue) return NOBODY;
    throw error;
  }
}

/** The managers after an update, some of which may own nothing. Throws UntypedValue. */
export function managersAfter(
  typed: Typed,
  live: UnknownObject | undefined,
  now: UnknownObject,
  managers: readonly Manager[],
  name: ManagerName,
): readonly Manager[] {
  const isScale = name.subresource === 'scale';
  const { resource } = typed;
  const comparison = ownableChanges(live, now, resource.kind.schema, resource, name.subresource);
  const lost = new Losses(typed, live, now, comparison, name.subresource);
  const set = strip(union(comparison.added, comparison.modified));
  const result: Manager[] = [];
  let isNew = !isEmptySet(set);
  for (const entry of managers) {
    const isSelf = isSameManager(entry, name);
    if (isSelf && isNew) {
      isNew = false;
      const own = union(difference(reconciled(typed, entry), comparison.removed), set);
      result.push(entryOf(name, own, isScale ? entry.time : timestamp()));
      continue;
    }
    const rest = lost.from(entry);
    if (rest) result.push(rest);
  }
  // A scale that nobody owns stays so, and an entry for one has no time: its writer saw the Scale, not the object.
  if (isNew && !(isScale && managers.every(({ fieldsV1 }) => isEmptySet(intersection(fieldsV1, set)))))
    result.push(entryOf(name, set, isScale ? undefined : timestamp()));
  return result;
}

/** What an entry owns by the schema as it is now. */
export function reconciled(typed: Typed, { fieldsV1, apiVersion }: Manager): FieldSet {
  const schema = typed.resource.custom ? schemaAt(typed, apiVersion) : undefined;
  return schema ? reconcileFields(fieldsV1, schema) : fieldsV1;
}

/** What others lose by a write: each is asked in the version that it speaks of. */
class Losses {
  readonly #typed: Typed;
  readonly #live: UnknownObject | undefined;
  readonly #now: UnknownObject;
  readonly #subresource: string;
  readonly #byVersion = new Map<string, FieldSet | undefined>();

  constructor(
    typed: Typed,
    live: UnknownObject | undefined,
    now: UnknownObject,
    comparison: Comparison,
    subresource: string,
  ) {
    this.#typed = typed;
    this.#live = live;
    this.#now = now;
    this.#subresource = subresource;
    this.#byVersion.set(now.apiVersion, everyField(comparison));
  }

  /** The entry without what it lost; undefined if nothing is left of it, or its version is gone. */
  from(entry: Manager): Manager | undefined {
    const lost = this.#lostAt(entry.apiVersion);
    if (!lost) return undefined;
    const own = withFields(entry, reconciled(this.#typed, entry));
    return own && losing(own, lost);
  }

  #lostAt(version: string): FieldSet | undefined {
    if (!this.#byVersion.has(version)) {
      const there = comparisonAt(this.#typed, this.#live, this.#now, version, this.#subresource);
      this.#byVersion.set(version, there && everyField(there));
    }
    return this.#byVersion.get(version);
  }
}

/** What a write changes as another version sees it; undefined if there is no such version. */
export function comparisonAt(
  typed: Typed,
  live: UnknownObject | undefined,
  now: UnknownObject,
  version: string,
  subresource: string,
): Comparison | undefined {
  const before = live && convertTo(typed, live, version);
  const after = convertTo(typed, now, version);
  const schema = schemaAt(typed, version);
  return after && schema && ownableChanges(before, after, schema, typed.resource, subresource);
}

const everyField = ({ added, modified, removed }: Comparison): FieldSet => union(union(added, modified), removed);
