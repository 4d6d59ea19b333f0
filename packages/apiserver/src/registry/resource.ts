import { groupVersion, type Kind, type Persisted, type Schema, type UnknownObject } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import type { ConvertObjects } from '../crd/conversion/webhookConverter.ts';
import type { RuleValidator } from '../rules/validator.ts';
import type { Stored } from '../store/store.ts';
import { toJson } from '../store/stored.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { NotConverted } from './notConverted.ts';

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
  /** Custom resources: whether `coerce` may change an object that fits this version. */
  readonly coercesWrites?: boolean;
  /** Custom resources: the version that new objects are stored in, as the definition says. */
  readonly storageVersion?: string;
  /** Custom resources: the object as it is stored, in the storage version. Absent: as it is. */
  toStored?(object: UnknownObject): UnknownObject | Promise<UnknownObject>;
  /** Custom resources whose versions a webhook converts. Absent: they differ in nothing but their name. */
  readonly convert?: ConvertObjects;
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

/** The stored object in the version that this resource serves. Conversions are kept as long as the original. */
export function asServed(resource: Resource, stored: Stored): Stored {
  const { conversion, modernise } = resource;
  if (conversion) return convertOnce(resource, stored, (object) => conversion.fromStorage(object));
  const apiVersion = apiVersionOf(resource.kind);
  const isCurrent = stored.object.apiVersion === apiVersion;
  const isOld = modernise !== undefined && stored.revision < modernise.before;
  if (isCurrent && !isOld) return stored;
  if (!isCurrent && resource.convert) return convertedByWebhook(resource, stored);
  return convertOnce(resource, stored, (object) => ({ ...(modernise?.apply(object) ?? object), apiVersion }));
}

const converted = new WeakMap<Resource, WeakMap<Stored, Stored>>();

function convertedOf(resource: Resource): WeakMap<Stored, Stored> {
  const known = converted.get(resource) ?? new WeakMap<Stored, Stored>();
  converted.set(resource, known);
  return known;
}

function convertOnce(resource: Resource, stored: Stored, convert: (object: UnknownObject) => UnknownObject): Stored {
  const known = convertedOf(resource);
  let result = known.get(stored);
  if (!result) {
    result = withObject(stored, convert(stored.object));
    known.set(stored, result);
  }
  return result;
}

function withObject(stored: Stored, object: UnknownObject): Stored {
  const frozen = deepFreeze(object as Persisted<UnknownObject>);
  return { ...stored, key: stored.key, object: frozen, bytes: Buffer.from(toJson(frozen)) };
}

function convertedByWebhook(resource: Resource, stored: Stored): Stored {
  const known = convertedOf(resource).get(stored);
  if (known) return known;
  throw new NotConverted(converting(resource, [stored]) ?? Promise.resolve());
}

/** What is being converted for somebody is not converted again for others. */
const underWay = new WeakMap<Resource, WeakMap<Stored, Promise<void>>>();

/** Has a webhook convert what this resource cannot show yet. Undefined: there is nothing to wait for. */
export function converting(resource: Resource, all: readonly Stored[]): Promise<unknown> | undefined {
  const { convert } = resource;
  if (!convert) return undefined;
  const apiVersion = apiVersionOf(resource.kind);
  const known = convertedOf(resource);
  const missing = all.filter((stored) => stored.object.apiVersion !== apiVersion && !known.has(stored));
  if (missing.length === 0) return undefined;
  const waiting = underWay.get(resource) ?? new WeakMap<Stored, Promise<void>>();
  underWay.set(resource, waiting);
  const asked = missing.filter((stored) => !waiting.has(stored));
  if (asked.length > 0) {
    const done = convertStored(resource, convert, asked).finally(() => {
      for (const stored of asked) waiting.delete(stored);
    });
    for (const stored of asked) waiting.set(stored, done);
  }
  return Promise.all(new Set(missing.map((stored) => waiting.get(stored))));
}

async function convertStored(resource: Resource, convert: ConvertObjects, all: readonly Stored[]): Promise<void> {
  const { modernise, kind } = resource;
  const fresh = all.map(({ object, revision }) =>
    modernise && revision < modernise.before ? modernise.apply(object) : object,
  );
  const results = await convert(fresh, apiVersionOf(kind));
  const known = convertedOf(resource);
  for (const [index, stored] of all.entries()) known.set(stored, withObject(stored, results[index] as UnknownObject));
}

/** The object as it is stored. */
export function toStorage(resource: Resource, object: UnknownObject): UnknownObject | Promise<UnknownObject> {
  if (resource.conversion) return resource.conversion.toStorage(object);
  return resource.toStored?.(object) ?? object;
}
