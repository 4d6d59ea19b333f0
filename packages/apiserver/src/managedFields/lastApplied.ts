/** What kubectl remembers of client-side applies, for the way from them to server-side apply. */
import type { Schema, UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { compare } from './compare.ts';
import { difference, EMPTY_SET, type FieldSet } from './fieldSet.ts';
import { membersOf } from './members.ts';
import { typeErrors } from './typeErrors.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** What all annotations of an object may take. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** The fields that were applied by client-side apply, and have the same values still. */
export function allowedConflicts(live: UnknownObject, schema: Schema): FieldSet {
  const last = lastApplied(live);
  if (last?.apiVersion !== live.apiVersion) return EMPTY_SET;
  if (typeErrors(last, schema, { allowDuplicates: true }).length > 0) return EMPTY_SET;
  const fields = membersOf(last, schema);
  const { added, modified, removed } = compare(last, live, schema);
  return difference(difference(difference(fields, modified), added), removed);
}

function lastApplied({ metadata }: UnknownObject): UnknownObject | undefined {
  try {
    const last: unknown = JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? '');
    return isObject(last) ? (last as UnknownObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The object with what it remembers of client-side apply brought up to date, if it remembers anything. */
export function withLastApplied(object: UnknownObject, config: UnknownObject): UnknownObject {
  const annotations = object.metadata.annotations;
  if (annotations?.[LAST_APPLIED] === undefined) return object;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const updated = { ...others, [LAST_APPLIED]: `${JSON.stringify(sortedKeys(config))}\n` };
  const bytes = Object.entries(updated).reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v), 0);
  return { ...object, metadata: { ...object.metadata, annotations: bytes > MAX_ANNOTATION_BYTES ? others : updated } };
}

/** JSON as Go writes it: keys in order. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}
