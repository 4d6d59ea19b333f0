import { ApiError, methodNotAllowed, pathMethodNotAllowed, type UnknownObject, unavailable } from '@vireo/api';
import { type ApiHandler, type ApiRequest, type ApiResponse, objectResponse, type UserInfo } from '@vireo/kube';
import type { Aggregation } from './aggregation/aggregation.ts';
import { decisionAnnotations } from './audit/auditor.ts';
import { annotateAudit, annotateAuditWith } from './audit/context.ts';
import { type Core, groupResource, type VerbContext } from './core.ts';
import { unknownBelow } from './discovery/discovery.ts';
import type { PathRoutes } from './paths.ts';
import type { Authorizer } from './rbac/authorize.ts';
import { accessForbidden } from './rbac/forbidden.ts';
import type { Attributes } from './rbac/match.ts';
import { keyOf, type Resource } from './registry/resource.ts';
import { negotiate, partialMetadata } from './representation.ts';
import { parseRequestInfo, type RequestInfo, type ResourceRequestInfo } from './requestInfo.ts';
import { StoreUnavailable } from './store/store.ts';
import type { SubresourceTable } from './subresources/table.ts';
import { create } from './verbs/create.ts';
import { deleteCollection, remove } from './verbs/delete.ts';
import { readObject } from './verbs/draft.ts';
import { get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { writeOptions } from './verbs/options.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';
import { withWarnings } from './verbs/withWarnings.ts';

/** Answers a kind that is computed and never stored, such as SelfSubjectAccessReview. */
export type VirtualHandler = (
  object: UnknownObject,
  user: UserInfo,
  namespace: string | undefined,
) => UnknownObject | Promise<UnknownObject>;

export interface HandlerParts {
  readonly core: Core;
  readonly authorizer: Authorizer;
  readonly paths: PathRoutes;
  readonly aggregation: Aggregation;
  readonly subresources: SubresourceTable;
  /** By `group/kind`. */
  readonly virtual: ReadonlyMap<string, VirtualHandler>;
}

/** What a request is about, who serves it, and whether its user may: the same for every transport. */
export function createHandler(parts: HandlerParts): ApiHandler {
  const serve: ApiHandler = async (request) => {
    const own = parts.aggregation.handlerForPath(request.path);
    if (own) return own(request);
    const info = parseRequestInfo(request.method, request.path, request.query);
    const attributes = attributesOf(request, info);
    const decision = parts.authorizer.authorize(attributes);
    annotateAuditWith(() => decisionAnnotations(decision));
    if (!decision.allowed) throw accessForbidden(attributes, decision.reason);
    if (!info.isResource) return parts.paths.handle(request, info);
    const proxied = parts.aggregation.handlerFor(info.group, info.version);
    if (proxied) {
      requireUnescaped(parts.authorizer, request);
      return proxied(request);
    }
    return serveResource(parts, request, info);
  };
  return async (request) => {
    try {
      return await serve(request);
    } catch (error) {
      // A full disk is no fault of ours, and whoever reads the response can do something about it.
      if (error instanceof StoreUnavailable) throw unavailable(error.message);
      throw error;
    }
  };
}

/** What RBAC decides on. A list of one name counts as being about that name. */
export function attributesOf(request: Pick<ApiRequest, 'user' | 'query'>, info: RequestInfo): Attributes {
  const { user } = request;
  if (!info.isResource) return { user, verb: info.verb, path: info.path };
  const fieldSelector = info.name || !SELECTING.has(info.verb) ? null : request.query.get('fieldSelector');
  const named = info.name || selectedName(fieldSelector);
  return {
    user,
    verb: info.verb,
    group: info.group,
    resource: info.resource,
    ...(info.subresource && { subresource: info.subresource }),
    ...(named && { name: named }),
    ...(info.namespace !== undefined && { namespace: info.namespace }),
    ...(fieldSelector && { fieldSelector }),
  };
}

const ESCAPED_SLASH = /%2f/gi;

/** A server behind may take escaped slashes for slashes, as those in Go do: what that would be is to be allowed as well. */
export function requireUnescaped(
  authorizer: Authorizer,
  { method, path, query, user }: Pick<ApiRequest, 'method' | 'path' | 'query' | 'user'>,
): void {
  const unescaped = path.replace(ESCAPED_SLASH, '/');
  if (unescaped === path) return;
  const attributes = attributesOf({ user, query }, parseRequestInfo(method, unescaped, query));
  const decision = authorizer.authorize(attributes);
  if (!decision.allowed) throw accessForbidden(attributes, decision.reason);
}

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

const selectedName = (fieldSelector: string | null): string =>
  fieldSelector === null ? '' : (/^metadata\.name==?([^,!=\\]+)$/.exec(fieldSelector)?.[1] ?? '');

async function serveResource(
  parts: HandlerParts,
  request: ApiRequest,
  info: ResourceRequestInfo,
): Promise<ApiResponse> {
  const resource = parts.core.registry.find(info.group, info.version, info.resource);
  if (!resource || !scopeFits(resource, info)) return unknownBelow(parts.core.registry, info.group);
  const { deprecation } = resource;
  const context: VerbContext = { core: parts.core, resource, info, request };
  if (!deprecation) return serveVerb(parts, context);
  annotateAudit('k8s.io/deprecated', 'true');
  const response = await withWarnings([deprecation], () => serveVerb(parts, context));
  return { ...response, warnings: [deprecation, ...(response.warnings ?? [])] };
}

async function serveVerb(parts: HandlerParts, context: VerbContext): Promise<ApiResponse> {
  const { resource, info } = context;
  if (info.subresource !== '') return parts.subresources.handle(context);
  if (resource.kind.virtual) return serveVirtual(parts, context);
  const verb = VERBS[info.verb];
  if (!verb || !(resource.kind.verbs as readonly string[]).includes(info.verb) || !methodFits(resource, info))
    throw verbNotAllowed(resource, info);
  const requireCreate = (): void => mayCreate(parts.authorizer, context);
  if (info.verb === 'update' && createsByUpdate(context)) requireCreate();
  return verb({ ...context, requireCreate });
}

const createsByUpdate = ({ core, resource, info }: VerbContext): boolean =>
  resource.strategy.createOnUpdate === true && !core.store.get(keyOf(resource, info.namespace, info.name));

/** A write that will create takes the right to create as well. */
function mayCreate(authorizer: Authorizer, { info, request }: VerbContext): void {
  const attributes = { ...attributesOf(request, info), verb: 'create' };
  const decision = authorizer.authorize(attributes);
  if (!decision.allowed) throw accessForbidden(attributes, decision.reason);
}

function verbNotAllowed(resource: Resource, { verb }: ResourceRequestInfo): ApiError {
  if (!resource.custom) return pathMethodNotAllowed();
  const refusal = methodNotAllowed(groupResource(resource), verb);
  if (verb !== 'create' || (resource.kind.verbs as readonly string[]).includes(verb)) return refusal;
  const message = `${verb} not allowed while custom resource definition is terminating`;
  return new ApiError('MethodNotAllowed', message, refusal.status.details);
}

const VERBS: Readonly<Record<string, (context: VerbContext) => Promise<ApiResponse>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

/** Kubernetes serves collections of custom resources across namespaces to readers alone. */
const isAcrossNamespaces = ({ custom }: Resource, { verb }: ResourceRequestInfo): boolean =>
  !custom || verb === 'list' || verb === 'watch';

/** Cluster-scoped kinds have no namespace in their path; objects of namespaced kinds always do. */
function scopeFits(resource: Resource, info: ResourceRequestInfo): boolean {
  const { kind } = resource;
  if (kind.namespaced) return info.namespace !== undefined || (info.name === '' && isAcrossNamespaces(resource, info));
  return info.namespace === undefined || kind.plural === 'namespaces';
}

/**
 * POST goes to a collection, in a namespace where the kind has one; collections are deleted namespace by namespace, and
 * objects are changed by name.
 */
function methodFits({ kind }: Resource, info: ResourceRequestInfo): boolean {
  if (info.verb === 'create') return info.name === '' && (!kind.namespaced || info.namespace !== undefined);
  if (info.verb === 'update' || info.verb === 'patch') return info.name !== '';
  if (info.verb === 'deletecollection') return !kind.namespaced || info.namespace !== undefined;
  return true;
}

async function serveVirtual(parts: HandlerParts, context: VerbContext): Promise<ApiResponse> {
  const { resource, info, request } = context;
  const { group, kind } = resource.kind;
  const handle = parts.virtual.get(`${group}/${kind}`);
  if (info.verb !== 'create' || info.name !== '' || !handle) throw pathMethodNotAllowed();
  const options = writeOptions(request.query, 'CreateOptions');
  const { as, protobuf } = negotiate(request.headers.accept, request.query, { noTable: true });
  const { object, warnings } = await readObject(context, options);
  const made = await handle(object, request.user, info.namespace);
  const shown = as === 'partial' ? partialMetadata(made) : made;
  return objectResponse(shown, 201, { warnings, ...(protobuf && { protobuf }) });
}
