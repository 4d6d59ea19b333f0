import {
  badRequest,
  field,
  invalid,
  notFound,
  ScaleSchema,
  type UnknownObject,
  unsupportedMediaType,
} from '@vireo/api';
import { deepClone, isObject } from '@vireo/api/json.ts';
import { compileJsonPath, setAtPath } from '@vireo/api/jsonPath.ts';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { type ApiResponse, objectResponse, type RequestBody } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';
import { appliedKeyWarnings } from '../decode/fieldValidation.ts';
import { apply } from '../managedFields/apply.ts';
import type { Conflict } from '../managedFields/conflicts.ts';
import { EMPTY_SET, type FieldSet } from '../managedFields/fieldSet.ts';
import { type Manager, storedManagers } from '../managedFields/managers.ts';
import { fieldElement } from '../managedFields/pathElement.ts';
import { APPLY_PATCH, applyPatch, patchTypes } from '../patch/index.ts';
import { whenConverted } from '../registry/notConverted.ts';
import { apiVersionOf } from '../registry/resource.ts';
import { readConfiguration, withTypedErrors } from '../verbs/apply.ts';
import { decodeBodyAs, parsePatch, readBodyAs } from '../verbs/draft.ts';
import { current } from '../verbs/get.ts';
import { typedOf, withoutManagers } from '../verbs/managers.ts';
import { type WriteOptions, writeOptions } from '../verbs/options.ts';
import { type Patch, readPatched } from '../verbs/patched.ts';
import { checkNames } from '../verbs/preconditions.ts';
import { updateObject } from '../verbs/update.ts';

/** `GET …/scale`: the number of replicas, seen alike for every kind that has one. */
export async function getScale(context: VerbContext): Promise<ApiResponse> {
  const { object } = await whenConverted(() => current(context));
  return objectResponse(scaleOf(context, object));
}

export async function updateScale(context: VerbContext): Promise<ApiResponse> {
  const options = writeOptions(context.request.query, 'UpdateOptions');
  const { object, warnings } = await readBodyAs(context.request, 'Scale', options.fieldValidation);
  return writeScale(context, () => object, options, warnings);
}

export async function patchScale(context: VerbContext): Promise<ApiResponse> {
  const body = await context.request.body();
  if (!body) throw badRequest('the body of a patch must not be empty');
  const mediaType = (body.contentType.split(';', 1)[0] as string).trim().toLowerCase();
  if (!patchTypes(true).includes(mediaType)) throw unsupportedMediaType(patchTypes(true));
  if (mediaType === APPLY_PATCH) return applyScale(context, body);
  const options = writeOptions(context.request.query, 'PatchOptions');
  const sent: Patch = { mediaType, body: parsePatch(body) };
  const warnings: string[] = [];
  const compute = (old: UnknownObject): UnknownObject => {
    const result = applyPatch(mediaType, old, sent.body.value, ScaleSchema);
    const read = readPatched(sent, { old, result }, { kind: 'Scale', version: 'v1' }, (errors) =>
      decodeBodyAs(result, 'Scale', errors, options.fieldValidation),
    );
    warnings.push(...read.warnings);
    return read.object;
  };
  return writeScale(context, compute, options, warnings);
}

/** Server-side apply of a Scale: whoever applies it owns the number of replicas of the parent. */
async function applyScale(context: VerbContext, body: RequestBody): Promise<ApiResponse> {
  const { resource, request, info } = context;
  const path = replicasPath(context);
  const options = writeOptions(request.query, 'PatchOptions', true);
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', schema: ScaleSchema };
  const { config, strictErrors } = readConfiguration(scale, body);
  const warnings: string[] = [];
  checkNames(context, config.metadata);
  const replicas = isObject(config.spec) ? config.spec.replicas : undefined;
  const elements = path.replace(/^\./, '').split('.').map(fieldElement);
  const wanted: UnknownObject = { apiVersion: apiVersionOf(resource.kind), kind: resource.kind.kind, metadata: {} };
  if (replicas !== undefined) setAtPath(wanted, path, replicasOf(context, config));
  const application = {
    typed: typedOf(context),
    config: wanted,
    fields: replicas === undefined ? EMPTY_SET : elements.reduceRight<FieldSet>((below, e) => ({ [e]: below }), {}),
    name: {
      manager: options.fieldManager,
      operation: 'Apply' as const,
      apiVersion: wanted.apiVersion,
      subresource: 'scale',
    },
    force: options.force,
    describe: (conflict: Conflict): Conflict => ({
      ...conflict,
      field: '.spec.replicas',
      owner: { ...conflict.owner, apiVersion: config.apiVersion },
    }),
  };
  let managers: readonly Manager[] = [];
  const stored = await updateObject(
    { ...context, info: { ...info, subresource: '' } },
    async (old) => {
      const before = storedManagers(old.metadata.managedFields);
      const live = withoutManagers(old);
      const applied = await whenConverted(() =>
        withTypedErrors(() => apply({ ...application, live, managers: before })),
      );
      managers = applied.managers;
      warnings.splice(0, warnings.length, ...appliedKeyWarnings(strictErrors, options.fieldValidation));
      const { uid, resourceVersion } = config.metadata;
      const metadata = { ...applied.object.metadata, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
      return { ...applied.object, metadata };
    },
    options,
    warnings,
    { by: 'apply', managers: () => managers },
  );
  return objectResponse(scaleOf(context, stored.object), 200, { warnings });
}

function replicasPath({ resource, info }: VerbContext): string {
  const path = resource.kind.scale?.specReplicasPath;
  if (path === undefined) throw notFound(groupResource(resource), info.name);
  return path;
}

async function writeScale(
  context: VerbContext,
  compute: (old: UnknownObject) => UnknownObject,
  options: WriteOptions,
  warnings: string[],
): Promise<ApiResponse> {
  const { info } = context;
  const path = replicasPath(context);
  // The parent is changed as by a write of its own, so that admission and validation see what they know.
  const parent: VerbContext = { ...context, info: { ...info, subresource: '' } };
  const stored = await updateObject(
    parent,
    (old) => {
      const scale = compute(scaleOf(context, old));
      const { metadata = {} } = scale;
      checkNames(context, metadata);
      const draft = deepClone(old);
      setAtPath(draft, path, replicasOf(context, scale));
      draft.metadata.uid = metadata.uid;
      draft.metadata.resourceVersion = metadata.resourceVersion;
      return draft;
    },
    options,
    warnings,
    { by: 'update', subresource: 'scale' },
  );
  return objectResponse(scaleOf(context, stored.object), 200, { warnings });
}

/** Too few are refused by the validation of a custom resource, which has its own words for it. */
function replicasOf({ resource }: VerbContext, { metadata, spec }: UnknownObject): number {
  const replicas = isObject(spec) ? (spec.replicas ?? 0) : 0;
  if (!Number.isInteger(replicas))
    throw badRequest(`spec.replicas must be a whole number, not ${JSON.stringify(replicas)}`);
  if ((replicas as number) < 0 && !resource.custom)
    throw invalid('autoscaling', 'Scale', metadata.name ?? '', [
      field.invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  return replicas as number;
}

function scaleOf({ resource }: VerbContext, object: UnknownObject): UnknownObject {
  const { scale } = resource.kind;
  const read = (path: string | undefined): unknown =>
    path === undefined ? undefined : compileJsonPath(path)(object)[0];
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  // Built-in kinds have their selector where it belongs; definitions say where it is.
  const selector = read(scale?.labelSelectorPath ?? (resource.custom ? undefined : '.spec.selector'));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: read(scale?.specReplicasPath) ?? 0 },
    status: {
      replicas: read(scale?.statusReplicasPath) ?? 0,
      ...(selector !== undefined && {
        selector: typeof selector === 'string' ? selector : String(selectorFromObject(selector)),
      }),
    },
  };
}
