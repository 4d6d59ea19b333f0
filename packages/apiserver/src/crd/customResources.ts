import { groupVersion, isConditionTrue, type Kind, type Schema, tooLarge, type UnknownObject } from '@vireo/api';
import { deepClone, deepEqual } from '@vireo/api/json.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf, type Resource, storagePrefix } from '../registry/resource.ts';
import { RuleValidator } from '../rules/validator.ts';
import { defaultsFit, dropNulls, MAX_DEFAULTS_BYTES } from '../schema/defaulting.ts';
import { pruneUnknownFields } from '../schema/pruning.ts';
import { customStrategy } from '../strategies/index.ts';
import type { WebhookClient } from '../webhooks/client.ts';
import { type ConvertObjects, webhookConverter } from './conversion/webhookConverter.ts';
import { customKind } from './kind.ts';
import { scaleErrors } from './scaleErrors.ts';
import type { Crd, CrdVersion } from './types.ts';

/** Keeps the served resources in step with the CustomResourceDefinitions. */
export class CustomResources {
  readonly #registry: Registry;
  readonly #client: WebhookClient;
  readonly #served = new Map<string, { crd: Crd; resources: Resource[] }>();

  constructor(registry: Registry, client: WebhookClient) {
    this.#registry = registry;
    this.#client = client;
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
    const convert = this.#converterOf(crd, schemas);
    const resources = servedVersions(crd).map((version) =>
      customResource(crd, version, kinds.get(version.name) as Kind, schemas, convert),
    );
    for (const resource of resources) this.#registry.add(resource);
    this.#served.set(name, { crd, resources });
  }

  /** What a webhook makes of objects is read by the schema of its version, as everything else is. */
  #converterOf({ spec: { conversion } }: Crd, schemas: ReadonlyMap<string, Schema>): ConvertObjects | undefined {
    if (conversion?.strategy !== 'Webhook' || !conversion.webhook) return undefined;
    const ask = webhookConverter(conversion.webhook, this.#client);
    return async (objects, apiVersion) =>
      (await ask(objects, apiVersion)).map(({ metadata, ...rest }) => {
        const schema = schemas.get(apiVersion);
        if (schema) coerceTo(rest as UnknownObject, schema);
        return { ...rest, metadata };
      });
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
  convert: ConvertObjects | undefined,
): Resource {
  const { group, names } = crd.spec;
  const scale = version.subresources?.scale;
  const schema = version.schema?.openAPIV3Schema;
  const rules = schema && RuleValidator.for(schemaFromJson(schema));
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)?.name ?? version.name;
  const stored = groupVersion(group, storageVersion);
  const schemaOf = (apiVersion: string): Schema => schemas.get(apiVersion) ?? kind.schema;
  /** What is read of an object that is stored in that version. */
  const readFrom = (apiVersion: string, object: UnknownObject): boolean => {
    const schema = schemaOf(apiVersion);
    const fits = coerceStored(object, schema);
    if (schema !== kind.schema && !convert) coerceTo(object, kind.schema);
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
    ...(convert && { convert }),
    // A default may bring a null that is not stored.
    coercesWrites: version.name !== storageVersion || JSON.stringify(schema ?? {}).includes('null'),
    coerce: (object) => readFrom(convert ? object.apiVersion : stored, object),
    toStored: (object) => (object.apiVersion === stored ? object : toStored(object, stored, schemaOf(stored), convert)),
    modernise: {
      before: Number(crd.metadata.resourceVersion ?? 0),
      apply: ({ metadata, ...rest }) => {
        const object = deepClone(rest) as UnknownObject;
        // What is stored can be read, whatever a definition has become.
        return readFrom(rest.apiVersion, object) ? { ...object, metadata } : { ...rest, metadata };
      },
    },
    ...(version.deprecated && {
      deprecation: version.deprecationWarning ?? `${group}/${version.name} ${kind.kind} is deprecated`,
    }),
  };
}

/** An object in the storage version, with what is filled in when it is read there. */
function toStored(
  object: UnknownObject,
  apiVersion: string,
  schema: Schema,
  convert: ConvertObjects | undefined,
): UnknownObject | Promise<UnknownObject> {
  const coerced = ({ metadata, ...rest }: UnknownObject): UnknownObject => {
    const result = deepClone(rest) as UnknownObject;
    if (!coerceStored(result, schema)) throw tooLarge(MAX_DEFAULTS_BYTES);
    return { ...result, metadata };
  };
  if (!convert) return coerced({ ...object, apiVersion });
  return convert([object], apiVersion).then(([converted]) => coerced(converted as UnknownObject));
}

/** Makes of an object, in place, what a schema reads of it. False where its defaults would be too large. */
function coerceStored(object: UnknownObject, schema: Schema): boolean {
  coerceTo(object, schema);
  return defaultsFit(object, schema, { keepNulls: true });
}

/** Leaves of an object what a schema knows, in place. */
function coerceTo(object: UnknownObject, schema: Schema): void {
  pruneUnknownFields(object, schema);
  dropNulls(object, schema);
}
