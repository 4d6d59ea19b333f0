import { PAGE_NOT_FOUND, pathMethodNotAllowed } from '@vireo/api';
import { type ApiRequest, type ApiResponse, type BytesResponse, objectResponse, textResponse } from '@vireo/kube';
import type { PathRequestInfo } from './requestInfo.ts';

type PathHandler = (request: ApiRequest, path: string) => ApiResponse | Promise<ApiResponse>;

/** A path below which nothing is served: no Status, but what any web server says. */
export const pageNotFound = (): BytesResponse => ({
  ...textResponse(PAGE_NOT_FOUND, 404),
  headers: { 'x-content-type-options': 'nosniff' },
});

/** What is served beside resources: health, version, metrics, discovery, OpenAPI. */
export class PathRoutes {
  readonly #exact = new Map<string, PathHandler>();
  readonly #prefixes: [string, PathHandler][] = [];

  /** A path ending in `/` takes everything below it. */
  add(path: string, handler: PathHandler): void {
    if (path.endsWith('/') && path !== '/') this.#prefixes.push([path, handler]);
    else this.#exact.set(path, handler);
  }

  /** Paths by name, for the index at `/`. */
  list(): string[] {
    return [...this.#exact.keys(), ...this.#prefixes.map(([prefix]) => prefix)].sort();
  }

  async handle(request: ApiRequest, info: PathRequestInfo): Promise<ApiResponse> {
    const path = info.path.length > 1 && info.path.endsWith('/') ? info.path.slice(0, -1) : info.path;
    const handler = this.#exact.get(path) ?? this.#prefixes.find(([prefix]) => path.startsWith(prefix))?.[1];
    if (!handler) return pageNotFound();
    if (request.method !== 'GET' && request.method !== 'HEAD') throw pathMethodNotAllowed();
    return handler(request, path);
  }
}

export const indexOfPaths =
  (routes: PathRoutes, groupPaths: () => string[]): PathHandler =>
  () =>
    objectResponse({ paths: [...new Set([...routes.list(), ...groupPaths()])].sort() });
