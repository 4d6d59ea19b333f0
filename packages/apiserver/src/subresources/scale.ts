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
import { type ApiResponse, objectResponse } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';
import { applyPatch, patchTypes } from '../patch/index.ts';
import { decodeBodyAs, parsePatch, readBodyAs } from '../verbs/draft.ts';
import { current } from '../verbs/get.ts';
import { writeOptions } from '../verbs/options.ts';
import { checkNames } from '../verbs/preconditions.ts';
import { updateObject } from '../verbs/update.ts';

/** `GET …/scale`: the number of replicas, seen alike for every kind that has one. */
export async function getScale(context: VerbContext): Promise<ApiResponse> {
  return objectResponse(scaleOf(context, current(context).object));
}

export async function updateScale(context: VerbContext): Promise<ApiResponse> {
  const scale = await readBodyAs(context.request, 'Scale');
  return writeScale(context, () => scale);
}

export async function patchScale(context: VerbContext): Promise<ApiResponse> {
  const body = await context.request.body();
  if (!body) throw badRequest('the body of a patch must not be empty');
  const mediaType = (body.contentType.split(';', 1)[0] as string).trim().toLowerCase();
  if (!patchTypes(true).includes(mediaType)) throw unsupportedMediaType(patchTypes(true));
  const { value } = parsePatch(body);
  return writeScale(context, (old) => decodeBodyAs(applyPatch(mediaType, old, value, ScaleSchema), 'Scale'));
}

async function writeScale(context: VerbContext, compute: (old: UnknownObject) => UnknownObject): Promise<ApiResponse> {
  const { resource, request, info } = context;
  const path = resource.kind.scale?.specReplicasPath;
  if (path === undefined) throw notFound(groupResource(resource), info.name);
  const options = writeOptions(request.query, 'UpdateOptions');
  const warnings: string[] = [];
  // The parent is changed as by a write of its own, so that admission and validation see what they know.
  const parent: VerbContext = { ...context, info: { ...info, subresource: '' } };
  const stored = await updateObject(
    parent,
    (old) => {
      const scale = compute(scaleOf(context, old));
      const { metadata = {} } = scale;
      checkNames(context, metadata);
      const draft = deepClone(old);
      setAtPath(draft, path, replicasOf(scale));
      draft.metadata.uid = metadata.uid;
      draft.metadata.resourceVersion = metadata.resourceVersion;
      return draft;
    },
    options,
    warnings,
  );
  return objectResponse(scaleOf(context, stored.object), 200, { warnings });
}

function replicasOf({ metadata, spec }: UnknownObject): number {
  const replicas = isObject(spec) ? (spec.replicas ?? 0) : 0;
  if (!Number.isInteger(replicas))
    throw badRequest(`spec.replicas must be a whole number, not ${JSON.stringify(replicas)}`);
  if ((replicas as number) < 0)
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
