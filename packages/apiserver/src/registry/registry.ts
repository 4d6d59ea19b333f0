import { groupVersion, type Kind } from '@vireo/api';
import type { Resource } from './resource.ts';

/** All resources being served now: built-in ones from the start, custom ones as their definitions come and go. */
export class Registry {
  readonly #byPath = new Map<string, Resource>();
  readonly #byKind = new Map<string, Resource>();
  readonly #listeners = new Set<() => void>();
  /** All versions by group and plural; gone with every change and made again when asked for. */
  #versions: Map<string, Resource[]> | undefined;
  /** All resources by what they store; likewise. */
  #byPrefix: Map<string, Resource[]> | undefined;
  #generation = 0;

  /** Grows with every change; caches of discovery and OpenAPI go by it. */
  get generation(): number {
    return this.#generation;
  }

  add(resource: Resource): void {
    const { group, version, plural, kind } = resource.kind;
    this.#byPath.set(pathKey(group, version, plural), resource);
    this.#byKind.set(pathKey(group, version, kind), resource);
    this.#notifyListeners();
  }

  remove(resource: Resource): void {
    const { group, version, plural, kind } = resource.kind;
    this.#byPath.delete(pathKey(group, version, plural));
    this.#byKind.delete(pathKey(group, version, kind));
    this.#notifyListeners();
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(pathKey(group, version, plural));
  }

  findKind(apiVersion: string, kind: string): Resource | undefined {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    return this.#byKind.get(pathKey(group, apiVersion.slice(slash + 1), kind));
  }

  /** Any served version of a resource: the stored one if there is a choice, for it takes no conversion. */
  findAnyVersion(group: string, plural: string): Resource | undefined {
    const versions = this.versionsOf(group, plural);
    return versions.find(({ kind, storageVersion }) => kind.version === storageVersion) ?? versions[0];
  }

  /** Every served version of a resource. Asked for with each write, so it does not look at all resources. */
  versionsOf(group: string, plural: string): readonly Resource[] {
    this.#versions ??= Map.groupBy(this.#byPath.values(), ({ kind }) => `${kind.group}/${kind.plural}`);
    return this.#versions.get(`${group}/${plural}`) ?? [];
  }

  /** The resources that show the same stored objects as this one, in another version or group; itself too. */
  equivalentsOf(kind: Kind): readonly Resource[] {
    const prefix = this.find(kind.group, kind.version, kind.plural)?.prefix;
    this.#byPrefix ??= Map.groupBy(this.#byPath.values(), (resource) => resource.prefix);
    return prefix === undefined ? [] : (this.#byPrefix.get(prefix) ?? []);
  }

  /** Whether the group is the server's own, rather than of CustomResourceDefinitions. */
  isBuiltinGroup(group: string): boolean {
    return this.all().some(({ kind, custom }) => kind.group === group && !custom);
  }

  all(): Resource[] {
    return [...this.#byPath.values()];
  }

  /** Resources by `group/version`, groups in order of first registration, preferred versions first. */
  groupVersions(): Map<string, Resource[]> {
    const groups = new Map<string, Resource[]>();
    for (const resource of this.#byPath.values()) {
      const key = groupVersion(resource.kind.group, resource.kind.version);
      const list = groups.get(key);
      if (list) list.push(resource);
      else groups.set(key, [resource]);
    }
    return groups;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notifyListeners(): void {
    this.#generation++;
    this.#versions = undefined;
    this.#byPrefix = undefined;
    for (const listener of this.#listeners) listener();
  }
}

const pathKey = (group: string, version: string, name: string): string => `${group}/${version}/${name}`;

/** Kubernetes' order of versions: v2 before v1 before v1beta2 before v1beta1 before v1alpha1 before anything else. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionRank(a), versionRank(b)];
  for (let i = 0; i < left.length; i++) {
    const difference = (right[i] ?? 0) - (left[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionRank(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}

export const gvkOf = (kind: Kind): { group: string; version: string; kind: string } => ({
  group: kind.group,
  version: kind.version,
  kind: kind.kind,
});
