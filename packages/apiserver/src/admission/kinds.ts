import { groupVersion, type Kind, type UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { applyDefaults, toObject } from '../verbs/draft.ts';

/** What webhooks and policies have to know of the kinds that they are about. */
export interface AdmittedKinds {
  /** Reads a value as an object of that kind, or throws. Fields that the kind does not have are dropped. */
  decode(kind: Kind, value: unknown): UnknownObject;
  /** The same with defaults; built-in kinds refuse fields that they do not have. */
  decodeStrictly(kind: Kind, value: unknown): UnknownObject;
  /** The versions of a resource that differ in nothing but their name for conversion. */
  versionsOf(kind: Kind): readonly string[];
}

/** Versions of custom resources differ in name only; those of built-in kinds differ in their fields. */
export const admittedKinds = (registry: Registry): AdmittedKinds => ({
  decode(kind, value) {
    const { resource, object } = checked(registry, kind, value);
    return toObject(resource, object, { strictErrors: [] }, 'Ignore').object;
  },
  decodeStrictly(kind, value) {
    const { resource, object } = checked(registry, kind, value);
    const decoded = toObject(resource, object, { strictErrors: [] }, resource.custom ? 'Ignore' : 'Strict').object;
    applyDefaults(resource, decoded);
    return decoded;
  },
  versionsOf: ({ group, plural }) =>
    registry
      .versionsOf(group, plural)
      .filter(({ custom }) => custom)
      .map(({ kind }) => kind.version),
});

function checked(
  registry: Registry,
  { group, version, plural }: Kind,
  value: unknown,
): { resource: Resource; object: Record<string, unknown> } {
  const resource = registry.find(group, version, plural);
  if (!resource || !isObject(value) || !isObject(value.metadata))
    throw new TypeError(`the result is not an object of ${groupVersion(group, version)} ${plural}`);
  return { resource, object: value };
}
