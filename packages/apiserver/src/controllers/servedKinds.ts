import type { Kind } from '@vireo/api';
import { compareVersions, type Registry } from '../registry/registry.ts';

/** The kinds that are served now, custom ones included, one version each. */
export interface ServedKinds {
  list(): Iterable<Kind>;
  /** Calls back after kinds came or went; the result ends it. */
  onChange(callback: () => void): () => void;
}

/**
 * The registry as controllers see it: every resource once, in its preferred version. What a webhook would have to convert
 * is looked at as it is stored, so that no controller depends on the webhook.
 */
export const servedKinds = (registry: Registry): ServedKinds => ({
  list() {
    const kinds = new Map<string, Kind>();
    for (const resource of registry.all()) {
      const { kind } = resource.convert
        ? (registry.findAnyVersion(resource.kind.group, resource.kind.plural) ?? resource)
        : resource;
      const key = `${kind.group}/${kind.plural}`;
      const known = kinds.get(key);
      if (!known || compareVersions(kind.version, known.version) < 0) kinds.set(key, kind);
    }
    return kinds.values();
  },
  onChange: (callback) => registry.onChange(callback),
});

/** The group of `group/version`; '' is the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The kind that a reference means, in the version that is preferred now. */
export function findKind(
  served: ServedKinds,
  { apiVersion = '', kind }: { readonly apiVersion?: string; readonly kind: string },
): Kind | undefined {
  const group = groupOf(apiVersion);
  for (const each of served.list()) if (each.kind === kind && each.group === group) return each;
  return undefined;
}
