import { badRequest, type UnknownObject, unsupportedMediaType } from '@vireo/api';
import type { VerbContext } from '../core.ts';
import { applyPatch, patchTypes } from '../patch/index.ts';
import { apiVersionOf } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import type { ApiResponse } from '../request.ts';
import { parsePatch, toObject } from './draft.ts';
import { single } from './get.ts';
import { writeOptions } from './options.ts';
import { checkNames } from './preconditions.ts';
import { updateObject } from './update.ts';

export async function patch(context: VerbContext): Promise<ApiResponse> {
  const { request, resource } = context;
  const options = writeOptions(request.query, 'PatchOptions');
  const representation = negotiate(request.headers.accept, request.query);
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
  return { ...single(resource, stored, representation), warnings };
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
  const { resource } = context;
  const result = applyPatch(mediaType, old, value, resource.custom ? undefined : resource.kind.schema);
  if (result.apiVersion !== apiVersionOf(resource.kind) || result.kind !== resource.kind.kind)
    throw badRequest(
      `a patch must not change apiVersion or kind: ${JSON.stringify(result.apiVersion)}, ${JSON.stringify(result.kind)}`,
    );
  const { object, warnings: found } = toObject(resource, result, strictErrors, fieldValidation);
  warnings.push(...found);
  checkNames(context, object.metadata);
  return object;
}
