import { NOT_SERVED, whyAbsent } from './notServed.ts';
import { findSteveType, type SteveType } from './types.ts';

/** Where the Steve API is. */
export const STEVE_PREFIX = '/v1/harvester';
/** Where the same is once more, as Rancher has it. */
export const STEVE_ROOT = '/v1';

const isBelow = (prefix: string, path: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

export const isStevePath = (path: string): boolean => isBelow(STEVE_ROOT, path);

/** By which of its two names the API was asked: answers lead to the same. */
export const prefixOf = (path: string): string => (isBelow(STEVE_PREFIX, path) ? STEVE_PREFIX : STEVE_ROOT);

/** What a request to the Steve API is about. */
export type SteveRoute =
  | { readonly to: 'root' }
  | { readonly to: 'schemas'; readonly id?: string }
  | { readonly to: 'unknown' }
  /** Harvester has it and Vireo has not; `why` says what there is instead. */
  | { readonly to: 'absent'; readonly name: string; readonly why: string }
  /** The one cluster that there is. */
  | { readonly to: 'cluster'; readonly link?: string }
  /** No type; `name` says what it is about. */
  | { readonly to: 'plain'; readonly name: string }
  | { readonly to: 'collection'; readonly type: SteveType; readonly namespace?: string; readonly action?: string }
  | ObjectRoute;

export interface ObjectRoute {
  readonly to: 'object';
  readonly type: SteveType;
  readonly namespace?: string;
  readonly name: string;
  /** Only POST asks for one; with any other method the object itself is meant. */
  readonly action?: string;
  /** Only GET asks for one. */
  readonly link?: string;
}

const PLAIN: readonly string[] = ['ui-info', 'readyz', 'backuptarget'];
const CLUSTER = /^clusters?$/i;

/**
 * Reads a path of the Steve API.
 *
 * @example
 * steveRoute('POST', '/v1/harvester/nodes/n1', new URLSearchParams('action=cordon'))
 */
export function steveRoute(method: string, path: string, query: URLSearchParams): SteveRoute {
  const segments = segmentsOf(path.slice(prefixOf(path).length));
  if (!segments) return { to: 'unknown' };
  const [name, ...rest] = segments;
  if (name === undefined) return { to: 'root' };
  if (name === 'schemas' && rest.length < 2) return { to: 'schemas', id: rest[0] };
  if (Object.hasOwn(NOT_SERVED, name)) return { to: 'absent', name, why: NOT_SERVED[name] ?? '' };
  if (PLAIN.includes(name)) return { to: 'plain', name };
  if (CLUSTER.test(name)) {
    const isOne = method === 'GET' && rest[0] === 'local' && rest.length === 1;
    return isOne ? { to: 'cluster', link: query.get('link') ?? undefined } : { to: 'unknown' };
  }
  const type = findSteveType(name);
  if (!type) {
    const why = whyAbsent(name);
    return why === undefined ? { to: 'unknown' } : { to: 'absent', name, why };
  }
  const most = type.kind.namespaced ? 3 : 2;
  if (rest.length > most) return { to: 'unknown' };
  const action = method === 'POST' ? (query.get('action') ?? undefined) : undefined;
  const isObject = rest.length >= most - 1;
  const namespace = type.kind.namespaced ? rest[0] : undefined;
  if (!isObject) return { to: 'collection', type, namespace, action };
  const link = method === 'GET' ? (rest[most - 1] ?? query.get('link') ?? undefined) : undefined;
  return { to: 'object', type, namespace, name: rest[most - 2] ?? '', action, link };
}

/** Undefined: no path of ours. */
function segmentsOf(path: string): string[] | undefined {
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  if (segments.includes('')) return undefined;
  try {
    const decoded = segments.map(decodeURIComponent);
    return decoded.some((segment) => segment === '.' || segment === '..') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
