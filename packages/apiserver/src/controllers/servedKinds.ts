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
