import { createHash } from 'node:crypto';
import { groupVersion, pathNotFound } from '@vireo/api';
import { type ApiHandler, type ApiRequest, type ApiResponse, objectResponse } from '@vireo/kube';
import { checkAcceptable } from '../accept.ts';
import type { Aggregation } from '../aggregation/aggregation.ts';
import type { PathRoutes } from '../paths.ts';
import { pageNotFound } from '../paths.ts';
import { compareVersions, type Registry } from '../registry/registry.ts';
import { aggregatedGroups } from './aggregated.ts';
import { RemoteDiscovery } from './remote.ts';
import { type ApiResource, apiResources } from './resources.ts';

/** The group-versions of one group, preferred version first. */
export interface Group {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

interface GroupVersion {
  readonly version: string;
  readonly resources: readonly ApiResource[];
  /** Whether the aggregated server that has it did not answer. */
  readonly isStale?: boolean;
}

/** What Kubernetes gives to its own groups at least, and to those of custom resources. */
const BUILTIN_PRIORITY = 16_000;
const CUSTOM_PRIORITY = 1_000;
const LOCAL_VERSION_PRIORITY = 100;

const AGGREGATED = /;\s*g=apidiscovery\.k8s\.io;\s*v=(v2|v2beta1);\s*as=APIGroupDiscoveryList/;

/** `/api`, `/apis` and below, in both forms: one document for everything, or one a group-version. */
export class Discovery {
  readonly #registry: Registry;
  readonly #aggregation: Aggregation;
  readonly #remote: RemoteDiscovery;
  #cached: { generation: string; groups: readonly Group[]; documents: Map<string, object> } | undefined;

  constructor(registry: Registry, aggregation: Aggregation) {
    this.#registry = registry;
    this.#aggregation = aggregation;
    this.#remote = new RemoteDiscovery(aggregation);
  }

  /** Every group served here or by an aggregated server; the core group is ''. */
  async groups(): Promise<readonly Group[]> {
    const generation = `${this.#registry.generation}/${await this.#remote.refresh()}`;
    if (this.#cached?.generation === generation) return this.#cached.groups;
    const byGroup = new Map<string, Collected>();
    const collect = (group: string, priority: number): Collected => {
      const known = byGroup.get(group) ?? { priority: 0, versions: new Map() };
      known.priority = Math.max(known.priority, priority);
      byGroup.set(group, known);
      return known;
    };
    for (const resource of this.#registry.all()) {
      const { group, version } = resource.kind;
      const { versions } = collect(group, this.#registry.isBuiltinGroup(group) ? BUILTIN_PRIORITY : CUSTOM_PRIORITY);
      const known = versions.get(version)?.resources ?? [];
      versions.set(version, { priority: LOCAL_VERSION_PRIORITY, resources: [...known, ...apiResources(resource)] });
    }
    for (const { group, version, resources, isStale, groupPriority, versionPriority } of this.#remote.all()) {
      const { versions } = collect(group, groupPriority);
      const known = versions.get(version)?.resources ?? [];
      versions.set(version, { priority: versionPriority, resources: [...known, ...resources], isStale });
    }
    const groups = [...byGroup]
      .sort(([, a], [, b]) => b.priority - a.priority)
      .map(([name, { versions }]) => ({ name, versions: inOrder(versions) }));
    this.#cached = { generation, groups, documents: new Map() };
    return groups;
  }

  addTo(routes: PathRoutes): void {
    routes.add('/api', (request) => this.#root(request, true));
    routes.add('/apis', (request) => this.#root(request, false));
    routes.add('/api/', (request, path) => this.#below(request, '', path.split('/').slice(2)));
    routes.add('/apis/', (request, path) => {
      const [group = '', ...rest] = path.split('/').slice(2);
      return this.#below(request, group, rest);
    });
  }

  async #root(request: ApiRequest, isCore: boolean): Promise<ApiResponse> {
    const groups = (await this.groups()).filter(({ name }) => (name === '') === isCore);
    const aggregated = AGGREGATED.exec(request.headers.accept ?? '');
    if (aggregated) {
      const version = aggregated[1] as string;
      return cacheable(
        request,
        this.#aggregatedDocument(groups, version, isCore),
        `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      );
    }
    checkAcceptable(request.headers.accept);
    if (isCore)
      return objectResponse({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: addresses(request) });
    return objectResponse({ kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(apiGroup) });
  }

  /** Who answers for a group-version itself: a server that is reached over the network. */
  #elsewhere(group: string, version: string): ApiHandler | undefined {
    const api = this.#aggregation.remoteApis().find((each) => each.group === group && each.version === version);
    if (!api || this.#aggregation.isInProcess(api)) return undefined;
    return this.#aggregation.handlerFor(group, version);
  }

  #aggregatedDocument(groups: readonly Group[], version: string, isCore: boolean): object {
    const key = `${isCore} ${version}`;
    const documents = this.#cached?.documents ?? new Map<string, object>();
    const document = documents.get(key) ?? aggregatedGroups(groups, version);
    documents.set(key, document);
    return document;
  }

  async #below(request: ApiRequest, name: string, [version, ...rest]: string[]): Promise<ApiResponse> {
    const group = (await this.groups()).find((candidate) => candidate.name === name);
    if (!group) return pageNotFound();
    checkAcceptable(request.headers.accept);
    if (version === undefined) return objectResponse({ ...apiGroup(group), kind: 'APIGroup', apiVersion: 'v1' });
    const elsewhere = rest.length === 0 && this.#elsewhere(name, version);
    if (elsewhere) return elsewhere(request);
    const found = rest.length === 0 && group.versions.find((candidate) => candidate.version === version);
    if (!found) return unknownBelow(this.#registry, name);
    return objectResponse({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: groupVersion(name, version),
      resources: found.resources,
    });
  }
}

interface Collected {
  priority: number;
  readonly versions: Map<string, Omit<GroupVersion, 'version'> & { readonly priority: number }>;
}

const inOrder = (versions: Collected['versions']): GroupVersion[] =>
  [...versions]
    .sort(([a, { priority }], [b, other]) => other.priority - priority || compareVersions(a, b))
    .map(([version, { resources, isStale = false }]) => ({ version, resources: sortResources(resources), isStale }));

/** The server has no name of its own: it is reached by the one that the client has used. */
function addresses({ headers }: ApiRequest): object[] {
  const serverAddress = headers[':authority'] ?? headers.host;
  return serverAddress === undefined ? [] : [{ clientCIDR: '0.0.0.0/0', serverAddress }];
}

/** Kubernetes serves its own groups as a whole, and answers with a Status below them; custom ones resource by resource. */
export function unknownBelow(registry: Registry, group: string): ApiResponse {
  if (registry.isBuiltinGroup(group)) throw pathNotFound();
  return pageNotFound();
}

const apiGroup = ({ name, versions }: Group): Record<string, unknown> => {
  const all = versions.map(({ version }) => ({ groupVersion: groupVersion(name, version), version }));
  return { name, versions: all, preferredVersion: all[0] };
};

const sortResources = (resources: readonly ApiResource[]): ApiResource[] =>
  [...resources].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

const encoded = new WeakMap<object, { readonly bytes: Buffer; readonly etag: string }>();

/** Encoded once: documents are large, and are made anew when what they describe changes. */
function encodeOnce(document: object): { readonly bytes: Buffer; readonly etag: string } {
  let known = encoded.get(document);
  if (!known) {
    const bytes = Buffer.from(JSON.stringify(document));
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32).toUpperCase()}"`;
    known = { bytes, etag };
    encoded.set(document, known);
  }
  return known;
}

/** A document that clients keep: with an ETag, and 304 when they have it already. */
export function cacheable(request: ApiRequest, document: object, contentType = 'application/json'): ApiResponse {
  const { bytes, etag } = encodeOnce(document);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (request.headers['if-none-match'] === etag)
    return { type: 'bytes', status: 304, headers, contentType, bytes: Buffer.alloc(0) };
  return { type: 'object', status: 200, headers, contentType, object: () => document, bytes: () => bytes };
}
