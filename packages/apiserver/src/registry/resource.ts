import { groupVersion, type Kind, type Persisted, type Schema, type UnknownObject } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import type { RuleValidator } from '../rules/validator.ts';
import type { Stored } from '../store/store.ts';
import { toJson } from '../store/stored.ts';
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
  /** Custom resources: what was stored before the definition became what it is now is brought up to date when read. */
  readonly modernise?: { readonly before: number; apply(object: UnknownObject): UnknownObject };
  /**
   * Custom resources: makes of an object, in place, what is read after it was stored. The stored version may lack
   * fields of this one. False where its defaults would be too large.
   */
  coerce?(object: UnknownObject): boolean;
  /** Custom resources: the version that new objects are stored in, as the definition says. */
  readonly storageVersion?: string;
  /** Custom resources: the schemas of all versions of the definition by `group/version`, served or not. */
  readonly schemas?: ReadonlyMap<string, Schema>;
  /** Custom resources: the rules of their schema, where it has any. */
  readonly rules?: RuleValidator;
  /** Warning for users of a deprecated version. */
  readonly deprecation?: string;
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

const converted = new WeakMap<Resource, WeakMap<Stored, Stored>>();

/** The stored object in the version that this resource serves. Conversions are kept as long as the original. */
export function asServed(resource: Resource, stored: Stored): Stored {
  const { conversion, modernise } = resource;
  if (conversion) return convertOnce(resource, stored, (object) => conversion.fromStorage(object));
  const apiVersion = apiVersionOf(resource.kind);
  const isCurrent = stored.object.apiVersion === apiVersion;
  const isOld = modernise !== undefined && stored.revision < modernise.before;
  if (isCurrent && !isOld) return stored;
  return convertOnce(resource, stored, (object) => ({ ...(modernise?.apply(object) ?? object), apiVersion }));
}

function convertOnce(resource: Resource, stored: Stored, convert: (object: UnknownObject) => UnknownObject): Stored {
  const known = converted.get(resource) ?? new WeakMap<Stored, Stored>();
  converted.set(resource, known);
  let result = known.get(stored);
  if (!result) {
    // A conversion leaves the metadata as it is.
    const object = deepFreeze(convert(stored.object) as Persisted<UnknownObject>);
    result = { ...stored, key: stored.key, object, bytes: Buffer.from(toJson(object)) };
    known.set(stored, result);
  }
  return result;
}

/** The object as it is stored. */
export function toStorage(resource: Resource, object: UnknownObject): UnknownObject {
  return resource.conversion ? resource.conversion.toStorage(object) : object;
}
