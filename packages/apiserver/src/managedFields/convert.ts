/** Objects in the versions that their managers speak of. */
import type { Schema, UnknownObject } from '@vireo/api';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';

/** A kind in the version of the request, and where the others are found. */
export interface Typed {
  readonly resource: Resource;
  readonly registry: Registry;
}

export interface VersionedType {
  readonly schema: Schema;
  /** From the version of the request. */
  convert(object: UnknownObject): UnknownObject;
  /** Back to it. */
  convertBack(object: UnknownObject): UnknownObject;
}

/** A kind as another version sees it; undefined if that version is not served. */
export function convertTo({ resource, registry }: Typed, apiVersion: string): VersionedType | undefined {
  const other = registry
    .versionsOf(resource.kind.group, resource.kind.plural)
    .find(({ kind }) => apiVersionOf(kind) === apiVersion);
  if (!other) return undefined;
  return {
    schema: other.kind.schema,
    convert: (object) => between(object, resource, other),
    convertBack: (object) => between(object, other, resource),
  };
}

/** An object of one version as another shows it. */
export function between(object: UnknownObject, from: Resource, to: Resource): UnknownObject {
  if (from === to) return object;
  const stored = from.conversion ? from.conversion.toStorage(object) : object;
  const served = to.conversion ? to.conversion.fromStorage(stored) : stored;
  return { ...served, apiVersion: apiVersionOf(to.kind) };
}
