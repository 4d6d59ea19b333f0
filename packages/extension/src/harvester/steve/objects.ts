import {
  ApiError,
  badRequest,
  type Persisted,
  type Status,
  tooLarge,
  type UnknownObject,
  unsupportedMediaType,
} from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { type ApiCall, type ApiRequest, type Client, type RequestBody, resourcePath } from '@vireo/kube';
import { parseBody } from '../../actions/body.ts';
import { fromSteveObject } from './shape.ts';
import type { SteveType } from './types.ts';

/** An object and the cells of its row in a table. */
export interface Row {
  readonly object: Persisted<UnknownObject>;
  readonly cells: readonly unknown[];
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}

interface Place {
  readonly type: SteveType;
  readonly namespace?: string;
  readonly name?: string;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** What there is, with the rights of the client: objects and their rows in one response. */
export async function readRows(client: Client, place: Place, query: Record<string, string> = {}): Promise<Rows> {
  const { rows, metadata } = (await call(client, 'GET', place, {
    accept: TABLE,
    query: { ...query, includeObject: 'Object' },
  })) as Rows;
  const { kind, group, version } = place.type.kind;
  // Items of a list do not say what they are.
  const named = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
  return { rows: rows.map(({ object, cells }) => ({ cells, object: { ...named, ...object } })), metadata };
}

/** Creates what was sent. Its namespace is in the path or in itself; without a name it gets one. */
export async function createObject(
  client: Client,
  place: Place,
  request: ApiRequest,
): Promise<Persisted<UnknownObject>> {
  const { type } = place;
  const sent = await readObject(request);
  const { metadata } = sent;
  const namespace = place.namespace ?? metadata.namespace;
  if (type.kind.namespaced && !namespace)
    throw new ApiError('Invalid', 'metadata.namespace is missing', {
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'metadata.namespace' }],
    });
  const named = metadata.name || metadata.generateName ? {} : { generateName: `${type.id.charAt(0)}-` };
  const body = { ...kindOf(type), ...sent, metadata: { ...metadata, ...named } };
  return (await call(client, 'POST', { type, namespace }, { body })) as Persisted<UnknownObject>;
}

/** Writes what was sent over what is there. */
export async function replaceObject(
  client: Client,
  place: Place,
  request: ApiRequest,
): Promise<Persisted<UnknownObject>> {
  const sent = await readObject(request);
  if (!sent.metadata.resourceVersion)
    throw new ApiError('Invalid', 'metadata.resourceVersion is missing; send the object as you read it', {
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'metadata.resourceVersion' }],
    });
  return (await call(client, 'PUT', place, { body: { ...kindOf(place.type), ...sent } })) as Persisted<UnknownObject>;
}

export async function patchObject(
  client: Client,
  place: Place,
  request: ApiRequest,
): Promise<Persisted<UnknownObject>> {
  const body = await bodyOf(request);
  const contentType = patchTypeOf(place.type, body);
  const value = parseBody(body);
  return (await call(client, 'PATCH', place, {
    contentType,
    body: contentType === JSON_PATCH || !isObject(value) ? value : withoutOwn(value),
  })) as Persisted<UnknownObject>;
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

/** What kind of patch is sent. As JSON or YAML it is a strategic one, or a merge patch for kinds that know no other. */
function patchTypeOf(type: SteveType, body: RequestBody | undefined): string {
  const sent = mediaTypeOf(body);
  const own = isStrategic(type) ? [STRATEGIC_PATCH, MERGE_PATCH] : [MERGE_PATCH];
  const accepted = [JSON_PATCH, ...own, ...OBJECT_TYPES];
  if (!accepted.includes(sent)) throw unsupportedMediaType(accepted);
  return OBJECT_TYPES.includes(sent) ? own[0]! : sent;
}

/** The object while it is still going, or undefined once it has gone. */
export async function deleteObject(client: Client, place: Place): Promise<Persisted<UnknownObject> | undefined> {
  const response = (await call(client, 'DELETE', place, {})) as Persisted<UnknownObject> | Status;
  return response.kind === 'Status' ? undefined : (response as Persisted<UnknownObject>);
}

async function call(
  client: Client,
  method: ApiCall['method'],
  { type, namespace, name }: Place,
  parts: Partial<ApiCall>,
): Promise<unknown> {
  return client.call({ method, path: resourcePath(type.kind, { namespace, name }), ...parts });
}

/** Of Kubernetes itself: what is not a custom resource there. */
const isStrategic = ({ kind: { group } }: SteveType): boolean =>
  /^[^.]*$|\.k8s\.io$/.test(group) && group !== 'snapshot.storage.k8s.io';

const kindOf = ({ kind: { group, version, kind } }: SteveType) => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
});

const OBJECT_TYPES = ['application/json', 'application/yaml'];
/** Rancher's limit; Kubernetes' own is higher. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

async function bodyOf(request: ApiRequest): Promise<RequestBody | undefined> {
  const body = await request.body();
  if (body && 'bytes' in body && body.bytes.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  return body;
}

const mediaTypeOf = (body: RequestBody | undefined): string =>
  body?.contentType.split(';')[0]?.trim().toLowerCase() || 'application/json';

/** Forms have no fields in fields. Anything else is JSON, unless it is said to be YAML. */
const isForm = (mediaType: string): boolean => /^(multipart\/|application\/x-www-form-urlencoded$)/.test(mediaType);

async function readObject(request: ApiRequest): Promise<UnknownObject> {
  const body = await bodyOf(request);
  if (isForm(mediaTypeOf(body))) throw unsupportedMediaType(OBJECT_TYPES);
  const value = parseBody(body);
  if (!isObject(value)) throw badRequest('the body is not an object');
  return fromSteveObject(value) as unknown as UnknownObject;
}

/** A patch names only what changes: metadata that was not sent is not there afterwards either. */
function withoutOwn(value: Record<string, unknown>): Record<string, unknown> {
  const { metadata, ...rest } = fromSteveObject(value);
  return 'metadata' in value ? { ...rest, metadata } : rest;
}
