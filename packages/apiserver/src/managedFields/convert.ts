/** Objects in the versions that their managers speak of. */
import type { Schema, UnknownObject } from '@vireo/api';
import type { ConvertObjects } from '../crd/conversion/webhookConverter.ts';
import { NotConverted } from '../registry/notConverted.ts';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { errorText, typeErrors } from './typeErrors.ts';
import { UntypedValue } from './untypedValue.ts';

/** A kind in the version of the request, and where the others are found. */
export interface Typed {
  readonly resource: Resource;
  readonly registry: Registry;
  /** What a webhook has made of objects in the course of this request, by their JSON and the version. */
  readonly conversions?: Map<string, UnknownObject>;
}

/** The schema of a kind in a version; undefined if there is no such version. */
export const schemaAt = (typed: Typed, apiVersion: string): Schema | undefined =>
  apiVersion === apiVersionOf(typed.resource.kind)
    ? typed.resource.kind.schema
    : (typed.resource.schemas?.get(apiVersion) ?? servedAt(typed, apiVersion)?.kind.schema);

const servedAt = ({ resource: { kind }, registry }: Typed, apiVersion: string): Resource | undefined =>
  registry.versionsOf(kind.group, kind.plural).find((other) => apiVersionOf(other.kind) === apiVersion);

/**
 * An object in another version, undefined if there is no such version. Versions of a custom resource are the same
 * object by other names; what does not fit then is an UntypedValue.
 */
export function convertTo(typed: Typed, object: UnknownObject, apiVersion: string): UnknownObject | undefined {
  if (object.apiVersion === apiVersion) return object;
  const schema = schemaAt(typed, apiVersion);
  if (!schema) return undefined;
  const converted = typed.resource.convert
    ? convertedByWebhook(typed, object, apiVersion)
    : renamed(typed, object, apiVersion);
  const errors = typeErrors(converted, schema);
  if (errors.length > 0) throw new UntypedValue(errorText(errors));
  return converted;
}

function renamed(typed: Typed, object: UnknownObject, apiVersion: string): UnknownObject {
  const [from, to] = [servedAt(typed, object.apiVersion), servedAt(typed, apiVersion)];
  return from && to ? between(object, from, to) : { ...object, apiVersion };
}

/** Managers are worked out again once a webhook has answered, and come by the same objects then. */
function convertedByWebhook(
  { resource, conversions = new Map() }: Typed,
  object: UnknownObject,
  apiVersion: string,
): UnknownObject {
  const key = `${apiVersion} ${JSON.stringify(object)}`;
  const known = conversions.get(key);
  if (known) return known;
  const asked = (resource.convert as ConvertObjects)([object], apiVersion);
  throw new NotConverted(asked.then(([converted]) => conversions.set(key, converted as UnknownObject)));
}

/** An object of one version as another shows it. */
export function between(object: UnknownObject, from: Resource, to: Resource): UnknownObject {
  if (from === to) return object;
  const stored = from.conversion ? from.conversion.toStorage(object) : object;
  const served = to.conversion ? to.conversion.fromStorage(stored) : stored;
  return { ...served, apiVersion: apiVersionOf(to.kind) };
}
