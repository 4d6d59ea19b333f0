import { badRequest, type UnknownObject, unsupportedMediaType } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { VerbContext } from '../core.ts';
import { applyPatch, patchTypes } from '../patch/index.ts';
import { apiVersionOf } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import type { ApiResponse } from '../request.ts';
import { parsePatch, toObject } from './draft.ts';
import { single } from './get.ts';
import { writeOptions } from './options.ts';
import { updateObject } from './update.ts';

export async function patch(context: VerbContext): Promise<ApiResponse> {
  const { request, resource } = context;
  const options = writeOptions(request.query, 'PatchOptions');
  const body = await request.body();
  if (!body) throw badRequest('the body of a patch must not be empty');
  const mediaType = (body.contentType.split(';', 1)[0] as string).trim().toLowerCase();
  const accepted = patchTypes(!resource.custom);
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  const { value, strictErrors } = parsePatch(body);
  const warnings: string[] = [];
  const stored = await updateObject(
    context,
    (old) => patched(context, old, mediaType, value, strictErrors, options.fieldValidation, warnings),
    options,
    warnings,
  );
  return { ...single(resource, stored, negotiate(request.headers.accept, request.query)), warnings };
}

function patched(
  context: VerbContext,
  old: UnknownObject,
  mediaType: string,
  value: unknown,
  strictErrors: readonly string[],
  fieldValidation: 'Strict' | 'Warn' | 'Ignore',
  warnings: string[],
): UnknownObject {
  const { resource, info } = context;
  const result = applyPatch(mediaType, old, value, resource.custom ? undefined : resource.kind.schema);
  // Unless the patch itself speaks of a version, the result is not tied to the one it was made from.
  const named = patchedVersion(mediaType, value);
  if (isObject(result.metadata)) {
    if (named === undefined) delete result.metadata.resourceVersion;
    if (result.metadata.name !== info.name)
      throw badRequest(
        `the name of the object (${String(result.metadata.name)}) does not match the name on the URL (${info.name})`,
      );
  }
  if (result.apiVersion !== apiVersionOf(resource.kind) || result.kind !== resource.kind.kind)
    throw badRequest(
      `a patch must not change apiVersion or kind: ${JSON.stringify(result.apiVersion)}, ${JSON.stringify(result.kind)}`,
    );
  const { object, warnings: found } = toObject(resource, result, strictErrors, fieldValidation);
  warnings.push(...found);
  return object;
}

/** The resourceVersion that a merge patch carries, as a precondition. JSON patches say it with `test` or `replace`. */
function patchedVersion(mediaType: string, value: unknown): unknown {
  if (Array.isArray(value))
    return value.find((operation) => isObject(operation) && operation.path === '/metadata/resourceVersion')?.value;
  if (mediaType.includes('json-patch') || !isObject(value) || !isObject(value.metadata)) return undefined;
  return value.metadata.resourceVersion ?? undefined;
}
