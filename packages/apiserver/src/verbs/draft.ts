import {
  type ApiError,
  type BodyKind,
  badRequest,
  bodyKinds,
  field,
  invalid,
  isReason,
  type Schema,
  tooLarge,
  type UnknownObject,
} from '@vireo/api';
import { deepClone, isObject } from '@vireo/api/json.ts';
import { dnsLabel, dnsSubdomain, pathSegment } from '@vireo/api/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '@vireo/api/validateMeta.ts';
import type { ApiRequest, RequestBody } from '@vireo/kube';
import { noteAuditObject } from '../audit/context.ts';
import type { VerbContext } from '../core.ts';
import {
  type DecodedBody,
  decodeBody,
  type FoundInBody,
  JSON_ERROR,
  JSON_TYPE,
  sentText,
  undecodablePatch,
  unrecognizedBody,
  YAML_TYPE,
} from '../decode/body.ts';
import { fieldWarnings } from '../decode/fieldValidation.ts';
import { customStrictErrors, typedStrictErrors } from '../decode/strictErrors.ts';
import { typeMetaError } from '../decode/typeMeta.ts';
import { bodySchema } from '../protobuf/bodies.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { checkRules } from '../rules/validator.ts';
import { type DecodedBuiltin, decodeBuiltin } from '../schema/builtin.ts';
import { customResourceErrors } from '../schema/customResource.ts';
import { applySchemaDefaults, dropNulls, fillInDefaults, MAX_DEFAULTS_BYTES } from '../schema/defaulting.ts';
import { decodeEmbedded, decodeMetadata } from '../schema/embedded.ts';
import { pruneUnknownFields } from '../schema/pruning.ts';
import { finalizerWarnings } from './finalizerWarnings.ts';
import type { WriteOptions } from './options.ts';

type FieldValidation = WriteOptions['fieldValidation'];

/** An object that is ours to change, and the warnings about it. */
export interface ReadObject {
  readonly object: UnknownObject;
  readonly warnings: string[];
}

/** The object in the body of a create or an update. */
export async function readObject({ request, resource }: VerbContext, options: WriteOptions): Promise<ReadObject> {
  const { kind, custom } = resource;
  const sent = await bodyOf(request);
  const body = decoded(sent, kind.kind, custom ? [JSON_TYPE, YAML_TYPE] : undefined);
  const value = typedValue(body.value, kind.kind, sent);
  if (custom) checkCustomType(resource, value, sent);
  else checkType(resource, value);
  if (isObject(value.metadata)) noteAuditObject(value.metadata);
  return toObject(resource, value, body, options.fieldValidation);
}

/** The body of a request; an empty one is read like any other. */
const bodyOf = async (request: ApiRequest): Promise<RequestBody> =>
  (await request.body()) ?? { contentType: request.headers['content-type'] ?? JSON_TYPE, bytes: Buffer.alloc(0) };

function decoded(body: RequestBody, kindName: string, types?: readonly string[]): DecodedBody {
  try {
    return decodeBody(body, bodySchema, { ...(types && { types }) });
  } catch (error) {
    throw isReason(error, 'BadRequest') ? unrecognizedBody(kindName, error.message, body) : error;
  }
}

/** The value as an object whose kind, if it says one, is a text. */
function typedValue(value: unknown, kindName: string, body: RequestBody): Record<string, unknown> {
  const error = typeMetaError(value);
  if (error !== undefined) throw unrecognizedBody(kindName, `${JSON_ERROR}${error}`, body);
  return (value ?? {}) as Record<string, unknown>;
}

/** Go knows the type of a built-in kind without being told. */
function checkType({ kind }: Resource, value: Record<string, unknown>): void {
  if (value.apiVersion && value.apiVersion !== apiVersionOf(kind)) throw otherVersion(kind, value);
  if (value.kind && value.kind !== kind.kind)
    throw badRequest(`the kind in the data (${String(value.kind)}) does not match the expected kind (${kind.kind})`);
}

function checkCustomType({ kind }: Resource, value: Record<string, unknown>, body: RequestBody): void {
  const apiVersion = String(value.apiVersion ?? '');
  if (apiVersion.split('/').length > 2)
    throw unrecognizedBody(kind.kind, `unexpected GroupVersion string: ${apiVersion}`, body);
  if (!value.kind) throw unrecognizedBody(kind.kind, missingKind(sentText(body)), body);
  if (value.apiVersion !== apiVersionOf(kind)) throw otherVersion(kind, value);
  if (value.kind !== kind.kind) throw otherType(kind, value);
}

/** What is said of an object that does not say what it is. */
export const missingKind = (text: string): string => `Object 'Kind' is missing in '${text}'`;

/** What is said of a custom resource that says to be something else. */
export function otherType(kind: Resource['kind'], value: Record<string, unknown>): ApiError {
  const wanted = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  const errors = (['kind', 'apiVersion'] as const)
    .filter((key) => value[key] !== wanted[key])
    .map((key) => field.invalid(key, value[key] ?? '', `must be ${wanted[key]}`));
  const name = isObject(value.metadata) ? String(value.metadata.name ?? '') : '';
  return invalid(kind.group, String(value.kind), name, errors);
}

const otherVersion = (kind: Resource['kind'], { apiVersion }: Record<string, unknown>): ApiError =>
  badRequest(
    `the API version in the data (${apiVersion ?? ''}) does not match the expected API version (${apiVersionOf(kind)})`,
  );

/**
 * A value as an object of this resource: unknown fields are gone, and refused, warned of or ignored as asked. `found`:
 * what was noticed when it was read.
 */
export function toObject(
  resource: Resource,
  value: Record<string, unknown>,
  found: FoundInBody,
  fieldValidation: FieldValidation,
): ReadObject {
  const { object, unknownFields } = resource.custom
    ? decodeCustom(resource, value)
    : decodeBuiltin(value, resource.kind);
  const errorsOf = resource.custom ? customStrictErrors : typedStrictErrors;
  const errors = () => [...(found.before ?? []), ...errorsOf(found, unknownFields, resource.kind.schema)];
  const strictErrors = fieldValidation === 'Ignore' ? [] : errors();
  const warnings = fieldWarnings(strictErrors, fieldValidation, resource.kind);
  object.apiVersion = apiVersionOf(resource.kind);
  object.kind = resource.kind.kind;
  object.metadata ??= {};
  if (!isObject(object.metadata))
    throw badRequest(`metadata must be an object, not ${JSON.stringify(object.metadata)}`);
  return { object: object as UnknownObject, warnings };
}

/**
 * The metadata is typed for every kind; what lies below it goes by the definition's schema, and objects within it have
 * typed metadata again. Unknown fields are reported in this order.
 */
function decodeCustom({ kind }: Resource, value: Record<string, unknown>): DecodedBuiltin {
  const { metadata: sent, ...rest } = value;
  const { metadata, unknownFields } = decodeMetadata(sent, kind);
  const object = deepClone(rest);
  const pruned = pruneUnknownFields(object, kind.schema).sort();
  dropNulls(object, kind.schema);
  const embedded = decodeEmbedded(object, kind.schema, kind);
  return { object: { ...object, metadata }, unknownFields: [...unknownFields, ...pruned, ...embedded] };
}

/**
 * What an apply made of an object, as an object of this resource. It fits the schema of a custom resource as it is; the
 * nulls in it are left to validation.
 */
export function toAppliedObject(resource: Resource, applied: UnknownObject): UnknownObject {
  if (!resource.custom) return toObject(resource, applied, { strictErrors: [] }, 'Ignore').object;
  const { metadata: sent, ...rest } = applied;
  const { metadata } = decodeMetadata(sent, resource.kind);
  return { ...(deepClone(rest) as UnknownObject), metadata: metadata as UnknownObject['metadata'] };
}

/** The body of a subresource that has a kind of its own, such as Scale or Eviction. */
export async function readBodyAs(
  request: ApiRequest,
  kindName: string,
  fieldValidation: FieldValidation,
): Promise<ReadObject> {
  const body = decoded(await bodyOf(request), kindName);
  const { value } = body;
  if (isObject(value) && value.kind && value.kind !== kindName)
    throw badRequest(`the kind in the data (${String(value.kind)}) does not match the expected kind (${kindName})`);
  return decodeBodyAs(value, kindName, body, fieldValidation);
}

/** A value as an object of a kind that only travels: its fields have their types, and unknown ones are gone. */
export function decodeBodyAs(
  value: unknown,
  kindName: string,
  found: FoundInBody,
  fieldValidation: FieldValidation,
): ReadObject {
  const kind = bodyKinds.find((candidate) => candidate.kind === kindName) as BodyKind;
  const schema = kind.schema as Schema;
  const { object, unknownFields } = decodeBuiltin(value, { ...kind, schema });
  const errors = () => [...(found.before ?? []), ...typedStrictErrors(found, unknownFields, schema)];
  const strictErrors = fieldValidation === 'Ignore' ? [] : errors();
  const warnings = fieldWarnings(strictErrors, fieldValidation, kind);
  return { object: { ...object, metadata: object.metadata ?? {} } as UnknownObject, warnings };
}

/** The body of a DELETE, which may be empty. */
export function parseDeleteOptionsBody(body: RequestBody): Record<string, unknown> {
  if ('bytes' in body && body.bytes.length === 0) return {};
  const kind = bodyKinds.find((candidate) => candidate.kind === 'DeleteOptions') as BodyKind;
  const { value } = decodeBody(body, bodySchema);
  if (isObject(value) && value.kind && value.kind !== kind.kind)
    throw badRequest(
      `no kind ${JSON.stringify(value.kind)} is registered for version ${JSON.stringify(value.apiVersion ?? '')}: the body of a delete must be DeleteOptions`,
    );
  return decodeBuiltin(value, { ...kind, schema: kind.schema as Schema }).object;
}

/** A patch is JSON whatever its media type is called. */
export function parsePatch(body: RequestBody): DecodedBody {
  try {
    return decodeBody({ ...body, contentType: 'application/json' }, bodySchema);
  } catch (error) {
    throw isReason(error, 'BadRequest') ? undecodablePatch(error) : error;
  }
}

/** Fills in defaults. Changes the draft. */
export function applyDefaults(resource: Resource, draft: UnknownObject): void {
  if (resource.custom) fillInDefaults(draft, resource.kind.schema as Schema);
  else applySchemaDefaults(draft, resource.kind.schema as Schema);
  resource.kind.applyDefaults?.(draft);
}

/**
 * Leaves of a draft what is read after it was stored: an apply or a default may have left nulls, and the stored version
 * of a custom resource may lack fields. Changes the draft.
 */
export function coerceToStored(resource: Resource, draft: UnknownObject, isApplied: boolean): void {
  if (!resource.coerce || !(isApplied || resource.coercesWrites)) return;
  const { metadata } = draft;
  draft.metadata = {};
  if (isApplied) decodeEmbedded(draft, resource.kind.schema, resource.kind);
  if (!resource.coerce(draft)) throw tooLarge(MAX_DEFAULTS_BYTES);
  draft.metadata = metadata;
}

const NAME_RULES = { subdomain: dnsSubdomain, label: dnsLabel, path: pathSegment };

const LENIENT_GROUPS = ['admissionregistration.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io'];

/** Whether finalizers need a domain: those of built-in kinds do, except where extensions of the server are described. */
const needsDomains = ({ kind, custom }: Resource): boolean => !custom && !LENIENT_GROUPS.includes(kind.group);

/** Everything that can be wrong with an object, in one refusal. `old`: what it is to replace. Returns warnings. */
export async function checkObject(
  context: VerbContext,
  object: UnknownObject,
  old: UnknownObject | undefined,
): Promise<readonly string[]> {
  const { core, resource, request, info } = context;
  const { kind, strategy } = resource;
  const strategyContext = { user: request.user, subresource: info.subresource, lookup: core.lookup };
  const schemaErrors = resource.custom
    ? customResourceErrors(object, old, kind.schema as Schema, info.subresource)
    : [];
  const found = [
    ...(old ? validateObjectMetaUpdate(object.metadata, old.metadata) : []),
    ...validateObjectMeta(object.metadata, {
      namespaced: kind.namespaced,
      nameRule: NAME_RULES[strategy.nameRule ?? 'subdomain'],
      ...(needsDomains(resource) && { qualifiedFinalizers: { before: old?.metadata.finalizers ?? [] } }),
    }),
    ...schemaErrors,
  ];
  const rules = resource.rules && (await checkRules(resource.rules, object, old, found));
  const errors = [
    ...found,
    ...(rules?.errors ?? []),
    ...(schemaErrors.length > 0 ? [] : (strategy.validate?.(object, strategyContext) ?? [])),
    ...(old && schemaErrors.length === 0 ? (strategy.validateUpdate?.(object, old, strategyContext) ?? []) : []),
  ];
  const warnings = rules?.warnings ?? [];
  if (errors.length > 0) {
    const refusal = invalid(kind.group, kind.kind, object.metadata.name ?? '', errors);
    refusal.warnings = [...warnings];
    throw refusal;
  }
  const isWhole = resource.custom && info.subresource !== 'status';
  return isWhole ? [...warnings, ...finalizerWarnings(object.metadata, old?.metadata)] : warnings;
}
