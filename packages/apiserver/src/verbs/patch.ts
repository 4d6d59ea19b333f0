import { badRequest, invalidPatch, type UnknownObject, unsupportedMediaType } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { ApiResponse, RequestBody } from '@vireo/kube';
import type { VerbContext } from '../core.ts';
import { APPLY_PATCH, applyPatch, JSON_PATCH, patchTypes, STRATEGIC_MERGE_PATCH } from '../patch/index.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { applyConfiguration } from './apply.ts';
import { parsePatch, toObject } from './draft.ts';
import { single } from './get.ts';
import { withoutManagers } from './managers.ts';
import { writeOptions } from './options.ts';
import { type Patch, readPatched } from './patched.ts';
import { checkNames } from './preconditions.ts';
import { updateObject } from './update.ts';

export async function patch(context: VerbContext): Promise<ApiResponse> {
  const { request, resource } = context;
  const sentType = request.headers['content-type'];
  if (sentType !== undefined) checkedType(resource, sentType);
  const body = (await request.body()) ?? nothingSent(sentType);
  const mediaType = checkedType(resource, body.contentType);
  if (mediaType === APPLY_PATCH) return applyConfiguration(context, body);
  const options = writeOptions(request.query, 'PatchOptions');
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const sent: Patch = { mediaType, body: parsePatch(body) };
  const warnings: string[] = [];
  const stored = await updateObject(
    context,
    (old) => applyPatchTo(context, old, sent, options.fieldValidation, warnings),
    options,
    warnings,
  );
  return { ...single(resource, stored, representation), warnings };
}

/** A configuration of nothing is refused for what it lacks. */
function nothingSent(contentType = ''): RequestBody {
  if (mediaTypeOf(contentType) !== APPLY_PATCH) throw badRequest('the body of a patch must not be empty');
  return { contentType, bytes: Buffer.alloc(0) };
}

const mediaTypeOf = (contentType: string): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase();

function checkedType({ custom }: Resource, contentType: string): string {
  const mediaType = mediaTypeOf(contentType);
  const accepted = patchTypes(!custom);
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  return mediaType;
}

function applyPatchTo(
  context: VerbContext,
  old: UnknownObject,
  sent: Patch,
  fieldValidation: 'Strict' | 'Warn' | 'Ignore',
  warnings: string[],
): UnknownObject {
  const { resource } = context;
  const { mediaType } = sent;
  const { value } = sent.body;
  // Who owns what is long, and hardly ever patched.
  const current = namesManagers(mediaType, value) ? old : withoutManagers(old);
  const result = applyPatch(mediaType, current, value, resource.custom ? undefined : resource.kind.schema);
  const isStrategic = mediaType === STRATEGIC_MERGE_PATCH;
  // A strategic merge goes by fields, and the kind is no field of the object: it stays, whatever the patch says.
  if (!isStrategic && (result.apiVersion !== apiVersionOf(resource.kind) || result.kind !== resource.kind.kind))
    throw invalidPatch(
      result,
      `a patch must not change apiVersion or kind: ${JSON.stringify(result.apiVersion)}, ${JSON.stringify(result.kind)}`,
    );
  const { object, warnings: found } = readPatched(sent, { old, result }, resource.kind, (errors) =>
    toObject(resource, result, errors, fieldValidation),
  );
  warnings.push(...found);
  checkNames(context, object.metadata);
  return object;
}

/** Whether a patch speaks of `metadata.managedFields`, or of what holds them. */
function namesManagers(mediaType: string, patch: unknown): boolean {
  if (mediaType !== JSON_PATCH) return isObject(patch) && isObject(patch.metadata) && 'managedFields' in patch.metadata;
  const names = (pointer: unknown): boolean =>
    typeof pointer === 'string' && /^(?:\/metadata(?:\/managedFields(?:\/.*)?)?)?$/s.test(pointer);
  return Array.isArray(patch) && patch.some((step) => isObject(step) && (names(step.path) || names(step.from)));
}
