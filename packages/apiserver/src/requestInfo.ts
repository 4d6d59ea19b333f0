import { badRequest } from '@vireo/api';

/** What a request is about, read off its method and path alone. */
export type RequestInfo = ResourceRequestInfo | PathRequestInfo;

export interface ResourceRequestInfo {
  readonly isResource: true;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly resource: string;
  /** '' for a collection. */
  readonly name: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** What follows the subresource (`…/portforward/22/tcp`). */
  readonly rest: readonly string[];
}

export interface PathRequestInfo {
  readonly isResource: false;
  readonly verb: string;
  readonly path: string;
}

const COLLECTION_VERBS: Record<string, string> = {
  GET: 'list',
  HEAD: 'list',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'deletecollection',
};
const OBJECT_VERBS: Record<string, string> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Parses `/api/v1/…` and `/apis/GROUP/VERSION/…`; anything else is a plain path.
 *
 * @example
 * parseRequestInfo('GET', '/api/v1/namespaces/default/pods/web/log', new URLSearchParams())
 * // { verb: 'get', resource: 'pods', namespace: 'default', name: 'web', subresource: 'log', … }
 */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const plain: PathRequestInfo = { isResource: false, verb: method.toLowerCase(), path };
  // By index rather than by destructuring, which goes through iterators: every request passes here.
  const segments = decodeSegments(path);
  const isNamedGroup = segments[0] === 'apis';
  if (!isNamedGroup && segments[0] !== 'api') return plain;
  const group = isNamedGroup ? segments[1] : '';
  const version = segments[isNamedGroup ? 2 : 1];
  let parts = segments.slice(isNamedGroup ? 3 : 2);
  if (version === undefined || parts.length === 0 || group === undefined || (isNamedGroup && group === ''))
    return plain;

  let watchPath = false;
  if (parts[0] === 'watch' && parts.length > 1) {
    watchPath = true;
    parts = parts.slice(1);
  }

  let namespace: string | undefined;
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1];
    // `/namespaces/N`, `/namespaces/N/status` and `/namespaces/N/finalize` are about the namespace itself.
    const aboutTheNamespace =
      parts.length === 2 || (parts.length === 3 && (parts[2] === 'status' || parts[2] === 'finalize'));
    if (!aboutTheNamespace) parts = parts.slice(2);
  }
  const resource = parts[0];
  const name = parts[1] ?? '';
  if (!resource) return plain;
  return {
    isResource: true,
    verb: verbOf(method, name, watchPath, query),
    group,
    version,
    namespace,
    resource,
    name,
    subresource: parts[2] ?? '',
    rest: parts.slice(3),
  };
}

function verbOf(method: string, name: string, watchPath: boolean, query: URLSearchParams): string {
  if (name === '') {
    const verb = COLLECTION_VERBS[method] ?? method.toLowerCase();
    return verb === 'list' && (watchPath || isTrue(query.get('watch'))) ? 'watch' : verb;
  }
  return watchPath ? 'watch' : (OBJECT_VERBS[method] ?? method.toLowerCase());
}

/** How Kubernetes reads a boolean parameter: whatever stands there, even nothing, is true, unless it says no. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value.toLowerCase() !== 'false' && value !== '0';

function decodeSegments(path: string): string[] {
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  if (!path.includes('%')) return segments;
  return segments.map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      throw badRequest(`the path ${JSON.stringify(path)} is not properly escaped`);
    }
  });
}
