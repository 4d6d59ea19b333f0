import type { ApiRequest } from '@vireo/kube';
import { prefixOf } from './paths.ts';
import type { SteveType } from './types.ts';

const first = (value: string | undefined): string | undefined => value?.split(',')[0]?.trim() || undefined;

/** Where the client reached us, so that the links in answers lead there. */
export function origin(headers: ApiRequest['headers']): string {
  const prefix = headers['x-api-url-prefix']?.replace(/\/+$/, '');
  if (prefix && /^https?:\/\/[^/]/.test(prefix)) return prefix;
  const scheme = first(headers['x-forwarded-proto']) ?? 'https';
  const host =
    first(headers['x-api-host']) ?? first(headers['x-forwarded-host']) ?? headers.host ?? headers[':authority'];
  return `${scheme}://${host ?? 'localhost'}${prefix?.startsWith('/') ? prefix : ''}`;
}

/** URLs of the Steve API as a client sees them. */
export interface Urls {
  /** Of all, without a slash at its end. */
  readonly origin: string;
  below(...segments: readonly (string | undefined)[]): string;
  collection(type: SteveType, namespace?: string): string;
  object(type: SteveType, namespace: string | undefined, name: string): string;
  schemas(id?: string): string;
  /** Of the Kubernetes API. */
  view(path: string): string;
}

export function urlsOf({ headers, path }: Pick<ApiRequest, 'headers' | 'path'>): Urls {
  const base = origin(headers);
  const below = (...segments: readonly (string | undefined)[]): string =>
    [
      `${base}${prefixOf(path)}`,
      ...segments.filter((segment) => segment !== undefined).map((segment) => encodeURIComponent(segment)),
    ].join('/');
  return {
    origin: base,
    below,
    collection: ({ pluralId }, namespace) => below(pluralId, namespace),
    object: ({ pluralId }, namespace, name) => below(pluralId, namespace, name),
    schemas: (id) => below('schemas', id),
    view: (path) => `${base}${path}`,
  };
}
