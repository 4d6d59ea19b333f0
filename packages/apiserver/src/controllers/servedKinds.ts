import type { Kind } from '@vireo/api';
import { compareVersions, type Registry } from '../registry/registry.ts';

/** The kinds that are served now, custom ones included, one version each. */
export interface ServedKinds {
  list(): Iterable<Kind>;
  /** Calls back after kinds came or went; the result ends it. */
  onChange(callback: () => void): () => void;
}

/** The registry as controllers see it: every resource once, in its preferred version. */
export const servedKinds = (registry: Registry): ServedKinds => ({
  list() {
    const kinds = new Map<string, Kind>();
    for (const { kind } of registry.all()) {
      const key = `${kind.group}/${kind.plural}`;
      const known = kinds.get(key);
      if (!known || compareVersions(kind.version, known.version) < 0) kinds.set(key, kind);
    }
    return kinds.values();
  },
  onChange: (callback) => registry.onChange(callback),
});
