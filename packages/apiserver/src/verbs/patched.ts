import { invalidPatch, isReason, type Schema } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import type { DecodedBody } from '../decode/body.ts';
import { typedStrictErrors } from '../decode/strictErrors.ts';
import { goText } from '../goText.ts';
import { JSON_PATCH, STRATEGIC_MERGE_PATCH } from '../patch/index.ts';
import type { ReadObject } from './draft.ts';

/** A patch, as it was sent. */
export interface Patch {
  readonly mediaType: string;
  readonly body: DecodedBody;
}

/**
 * Reads what a patch made of an object: what would be a bad body of an update is a patch that does not fit. `read` is
 * told what a strict reader refuses in the patch itself.
 */
export function readPatched(
  { mediaType, body }: Patch,
  result: JsonObject,
  { kind, version }: { readonly kind: string; readonly version: string },
  read: (found: Pick<DecodedBody, 'strictErrors' | 'order'>) => ReadObject,
): ReadObject {
  const isStrategic = mediaType === STRATEGIC_MERGE_PATCH;
  try {
    return read({
      strictErrors: mediaType === JSON_PATCH ? operationErrors(body) : body.strictErrors,
      order: isStrategic ? 'text' : 'keys',
    });
  } catch (error) {
    if (!isReason(error, 'BadRequest')) throw error;
    const why = error.message.replace(`${kind} in version "${version}" cannot be handled as a ${kind}: `, '');
    throw invalidPatch(isStrategic ? goText(body.value) : sortedKeys(result), why);
  }
}

const OPERATION_FIELDS = ['op', 'path', 'from', 'value'];
const OPERATIONS: Schema = { type: 'array', items: { type: 'object' } };

/** What is unknown or repeated in the operations of a JSON patch. */
function operationErrors(body: DecodedBody): string[] {
  const operations = Array.isArray(body.value) ? body.value : [];
  const unknown = operations.flatMap((operation, i) =>
    Object.keys(isObject(operation) ? operation : {})
      .filter((key) => !OPERATION_FIELDS.includes(key))
      .map((key) => `[${i}].${key}`),
  );
  return typedStrictErrors(body, unknown, OPERATIONS).map((error) => `json patch ${error}`);
}

/** Go sorts the keys of what it patched. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sortedKeys(member)]));
}
