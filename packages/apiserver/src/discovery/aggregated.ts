import type { Group } from './discovery.ts';
import type { ApiResource } from './resources.ts';

/** `apidiscovery.k8s.io`: all groups in one response. */
export function aggregatedGroups(groups: readonly Group[], apiVersion: string): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${apiVersion}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name && { name }), creationTimestamp: null },
      versions: versions.map(({ version, resources, isStale }) => ({
        version,
        resources: resourceTree(name, version, resources),
        freshness: isStale ? 'Stale' : 'Current',
      })),
    })),
  };
}

/** Subresources stand below their resource here, beside it in the older form. */
function resourceTree(group: string, version: string, resources: readonly ApiResource[]): unknown[] {
  const responseKind = (resource: ApiResource) => ({
    group: resource.group ?? group,
    version: resource.version ?? version,
    kind: resource.kind,
  });
  return withParents(resources)
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => {
      const below = resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
      return {
        resource: resource.name,
        responseKind: responseKind(resource),
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: resource.singularName,
        verbs: resource.verbs,
        ...(resource.shortNames && { shortNames: resource.shortNames }),
        ...(resource.categories && { categories: resource.categories }),
        ...(below.length > 0 && {
          subresources: below.map((subresource) => ({
            subresource: subresource.name.slice(resource.name.length + 1),
            responseKind: responseKind(subresource),
            verbs: subresource.verbs,
          })),
        }),
      };
    });
}

/** An aggregated API may offer nothing but subresources of kinds that another group has; they still need a place. */
function withParents(resources: readonly ApiResource[]): ApiResource[] {
  const known = new Set(resources.map(({ name }) => name));
  const parents = new Map<string, ApiResource>();
  for (const { name, namespaced } of resources) {
    const [parent = ''] = name.split('/');
    if (!known.has(parent)) parents.set(parent, { name: parent, singularName: '', namespaced, kind: '', verbs: [] });
  }
  return [...resources, ...parents.values()];
}
