import { badRequest, field, invalid, type UnknownObject, unsupportedMediaType } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import type { ApiResponse, RequestBody } from '@vireo/kube';
import type { VerbContext } from '../core.ts';
import { JSON_ERROR } from '../decode/body.ts';
import { typeMetaError } from '../decode/typeMeta.ts';
import { APPLY_PATCH, applyPatch, JSON_PATCH, patchTypes, STRATEGIC_MERGE_PATCH } from '../patch/index.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { applyConfiguration } from './apply.ts';
import { missingKind, otherType, parsePatch, toObject } from './draft.ts';
import { single } from './get.ts';
import { withoutManagers } from './managers.ts';
import { writeOptions } from './options.ts';
import { type Patch, readPatched } from './patched.ts';
import { checkNames } from './preconditions.ts';
import { requireVersion, updateObject } from './update.ts';

export async function patch(context: VerbContext): Promise<ApiResponse> {
  const { request, resource } = context;
  const sentType = request.headers['content-type'];
  if (sentType !== undefined) checkedType(resource, sentType);
  const body: RequestBody = (await request.body()) ?? { contentType: sentType ?? '', bytes: Buffer.alloc(0) };
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
  const { object, warnings: found } = readPatched(sent, { old, result }, resource.kind, (errors, shown) => {
    checkPatchedType(resource, mediaType, result, shown);
    return toObject(resource, result, errors, fieldValidation);
  });
  warnings.push(...found);
  checkNames(context, object.metadata);
  checkSameObject(resource, object, old);
  return object;
}

/** A strategic merge goes by fields, and the kind is no field of the object: it stays, whatever the patch says. */
function checkPatchedType(
  { kind, custom }: Resource,
  mediaType: string,
  result: JsonObject,
  shown: () => string,
): void {
  const isSame = result.apiVersion === apiVersionOf(kind) && result.kind === kind.kind;
  if (isSame || mediaType === STRATEGIC_MERGE_PATCH) return;
  const error = typeMetaError(result);
  if (error !== undefined) throw badRequest(`${JSON_ERROR}${error}`);
  if (custom && !result.kind) throw badRequest(missingKind(shown()));
  if (custom) throw otherType(kind, result);
  const { apiVersion, kind: named } = result;
  throw badRequest(
    `a patch must not change apiVersion or kind: ${JSON.stringify(apiVersion)}, ${JSON.stringify(named)}`,
  );
}

function checkSameObject(resource: Resource, object: UnknownObject, { metadata }: UnknownObject): void {
  const { uid, name = '' } = object.metadata;
  if (uid && uid !== metadata.uid)
    throw invalid(resource.kind.group, resource.kind.kind, name, [
      field.invalid('metadata.uid', uid, 'field is immutable'),
    ]);
  requireVersion(resource, object);
}

/** Whether a patch speaks of `metadata.managedFields`, or of what holds them. */
function namesManagers(mediaType: string, patch: unknown): boolean {
  if (mediaType !== JSON_PATCH) return isObject(patch) && isObject(patch.metadata) && 'managedFields' in patch.metadata;
  const names = (pointer: unknown): boolean =>
    typeof pointer === 'string' && /^(?:\/metadata(?:\/managedFields(?:\/.*)?)?)?$/s.test(pointer);
  return Array.isArray(patch) && patch.some((step) => isObject(step) && (names(step.path) || names(step.from)));
}
