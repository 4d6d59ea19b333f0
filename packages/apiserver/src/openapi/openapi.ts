import { createHash, randomUUID } from 'node:crypto';
import { DeleteOptionsSchema, pathNotFound, ScaleSchema, type Schema, StatusBodySchema } from '@vireo/api';
import { componentName, type GroupVersionKind, listComponentName, listSchema, toOpenApi } from '@vireo/api/openapi.ts';
import { type ApiResponse, objectResponse } from '@vireo/kube';
import { checkOpenApiAcceptable } from '../accept.ts';
import type { Aggregation } from '../aggregation/aggregation.ts';
import { remoteIndex } from '../aggregation/openApi.ts';
import { cacheable } from '../discovery/discovery.ts';
import type { PathRoutes } from '../paths.ts';
import { gvkOf, type Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { VERSION } from '../version.ts';
import { resourcePaths } from './paths.ts';
import { addOpenApiV2 } from './v2.ts';

/** `/openapi/v3`: an index, and a document a group-version, made when first asked for; and what stands for version 2. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #aggregation: Aggregation;
  readonly #documents = new Map<string, { hash: string; document: object }>();
  readonly #ids = new WeakMap<Resource, string>();

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
  }

  addTo(routes: PathRoutes): void {
    addOpenApiV2(routes);
    routes.add('/openapi/v3', async (request) => {
      checkOpenApiAcceptable(request.headers.accept);
      return objectResponse({ paths: { ...this.#index(), ...(await remoteIndex(this.#aggregation, request)) } });
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
  const schemas: Schema[] = [DeleteOptionsSchema, StatusBodySchema];
  const kinds: Record<string, readonly GroupVersionKind[]> = {
    [DeleteOptionsSchema.name as string]: [{ group: '', version: 'v1', kind: 'DeleteOptions' }],
    [StatusBodySchema.name as string]: [{ group: '', version: 'v1', kind: 'Status' }],
  };
  for (const { kind } of resources) {
    schemas.push({ ...kind.schema, name: componentName(kind) } as Schema);
    kinds[componentName(kind)] = [gvkOf(kind)];
    if (!kind.virtual) {
      schemas.push(listSchema(kind));
      kinds[listComponentName(kind)] = [{ ...gvkOf(kind), kind: kind.listKind }];
    }
    for (const { name, schema, group = kind.group, version = kind.version, kind: bodyKind } of kind.subresources) {
      if (!schema?.name || name === 'status') continue;
      schemas.push(schema);
      if (bodyKind) kinds[schema.name] = [{ group, version, kind: bodyKind }];
    }
    if (kind.scale) {
      schemas.push(ScaleSchema);
      kinds[ScaleSchema.name as string] = [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }];
    }
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: VERSION.gitVersion },
    paths: Object.assign({}, ...resources.map(resourcePaths)),
    components: { schemas: toOpenApi(schemas, kinds) },
  };
}
