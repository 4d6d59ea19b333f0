import { groupVersion, isConditionTrue, type Kind, type Schema, type UnknownObject } from '@vireo/api';
import { deepClone, deepEqual } from '@vireo/api/json.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf, type Resource, storagePrefix } from '../registry/resource.ts';
import { RuleValidator } from '../rules/validator.ts';
import { defaultsFit, dropNulls } from '../schema/defaulting.ts';
import { pruneUnknownFields } from '../schema/pruning.ts';
import { customStrategy } from '../strategies/index.ts';
import { customKind } from './kind.ts';
import { scaleErrors } from './scaleErrors.ts';
import type { Crd, CrdVersion } from './types.ts';

/** Keeps the served resources in step with the CustomResourceDefinitions. */
export class CustomResources {
  readonly #registry: Registry;
  readonly #served = new Map<string, { crd: Crd; resources: Resource[] }>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Serves an established definition as it is now. What does not concern the service changes nothing. */
  update(crd: Crd): void {
    const name = crd.metadata.name as string;
    const known = this.#served.get(name);
    if (!isConditionTrue(crd, 'Established')) {
      this.remove(crd);
      return;
    }
    if (known && deepEqual(whatCounts(known.crd), whatCounts(crd))) return;
    this.remove(crd);
    const kinds = new Map(crd.spec.versions.map((version) => [version.name, customKind(crd, version)]));
    const schemas = new Map([...kinds.values()].map((kind) => [apiVersionOf(kind), kind.schema]));
    const resources = servedVersions(crd).map((version) =>
      customResource(crd, version, kinds.get(version.name) as Kind, schemas),
    );
    for (const resource of resources) this.#registry.add(resource);
    this.#served.set(name, { crd, resources });
  }

  remove(crd: Crd): void {
    const name = crd.metadata.name as string;
    for (const resource of this.#served.get(name)?.resources ?? []) this.#registry.remove(resource);
    this.#served.delete(name);
  }
}

const isTerminating = (crd: Crd): boolean => crd.metadata.deletionTimestamp !== undefined;

const whatCounts = (crd: Crd): unknown => [crd.spec, crd.status?.acceptedNames, isTerminating(crd)];

/** A definition that goes is served in some version, or its objects could not be deleted. */
function servedVersions(crd: Crd): CrdVersion[] {
  const { versions } = crd.spec;
  const served = versions.filter((version) => version.served);
  return served.length === 0 && isTerminating(crd) ? versions.filter(({ storage }) => storage) : served;
}

function customResource(
  crd: Crd,
  version: CrdVersion,
  kind: Kind,
  schemas: NonNullable<Resource['schemas']>,
): Resource {
  const { group, names } = crd.spec;
  const scale = version.subresources?.scale;
  const schema = version.schema?.openAPIV3Schema;
  const rules = schema && RuleValidator.for(schemaFromJson(schema));
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)?.name ?? version.name;
  const stored = schemas.get(groupVersion(group, storageVersion)) ?? kind.schema;
  const coerce = (object: UnknownObject): boolean => {
    coerceTo(object, stored);
    const fits = defaultsFit(object, stored, { keepNulls: true });
    if (stored !== kind.schema) coerceTo(object, kind.schema);
    return fits;
  };
  const verbs = isTerminating(crd) ? kind.verbs.filter((verb) => verb !== 'create') : kind.verbs;
  return {
    kind: { ...kind, verbs },
    strategy: scale ? { ...customStrategy, validate: (object) => scaleErrors(scale, object) } : customStrategy,
    prefix: storagePrefix(group, names.plural),
    custom: true,
    schemas,
    ...(rules && { rules }),
    storageVersion,
    coerce,
    modernise: {
      before: Number(crd.metadata.resourceVersion ?? 0),
      apply: ({ metadata, ...rest }) => {
        const object = deepClone(rest) as UnknownObject;
        // What is stored can be read, whatever a definition has become.
        return coerce(object) ? { ...object, metadata } : { ...rest, metadata };
      },
    },
    ...(version.deprecated && {
      deprecation: version.deprecationWarning ?? `${group}/${version.name} ${kind.kind} is deprecated`,
    }),
  };
}

/** Leaves of an object what a schema knows, in place. */
function coerceTo(object: UnknownObject, schema: Schema): void {
  pruneUnknownFields(object, schema);
  dropNulls(object, schema);
}
