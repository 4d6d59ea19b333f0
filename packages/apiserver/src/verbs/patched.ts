import { invalidPatch, isReason, type Schema, type UnknownObject } from '@vireo/api';
import { isObject, type JsonObject, sortedKeys } from '@vireo/api/json.ts';
import { type DecodedBody, decodeJson, type FoundInBody } from '../decode/body.ts';
import { typedStrictErrors } from '../decode/strictErrors.ts';
import { goText } from '../goText.ts';
import { JSON_PATCH, STRATEGIC_MERGE_PATCH } from '../patch/index.ts';
import { patchedText } from '../patch/rawValues.ts';
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
  { old, result }: { readonly old: UnknownObject; readonly result: JsonObject },
  { kind, version }: { readonly kind: string; readonly version: string },
  read: (found: FoundInBody, shown: () => string) => ReadObject,
): ReadObject {
  const isStrategic = mediaType === STRATEGIC_MERGE_PATCH;
  const text = mediaType === JSON_PATCH ? textWithRepeatedFields(old, body) : undefined;
  const shown = (): string => text ?? JSON.stringify(sortedKeys(withManagers(result, old)));
  try {
    const found: FoundInBody = {
      before: mediaType === JSON_PATCH ? operationErrors(body) : body.strictErrors,
      order: isStrategic ? 'text' : 'keys',
      strictErrors: [],
      ...(text !== undefined && { ...decodeJson(text), order: 'document' }),
    };
    return read(found, shown);
  } catch (error) {
    if (!isReason(error, 'BadRequest')) throw error;
    const why = error.message.replace(`${kind} in version "${version}" cannot be handled as a ${kind}: `, '');
    throw invalidPatch(isStrategic ? goText(body.value) : shown(), why);
  }
}

const REPEATED_IN_VALUE = /^duplicate field "\[\d+\]\.value[.[]/;

/** The patched object where the values of a JSON patch have fields twice, which are then in the object as well. */
function textWithRepeatedFields(old: UnknownObject, { json, strictErrors }: DecodedBody): string | undefined {
  if (json === undefined || !strictErrors.some((error) => REPEATED_IN_VALUE.test(error))) return undefined;
  return patchedText(old, json);
}

/** Most patches are worked out without the managers of fields, which are shown all the same. */
function withManagers(result: JsonObject, { metadata: { managedFields } }: UnknownObject): JsonObject {
  if (!managedFields || !isObject(result.metadata) || 'managedFields' in result.metadata) return result;
  return { ...result, metadata: { ...result.metadata, managedFields } };
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
