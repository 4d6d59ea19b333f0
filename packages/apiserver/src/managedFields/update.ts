/** Who owns which field after a write that is no apply. */
import { timestamp, type UnknownObject } from '@vireo/api';
import { type Comparison, compare, filtered } from './compare.ts';
import { convertTo, type Typed } from './convert.ts';
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
import { type FieldFilter, ownableFields, strip } from './resetFields.ts';

/** The managers after `name` has changed `live` to `now`. `live` is undefined for a new object. */
export function trackUpdate(
  typed: Typed,
  live: UnknownObject | undefined,
  now: UnknownObject,
  managers: readonly Manager[],
  name: ManagerName,
): readonly Manager[] {
  // Objects from before managers were kept stay without, until somebody applies them.
  if (managers.length === 0 && live) return managers;
  const isScale = name.subresource === 'scale';
  const ownable = ownableFields(typed.resource.kind, typed.resource.custom, name.subresource);
  const comparison = filtered(compare(live, now, typed.resource.kind.schema), ownable);
  const lost = new Losses(typed, live, now, comparison, ownable);
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
  return managersToStore(result);
}

/** What an entry owns by the schema as it is now. */
const reconciled = ({ resource }: Typed, { fieldsV1 }: Manager): FieldSet =>
  resource.custom ? reconcileFields(fieldsV1, resource.kind.schema) : fieldsV1;

/** What others lose by a write: each is asked in the version that it speaks of. */
class Losses {
  readonly #typed: Typed;
  readonly #live: UnknownObject | undefined;
  readonly #now: UnknownObject;
  readonly #ownable: FieldFilter;
  readonly #byVersion = new Map<string, FieldSet | undefined>();

  constructor(
    typed: Typed,
    live: UnknownObject | undefined,
    now: UnknownObject,
    comparison: Comparison,
    ownable: FieldFilter,
  ) {
    this.#typed = typed;
    this.#live = live;
    this.#now = now;
    this.#ownable = ownable;
    this.#byVersion.set(now.apiVersion, everyField(comparison));
  }

  /** The entry without what it lost; undefined if nothing is left of it, or its version is no longer served. */
  from(entry: Manager): Manager | undefined {
    const lost = this.#lostAt(entry.apiVersion);
    if (!lost) return undefined;
    const own = withFields(entry, reconciled(this.#typed, entry));
    return own && losing(own, lost);
  }

  #lostAt(version: string): FieldSet | undefined {
    if (!this.#byVersion.has(version)) {
      const other = convertTo(this.#typed, version);
      const comparison =
        other && compare(this.#live && other.convert(this.#live), other.convert(this.#now), other.schema);
      this.#byVersion.set(version, comparison && everyField(filtered(comparison, this.#ownable)));
    }
    return this.#byVersion.get(version);
  }
}

const everyField = ({ added, modified, removed }: Comparison): FieldSet => union(union(added, modified), removed);
