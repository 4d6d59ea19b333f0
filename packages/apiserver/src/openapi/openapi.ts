import { createHash, randomUUID } from 'node:crypto';
import { pathNotFound } from '@vireo/api';
import { toOpenApi } from '@vireo/api/openapi.ts';
import { type ApiResponse, objectResponse } from '@vireo/kube';
import { checkOpenApiAcceptable } from '../accept.ts';
import type { Aggregation } from '../aggregation/aggregation.ts';
import { RemoteIndex } from '../aggregation/openApi.ts';
import { cacheable } from '../discovery/discovery.ts';
import type { PathRoutes } from '../paths.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { VERSION } from '../version.ts';
import { resourcePaths } from './operations.ts';
import { pathV3 } from './paths.ts';
import { markedKinds } from './schemas.ts';
import { OpenApiV2 } from './v2/openApiV2.ts';

/** `/openapi/v3`: an index, and a document a group-version, made when first asked for; and `/openapi/v2`. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #aggregation: Aggregation;
  readonly #remote: RemoteIndex;
  readonly #documents = new Map<string, { hash: string; document: object }>();
  readonly #ids = new WeakMap<Resource, string>();

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
    this.#remote = new RemoteIndex(aggregation);
  }

  addTo(routes: PathRoutes): void {
    new OpenApiV2(this.#registry, this.#aggregation).addTo(routes);
    routes.add('/openapi/v3', async (request) => {
      checkOpenApiAcceptable(request.headers.accept);
      return objectResponse({ paths: { ...this.#index(), ...(await this.#remote.entries()) } });
    });
    routes.add('/openapi/v3/', (request, path) => {
      checkOpenApiAcceptable(request.headers.accept);
      const groupVersion = path.replace('/openapi/v3/', '').replace(/^apis?\//, '');
      const [group = '', version = ''] = groupVersion.split('/');
      const remote = this.#aggregation.handlerFor(group, version);
      if (remote) return remote(request);
      const resources = this.#registry.groupVersions().get(groupVersion);
      if (!resources) throw pathNotFound();
      const response = cacheable(request, this.#document(groupVersion, resources));
      return withLongLife(response, request.query.get('hash') === this.#hash(resources));
    });
  }

  #index(): Record<string, unknown> {
    return Object.fromEntries(
      [...this.#registry.groupVersions()].map(([groupVersion, resources]) => {
        const path = groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#hash(resources)}` }];
      }),
    );
  }

  /** Changes whenever a resource of the group-version does. */
  #hash(resources: readonly Resource[]): string {
    const ids = resources.map((resource) => {
      const id = this.#ids.get(resource) ?? randomUUID();
      this.#ids.set(resource, id);
      return id;
    });
    return createHash('sha256').update(ids.join()).digest('hex').slice(0, 32).toUpperCase();
  }

  #document(groupVersion: string, resources: readonly Resource[]): object {
    const hash = this.#hash(resources);
    const known = this.#documents.get(groupVersion);
    if (known?.hash === hash) return known.document;
    const document = makeDocument(resources);
    this.#documents.set(groupVersion, { hash, document });
    const served = this.#registry.groupVersions();
    for (const name of this.#documents.keys()) if (!served.has(name)) this.#documents.delete(name);
    return document;
  }
}

function withLongLife(response: ApiResponse, isCurrent: boolean): ApiResponse {
  if (!isCurrent) return response;
  return { ...response, headers: { ...response.headers, 'cache-control': 'public, immutable' } };
}

function makeDocument(resources: readonly Resource[]): object {
  const paths = resources.flatMap(resourcePaths);
  const operations = paths.flatMap((path) => Object.values(path.operations));
  const schemas = operations.flatMap(({ body, responses }) => [body?.schema, ...Object.values(responses)]);
  const kinds = Object.assign({}, ...resources.map(({ kind }) => markedKinds(kind)));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: VERSION.gitVersion },
    paths: Object.fromEntries(paths.map((path) => [path.path, pathV3(path)])),
    components: {
      schemas: toOpenApi(
        [...new Set(schemas)].filter((schema) => schema !== undefined),
        kinds,
      ),
    },
  };
}
