import { groupVersion, type Kind, type UnknownObject } from '@vireo/api';
import type { Stored } from '../store/store.ts';
import type { Strategy } from '../strategies/strategy.ts';

/** One resource in one version, as it is served. */
export interface Resource {
  readonly kind: Kind;
  readonly strategy: Strategy;
  /** Key prefix in the store, without the trailing slash: `apps/deployments`. Versions of one resource share it. */
  readonly prefix: string;
  /** The version that is stored, where it is not this one. */
  readonly conversion?: Conversion;
  /** Custom resources: unknown fields are pruned, wrong types are 422 instead of 400. */
  readonly custom: boolean;
}

/** Between the served and the stored version. Neither side changes its input. */
export interface Conversion {
  readonly storageKind: Kind;
  toStorage(object: UnknownObject): UnknownObject;
  fromStorage(object: UnknownObject): UnknownObject;
}

export const apiVersionOf = (kind: Kind): string => groupVersion(kind.group, kind.version);

export const storagePrefix = (group: string, plural: string): string => `${group || 'core'}/${plural}`;

/** `core/pods/default/web`. */
export const keyOf = (resource: Resource, namespace: string | undefined, name: string): string =>
  resource.kind.namespaced ? `${resource.prefix}/${namespace}/${name}` : `${resource.prefix}/${name}`;

/** What a list or watch of a namespace, or of everything, goes by. */
export const keyPrefix = (resource: Resource, namespace: string | undefined): string =>
  resource.kind.namespaced && namespace ? `${resource.prefix}/${namespace}/` : `${resource.prefix}/`;

const converted = new WeakMap<Stored, Map<string, Stored>>();

/** The stored object in the version that this resource serves. Conversions are kept as long as the original. */
export function served(resource: Resource, stored: Stored): Stored {
  const { conversion } = resource;
  const wanted = apiVersionOf(resource.kind);
  if (!conversion) {
    if (stored.object.apiVersion === wanted) return stored;
    return convertOnce(stored, wanted, (object) => ({ ...object, apiVersion: wanted }));
  }
  return convertOnce(stored, wanted, (object) => conversion.fromStorage(object));
}

function convertOnce(stored: Stored, version: string, convert: (object: UnknownObject) => UnknownObject): Stored {
  const versions = converted.get(stored) ?? new Map<string, Stored>();
  converted.set(stored, versions);
  let result = versions.get(version);
  if (!result) {
    const object = Object.freeze(convert(stored.object)) as UnknownObject;
    result = { ...stored, key: stored.key, object, bytes: Buffer.from(JSON.stringify(object)) };
    versions.set(version, result);
  }
  return result;
}

/** The object as it is stored. */
export function toStorage(resource: Resource, object: UnknownObject): UnknownObject {
  return resource.conversion ? resource.conversion.toStorage(object) : object;
}
