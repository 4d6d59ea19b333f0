import {
  type Kind,
  type KubeObject,
  NodeMetrics,
  notFound,
  type Persisted,
  PodMetrics,
  pathMethodNotAllowed,
  pathNotFound,
  type UnknownObject,
} from '@vireo/api';
import { type ApiHandler, type ApiRequest, type ApiResponse, objectResponse } from '@vireo/kube';
import { Aggregation } from '../aggregation/aggregation.ts';
import { Discovery } from '../discovery/discovery.ts';
import { OpenApi } from '../openapi/openapi.ts';
import { PathRoutes } from '../paths.ts';
import { Registry } from '../registry/registry.ts';
import { apiVersionOf, type Resource, storagePrefix } from '../registry/resource.ts';
import { negotiate, partialMetadata, type Representation, table } from '../representation.ts';
import { parseRequestInfo, type ResourceRequestInfo } from '../requestInfo.ts';
import { Services } from '../services/services.ts';
import type { Lookup } from '../strategies/strategy.ts';
import { checkListOptions, listOptions } from '../verbs/options.ts';
import { parseSelection } from '../verbs/selection.ts';
import type { Collector } from './collector.ts';
import { nodeMetrics, podMetrics } from './objects.ts';
import type { UsageTable } from './usage.ts';

/** What there is of one resource: the objects that are measured, and what becomes of one and its usage. */
interface Source {
  readonly resource: Resource;
  /** What Kubernetes calls it in errors. */
  readonly errorName: string;
  readonly measured: 'nodes' | 'pods';
  describe(object: Persisted<UnknownObject>, usage: UsageTable): KubeObject | undefined;
}

const asResource = (kind: Kind): Resource => ({
  kind,
  strategy: {},
  prefix: storagePrefix(kind.group, kind.plural),
  custom: false,
});

const SOURCES: readonly Source[] = [
  {
    resource: asResource(NodeMetrics as Kind),
    errorName: 'nodemetrics',
    measured: 'nodes',
    describe: (node, usage) => nodeMetrics(node, usage.node(node.metadata.name)),
  },
  {
    resource: asResource(PodMetrics as Kind),
    errorName: 'podmetrics',
    measured: 'pods',
    describe: (pod, usage) => {
      const { nodeName = '' } = (pod.spec ?? {}) as { nodeName?: string };
      return podMetrics(pod, usage.pod(nodeName, pod.metadata.namespace ?? '', pod.metadata.name));
    },
  },
];

/** Serves metrics.k8s.io. The server that calls it has found out who asks, and whether they may. */
export function metricsApi(collector: Pick<Collector, 'read'>, lookup: Lookup): ApiHandler {
  const registry = new Registry();
  for (const { resource } of SOURCES) registry.add(resource);
  const nothingElse = new Aggregation(new Services());
  const paths = new PathRoutes();
  new Discovery(registry, nothingElse).addTo(paths);
  new OpenApi(registry, nothingElse).addTo(paths);

  return async (request) => {
    const info = parseRequestInfo(request.method, request.path, request.query);
    if (!info.isResource) return paths.handle(request, info);
    const source = SOURCES.find(({ resource: { kind } }) => kind.plural === info.resource);
    if (!source || info.subresource !== '') throw pathNotFound();
    if (info.verb !== 'get' && info.verb !== 'list') throw pathMethodNotAllowed();
    return info.verb === 'get' ? getOne(source, info, request) : getAll(source, info, request);
  };

  async function getOne(source: Source, { name, namespace }: ResourceRequestInfo, request: ApiRequest) {
    const { kind } = source.resource;
    const form = negotiate(request.headers.accept, request.query, { custom: true });
    const object = lookup.get('', source.measured, namespace, name);
    const found = object && source.describe(object, await collector.read());
    if (!found)
      throw notFound({ group: kind.group, resource: source.errorName }, namespace ? `${namespace}/${name}` : name);
    return single(kind, found as UnknownObject, form);
  }

  async function getAll(source: Source, { namespace }: ResourceRequestInfo, request: ApiRequest) {
    const { resource } = source;
    const options = listOptions(request.query);
    checkListOptions(options, false);
    const form = negotiate(request.headers.accept, request.query, { custom: true });
    const { matches } = parseSelection(resource, options.labelSelector, options.fieldSelector);
    const measured = lookup.list('', source.measured, namespace).filter((object) => !matches || matches(object));
    const usage = await collector.read();
    const found = measured.flatMap((object) => source.describe(object, usage) ?? []) as UnknownObject[];
    return listOf(resource.kind, found, form);
  }
}

const rowsOf = (objects: readonly UnknownObject[]) =>
  objects.map((object) => ({ object: object as Persisted<UnknownObject> }));

function single(kind: Kind, object: UnknownObject, form: Representation): ApiResponse {
  if (form.as === 'table') return objectResponse(table(kind, rowsOf([object]), form, {}));
  return objectResponse(form.as === 'partial' ? partialMetadata(object) : object);
}

function listOf(kind: Kind, objects: readonly UnknownObject[], form: Representation): ApiResponse {
  if (form.as === 'table') return objectResponse(table(kind, rowsOf(objects), form, {}));
  const isPartial = form.as === 'partial';
  return objectResponse({
    kind: isPartial ? 'PartialObjectMetadataList' : kind.listKind,
    apiVersion: isPartial ? 'meta.k8s.io/v1' : apiVersionOf(kind),
    metadata: {},
    items: isPartial ? objects.map(partialMetadata) : objects.map(({ kind: _, apiVersion: __, ...rest }) => rest),
  });
}
