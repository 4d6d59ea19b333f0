import {
  ApiError,
  badRequest,
  conflict,
  field,
  invalid,
  isReason,
  notFound,
  type Schema,
  type UnknownObject,
} from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { ApiResponse, RequestBody } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';
import { type DecodedBody, decodeBody, YAML_TYPE } from '../decode/body.ts';
import { appliedKeyWarnings } from '../decode/fieldValidation.ts';
import { type Applied, apply } from '../managedFields/apply.ts';
import type { FieldSet } from '../managedFields/fieldSet.ts';
import { withLastApplied } from '../managedFields/lastApplied.ts';
import { type Manager, type ManagerName, storedManagers } from '../managedFields/managers.ts';
import { membersOf } from '../managedFields/members.ts';
import { errorText, typeErrors } from '../managedFields/typeErrors.ts';
import { UntypedValue } from '../managedFields/untypedValue.ts';
import { bodySchema } from '../protobuf/bodies.ts';
import { whenConverted } from '../registry/notConverted.ts';
import { apiVersionOf, keyOf } from '../registry/resource.ts';
import { negotiate } from '../representation.ts';
import { notAMap } from '../schema/goNames.ts';
import type { Stored } from '../store/store.ts';
import { createObject } from './create.ts';
import { toAppliedObject } from './draft.ts';
import { single } from './get.ts';
import { typedOf, withoutManagers } from './managers.ts';
import { type WriteOptions, writeOptions } from './options.ts';
import { checkNames } from './preconditions.ts';
import { updateObject } from './update.ts';

/** A configuration that somebody applies. */
export interface Configuration {
  readonly config: UnknownObject;
  /** The fields that it sets. */
  readonly fields: FieldSet;
  /** What a strict reader refuses. */
  readonly strictErrors: readonly string[];
}

/** PATCH with a configuration: server-side apply. Creates what is not there. */
export async function applyConfiguration(context: VerbContext, body: RequestBody): Promise<ApiResponse> {
  const { core, request, resource, info } = context;
  const options = writeOptions(request.query, 'PatchOptions', true);
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const exists = core.store.get(keyOf(resource, info.namespace, info.name)) !== undefined;
  if (!exists && info.subresource !== '') throw notFound(groupResource(resource), info.name);
  const config = readConfiguration({ ...resource.kind, apiVersion: apiVersionOf(resource.kind) }, body);
  const name: ManagerName = {
    manager: options.fieldManager,
    operation: 'Apply',
    apiVersion: apiVersionOf(resource.kind),
    subresource: info.subresource,
  };
  const warnings: string[] = [];
  if (!exists) {
    const created = await createApplied(context, config, name, options, warnings);
    return { ...single(resource, created, representation, 201), warnings };
  }
  let managers: readonly Manager[] = [];
  const stored = await updateObject(
    context,
    async (old) => {
      checkUid(context, config.config, old);
      const applied = await whenConverted(() => applyTo(context, old, config, name, options));
      managers = applied.managers;
      warnings.splice(0, warnings.length, ...strictWarnings(config, options));
      return applied.object === old ? old : readApplied(context, applied.object, config, options);
    },
    options,
    warnings,
    { by: 'apply', managers: () => managers },
  );
  return { ...single(resource, stored, representation), warnings };
}

async function createApplied(
  context: VerbContext,
  config: Configuration,
  name: ManagerName,
  options: WriteOptions,
  warnings: string[],
): Promise<Stored> {
  const { resource, info } = context;
  context.requireCreate?.();
  const { apiVersion, kind } = config.config;
  const nothing: UnknownObject = { apiVersion, kind, metadata: {} };
  const { object, managers } = applyTo(context, nothing, config, name, options);
  warnings.push(...strictWarnings(config, options));
  const { uid } = config.config.metadata;
  if (uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(groupResource(resource), info.name, why);
  }
  const draft = readApplied(context, object, config, options);
  const { resourceVersion: _, ...metadata } = draft.metadata;
  return createObject(context, { ...draft, metadata }, options, warnings, managers);
}

/** Whoever names a uid means that object, and no other of its name. */
function checkUid({ resource, info }: VerbContext, { metadata: { uid } }: UnknownObject, old: UnknownObject): void {
  if (!uid || uid === old.metadata.uid) return;
  const error = field.invalid('metadata.uid', uid, 'field is immutable');
  throw invalid(resource.kind.group, resource.kind.kind, info.name, [error]);
}

function applyTo(
  context: VerbContext,
  old: UnknownObject,
  config: Configuration,
  name: ManagerName,
  { force }: WriteOptions,
): Applied {
  const live = withoutManagers(old);
  const typed = typedOf(context);
  const managers = storedManagers(old.metadata.managedFields);
  checkTypes('live', live, typed.resource.kind.schema, true);
  const applied = withTypedErrors(() => apply({ typed, live, ...config, managers, name, force }));
  return applied.object === live ? { ...applied, object: old } : applied;
}

/** Where nobody can tell who owns what, an apply fails as any error of the server does. */
export function withTypedErrors<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw error instanceof UntypedValue ? new ApiError(undefined, error.message, undefined, 500) : error;
  }
}

/** What a configuration made of an object, as an object of its kind. */
function readApplied(
  context: VerbContext,
  applied: UnknownObject,
  config: Configuration,
  { fieldManager }: WriteOptions,
): UnknownObject {
  const { resource, info } = context;
  const object = toAppliedObject(resource, applied);
  const { namespace } = object.metadata;
  if (resource.kind.namespaced && namespace && namespace !== info.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  checkNames(context, object.metadata);
  return fieldManager === 'kubectl' ? withLastApplied(object, config.config) : object;
}

/** A configuration for objects of a kind. Throws if it is for another, or does not fit its schema. */
export function readConfiguration(
  { schema, ...wanted }: { apiVersion: string; kind: string; schema: Schema },
  body: RequestBody,
): Configuration {
  const { value, strictErrors } = decodeConfiguration(body);
  if (!isObject(value))
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAMap(value)}`);
  const { apiVersion, kind, metadata } = value;
  if (apiVersion !== wanted.apiVersion || kind !== wanted.kind)
    throw badRequest(`invalid object type: ${gvkText(textOf(apiVersion), textOf(kind))}`);
  if (isObject(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw badRequest('metadata.managedFields must be nil');
  const config = (isObject(metadata) ? value : { ...value, metadata: {} }) as UnknownObject;
  checkTypes('patch', value as UnknownObject, schema, false);
  return { config, fields: membersOf(value, schema), strictErrors };
}

function decodeConfiguration(body: RequestBody): DecodedBody {
  try {
    const decoded = decodeBody({ ...body, contentType: YAML_TYPE }, bodySchema);
    return decoded.value === null ? { ...decoded, value: {} } : decoded;
  } catch (error) {
    if (!isReason(error, 'BadRequest')) throw error;
    throw badRequest(`error decoding YAML: ${error.message}`);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `apps/v1, Kind=Deployment`; the core group prints `/v1, Kind=Pod`. */
const gvkText = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;

/** Kubernetes answers with an error of its own where an object does not fit the schema. */
function checkTypes(what: 'patch' | 'live', object: UnknownObject, schema: Schema, allowDuplicates: boolean): void {
  const errors = typeErrors(object, schema, { allowDuplicates });
  if (errors.length === 0) return;
  const { apiVersion, kind } = object;
  const { namespace, name } = isObject(object.metadata) ? object.metadata : {};
  const of = `${textOf(namespace)}/${textOf(name)}; ${gvkText(apiVersion, kind)}`;
  const text = `failed to create typed ${what} object (${of}): ${errorText(errors)}`;
  throw new ApiError(undefined, text, undefined, 500);
}

/** What is said of keys that are given twice, which a conflict comes before. */
function strictWarnings({ strictErrors }: Configuration, { fieldValidation }: WriteOptions): string[] {
  return appliedKeyWarnings(strictErrors, fieldValidation);
}
