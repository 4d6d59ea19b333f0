import { ApiError, invalidPatch, type Schema, unsupportedMediaType } from '@vireo/api';
import { exceedsDepth, isObject, type JsonObject, MAX_DEPTH } from '@vireo/api/json.ts';
import { applyJsonPatch } from '@vireo/api/jsonPatch.ts';
import { JSON_ERROR } from '../decode/body.ts';
import { typeMetaError } from '../decode/typeMeta.ts';
import { applyMergePatch } from './merge.ts';
import { applyStrategicMergePatch } from './strategic.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** The patch types that a resource takes. Custom resources have no merge keys, hence no strategic merge. */
export const patchTypes = (strategic: boolean): readonly string[] =>
  strategic ? [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH] : [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];

/**
 * What `current` becomes under the patch: a private copy that shares nothing with either.
 * `schema` drives strategic merges; leave it out for custom resources, which do not take them.
 */
export function applyPatch(contentType: string, current: unknown, body: unknown, schema?: Schema): JsonObject {
  const result = applyByType(contentType.split(';', 1)[0]!.trim().toLowerCase(), current, body, schema);
  if (!isObject(result)) throw invalidPatch(result, notAnObject(result));
  if (exceedsDepth(result)) {
    throw new ApiError('Invalid', `the patched object nests deeper than ${MAX_DEPTH} levels`, {});
  }
  return result;
}

const notAnObject = (value: unknown): string => {
  const error = typeMetaError(value);
  return error === undefined ? 'the patched document is not a JSON object' : `${JSON_ERROR}${error}`;
};

function applyByType(mediaType: string, current: unknown, body: unknown, schema?: Schema): unknown {
  if (mediaType === JSON_PATCH) return applyJsonPatch(current, body);
  if (mediaType === MERGE_PATCH) return applyMergePatch(current, body);
  if (mediaType === STRATEGIC_MERGE_PATCH && schema) return applyStrategicMergePatch(current, body, schema);
  throw unsupportedMediaType(patchTypes(schema !== undefined));
}
