import { groupVersion, type Kind, type UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { between } from '../managedFields/convert.ts';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { applyDefaults, toObject } from '../verbs/draft.ts';

/** What webhooks and policies have to know of the kinds that they are about. */
export interface AdmittedKinds {
  /** Reads a value as an object of that kind, with its defaults, or throws. Fields that it does not have are dropped. */
  decode(kind: Kind, value: unknown): UnknownObject;
  /** The same, but built-in kinds refuse fields that they do not have. */
  decodeStrictly(kind: Kind, value: unknown): UnknownObject;
  /** All versions of a custom resource. */
  versionsOf(kind: Kind): readonly string[];
  /** Those of them that differ in nothing but their name for conversion. */
  renamedVersionsOf(kind: Kind): readonly string[];
  /** The kinds whose objects are those of a kind, in another version or group; itself too. */
  equivalentsOf(kind: Kind): readonly Kind[];
  /** An object of one of these kinds as one of another. */
  convert(object: UnknownObject, from: Kind, to: Kind): UnknownObject | Promise<UnknownObject>;
}

/** Versions of custom resources differ in name only; those of built-in kinds differ in their fields. */
export const admittedKinds = (registry: Registry): AdmittedKinds => ({
  decode: (kind, value) => decoded(registry, kind, value, () => 'Ignore'),
  decodeStrictly: (kind, value) => decoded(registry, kind, value, ({ custom }) => (custom ? 'Ignore' : 'Strict')),
  versionsOf: (kind) => customVersions(registry, kind).map((resource) => resource.kind.version),
  renamedVersionsOf: (kind) =>
    customVersions(registry, kind)
      .filter(({ convert }) => !convert)
      .map((resource) => resource.kind.version),
  equivalentsOf: (kind) => registry.equivalentsOf(kind).map((resource) => resource.kind),
  convert(object, from, to) {
    const [source, target] = [from, to].map(({ group, version, plural }) => registry.find(group, version, plural));
    if (!source || !target || source === target) return object;
    if (!source.convert) return between(object, source, target);
    return source.convert([object], apiVersionOf(to)).then(([converted]) => converted as UnknownObject);
  },
});

const customVersions = (registry: Registry, { group, plural }: Kind): Resource[] =>
  registry.versionsOf(group, plural).filter(({ custom }) => custom);

function decoded(
  registry: Registry,
  { group, version, plural }: Kind,
  value: unknown,
  validation: (resource: Resource) => 'Strict' | 'Ignore',
): UnknownObject {
  const resource = registry.find(group, version, plural);
  if (!resource || !isObject(value) || !isObject(value.metadata))
    throw new TypeError(`the result is not an object of ${groupVersion(group, version)} ${plural}`);
  const { object } = toObject(resource, value, { strictErrors: [] }, validation(resource));
  applyDefaults(resource, object);
  return object;
}
