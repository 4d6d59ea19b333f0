import { ApiError, isReason } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { required } from '@vireo/api/kinds/customResource.ts';
import { string, struct } from '@vireo/api/schema.ts';
import {
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  emptyResponse,
  objectResponse,
  type RequestBody,
  type UpgradeHandler,
} from '@vireo/kube';
import type { Action } from '../../actions/action.ts';
import { parseBody } from '../../actions/body.ts';
import { steveVerb } from '../../actions/methods.ts';
import { type ActionContext, perform } from '../../actions/perform.ts';
import { AbsentTarget } from '../../actions/refusals.ts';
import { requireAccess } from '../../authorize.ts';
import { readInput } from '../input.ts';
import { REFUSED_PAGE } from '../refusedPage.ts';
import { collection } from './collection.ts';
import { checkCsrf } from './csrf.ts';
import { claimsOfDisks, deleteClaims, expectDeletable } from './disks.ts';
import { actionRefusal, fromStatus, steveError } from './errors.ts';
import { type Exchange, type SteveApiOptions, toSteveObjects } from './exchange.ts';
import { formatted } from './format.ts';
import { createObject, deleteObject, patchObject, type Row, type Rows, readRows, replaceObject } from './objects.ts';
import { type ObjectRoute, type SteveRoute, steveRoute } from './paths.ts';
import { backupTargetHealth, clusterResponse, readiness, uiInfo } from './plainRoutes.ts';
import { actionsOf, steveAccess } from './possible.ts';
import { schemasOf } from './schemas.ts';
import { subscriptions } from './subscribe.ts';
import { STEVE_TYPES, type SteveType } from './types.ts';
import { type Urls, urlsOf } from './urls.ts';

/** Harvester's Steve API (Rancher's): objects with links and actions, and `?action=` on the handlers of the subresources. */
export function steveApi(parts: SteveApiOptions): { readonly handle: ApiHandler; readonly subscribe: UpgradeHandler } {
  return {
    async handle(received) {
      const request = withMethod(received);
      const urls = urlsOf(request);
      const verdict = checkCsrf(request, request.method);
      const response = 'refusal' in verdict ? verdict.refusal : await handleRequest(parts, request, urls);
      const cookie: Record<string, string> =
        'cookie' in verdict && verdict.cookie ? { 'set-cookie': verdict.cookie } : {};
      const shown = formatted(response, request);
      return { ...shown, headers: { ...shown.headers, ...headersOf(urls), ...cookie } };
    },
    subscribe: subscriptions({
      asUser: parts.asUser,
      clock: parts.clock,
      async show(request, type, object) {
        const exchange = { ...parts, request, urls: urlsOf(request), user: parts.asUser(request.user) };
        const { namespace, name } = object.metadata;
        const { rows } = await readRows(exchange.user, { type, namespace, name }).catch(orGone);
        const [shown] = await toSteveObjects(exchange, type, [rows[0] ?? { object, cells: [] }]);
        return shown;
      },
    }),
  };
}

/** What has gone meanwhile has no row. */
function orGone(error: unknown): Rows {
  if (isReason(error, 'NotFound')) return { rows: [], metadata: {} };
  throw error;
}

/** Forms can only POST: `_method` says what is meant. Links, which can be followed unawares, cannot say so. */
function withMethod(request: ApiRequest): ApiRequest {
  const meant = request.query.get('_method')?.toUpperCase();
  return request.method === 'POST' && meant ? { ...request, method: meant } : request;
}

/** Answers are about now: nothing may be kept. */
const headersOf = (urls: Urls): Record<string, string> => ({
  'x-api-schemas': urls.schemas(),
  'cache-control': 'no-cache, no-store, must-revalidate',
  expires: 'Wed, 24 Feb 1982 18:42:00 GMT',
});

async function handleRequest(parts: SteveApiOptions, request: ApiRequest, urls: Urls): Promise<ApiResponse> {
  const { method, path, query } = request;
  if (!METHODS.includes(method)) return steveError(405, 'MethodNotAllowed', `Method ${method} is not supported`);
  const route = steveRoute(method, path, query);
  if ('action' in route && route.action !== undefined) return act(parts, request, route, route.action);
  try {
    return await handleObjectRequest({ ...parts, request, urls, user: parts.asUser(request.user) }, route);
  } catch (error) {
    if (error instanceof ApiError) return fromStatus(error);
    throw error;
  }
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What is no object of a namespace: nobody is asked whether the user may see it, but whether there is one. */
const FOR_EVERYBODY_KNOWN: readonly SteveRoute['to'][] = ['root', 'schemas', 'absent', 'plain', 'cluster'];

async function handleObjectRequest(exchange: Exchange, route: SteveRoute): Promise<ApiResponse> {
  const { actions, request, urls, user } = exchange;
  const { method } = request;
  // Kubernetes' own discovery is for those whom the server knows, too.
  if (FOR_EVERYBODY_KNOWN.includes(route.to) && request.user.groups.includes('system:unauthenticated'))
    return steveError(401, 'Unauthorized', 'must authenticate');
  switch (route.to) {
    case 'unknown':
      return emptyResponse(404);
    case 'absent':
      return steveError(404, 'NotFound', `Vireo does not serve ${route.name}: ${route.why} (${REFUSED_PAGE})`);
    case 'root':
      return objectResponse(rootOf(urls));
    case 'schemas':
      return schemas(schemasOf(actions, urls), route.id, urls);
    case 'cluster':
      return clusterResponse(route.link, installationOf(exchange));
    case 'plain':
      return plain(route.name, exchange);
    case 'collection':
      if (method === 'GET') return collection(exchange, route.type, route.namespace);
      if (method !== 'POST') return steveError(403, 'PermissionDenied', `Method ${method} not supported`);
      return show(exchange, route.type, await createObject(user, route, request), 201);
    case 'object':
      if (route.link !== undefined) return follow(exchange, route, route.link);
      if (method === 'GET') return showRow(exchange, route.type, (await readRows(user, route)).rows[0]);
      if (method === 'PUT') return show(exchange, route.type, await replaceObject(user, route, request));
      if (method === 'PATCH') return show(exchange, route.type, await patchObject(user, route, request));
      if (method === 'DELETE') {
        const disks = request.query.getAll('removedDisks');
        const claims = disks.length > 0 ? await claimsOfDisks(user, route, disks) : [];
        await expectDeletable(user, exchange.context.client, route, claims);
        const going = await deleteObject(user, route);
        await deleteClaims(user, claims);
        return going ? show(exchange, route.type, going) : emptyResponse(204);
      }
      return steveError(422, 'InvalidAction', 'the request does not name an action; use POST …?action=NAME');
  }
}

const installationOf = ({ user, context, urls, clock }: Exchange) => ({
  user,
  own: context.client,
  urls,
  now: new Date(clock.now()),
});

async function plain(name: string, exchange: Exchange): Promise<ApiResponse> {
  if (exchange.request.method !== 'GET')
    return steveError(405, 'MethodNotAllowed', `Method ${exchange.request.method} not supported`);
  if (name === 'backuptarget') return backupTargetHealth(installationOf(exchange));
  return name === 'readyz' ? readiness(installationOf(exchange)) : uiInfo(installationOf(exchange));
}

/** An object as it is now, with its row. */
async function show(exchange: Exchange, type: SteveType, object: Row['object'], status = 200): Promise<ApiResponse> {
  const { namespace, name } = object.metadata;
  const { rows } = await readRows(exchange.user, { type, namespace, name });
  return showRow(exchange, type, rows[0] ?? { object, cells: [] }, status);
}

async function showRow(exchange: Exchange, type: SteveType, row: Row | undefined, status = 200): Promise<ApiResponse> {
  if (!row) return emptyResponse(404);
  const [object] = await toSteveObjects(exchange, type, [row]);
  return objectResponse(object, status);
}

/** Carries out an action: the handler of the subresource, after the same question to RBAC. */
async function act(
  { actions, context }: SteveApiOptions,
  request: ApiRequest,
  route: Extract<SteveRoute, { to: 'collection' | 'object' }>,
  name: string,
): Promise<ApiResponse> {
  const action = actionsOf(actions, route.type).find((each) => each.name === name && !each.isLink);
  if (!action) return steveError(403, 'PermissionDenied', `no such action ${name}`);
  if ((route.to === 'collection') !== (action.isOfCollection ?? false))
    return steveError(
      422,
      'InvalidAction',
      `Invalid action: ${name} applies to ${action.isOfCollection ? 'the collection' : 'a single object'}`,
    );
  if (route.to === 'object') return carryOut(context, request, route, action);
  const body = await request.body();
  const named = namedIn(body, route.namespace);
  if ('refusal' in named) return actionRefusal(named.refusal);
  return carryOut(context, { ...request, body: async () => body }, { ...route, ...named, to: 'object' }, action);
}

const ObjectName = struct('io.harvesterhci.v1beta1.ObjectName', 'The object that an action of a collection is about.', {
  name: required(string),
  namespace: required(string),
});

/** Whom an action of a collection is about: its body says so, the namespace may be in the path. */
function namedIn(
  body: RequestBody | undefined,
  namespace: string | undefined,
): { readonly name: string; readonly namespace: string } | { readonly refusal: ApiError } {
  try {
    const given = parseBody(body);
    const value = { ...(namespace !== undefined && { namespace }), ...(isObject(given) ? given : {}) };
    return readInput({ value, contentType: 'application/json' }, ObjectName);
  } catch (error) {
    if (error instanceof ApiError) return { refusal: new ApiError('Invalid', error.message, error.status.details) };
    throw error;
  }
}

async function follow({ actions, context, request }: Exchange, route: ObjectRoute, name: string): Promise<ApiResponse> {
  const action = actionsOf(actions, route.type).find((each) => each.name === name && each.isLink);
  if (!action) return steveError(404, 'NotFound', `${route.type.id} has no link ${name}`);
  return carryOut(context, request, route, action);
}

async function carryOut(
  context: ActionContext,
  request: ApiRequest,
  { namespace, name }: ObjectRoute,
  action: Action,
): Promise<ApiResponse> {
  const access = steveAccess(action, namespace, name);
  try {
    await requireAccess(context.client, request.user, access);
  } catch (error) {
    // As the subresource says it: what is missing is a right to that.
    if (error instanceof ApiError) return objectResponse(error.status, error.code);
    throw error;
  }
  try {
    const to = { to: 'action', verb: steveVerb(action), namespace, name, action, parameters: {} } as const;
    return await perform(context, to, request);
  } catch (error) {
    if (error instanceof AbsentTarget) return fromStatus(error);
    if (error instanceof ApiError) return actionRefusal(error);
    throw error;
  }
}

const rootOf = (urls: Urls): object => ({
  type: 'apiRoot',
  links: {
    schemas: urls.schemas(),
    ...Object.fromEntries(STEVE_TYPES.map((type) => [type.pluralId, urls.collection(type)])),
  },
});

function schemas(all: readonly Record<string, unknown>[], id: string | undefined, urls: Urls): ApiResponse {
  if (id === undefined)
    return objectResponse({
      type: 'collection',
      links: { self: urls.schemas() },
      actions: {},
      resourceType: 'schema',
      count: all.length,
      data: all,
    });
  const found = all.find((schema) => schema.id === id || schema.pluralName === id);
  return found ? objectResponse(found) : steveError(404, 'NotFound', `there is no schema ${id}`);
}
