/** What the kinds that are served as custom resources are written with, beside `schema.ts`. */
import type { Kind } from '../kind.ts';
import type { ObjectMeta } from '../meta.ts';
import { type FieldOptions, opt, type Property, refine, req, type Schema, string, time } from '../schema.ts';

/** A field that may be missing. Custom resources have no protobuf form, so there is no number to give. */
export const optional = <T>(schema: Schema<T>, options?: string | FieldOptions): Property<T, false> =>
  opt(undefined, schema, options);

/** A field that must be there. */
export const required = <T>(schema: Schema<T>, options?: string | FieldOptions): Property<T, true> =>
  req(undefined, schema, options);

/** The same, or null. */
export const nullable = <T>(schema: Schema<T>): Schema<T | null> => ({ ...schema, nullable: true }) as Schema<T | null>;

/** A list of so many items at most. */
export const atMost = <T>(maxItems: number, items: Schema<T[]>): Schema<T[]> => ({ ...items, maxItems });

/** A number from `minimum` to `maximum`. */
export const within = (
  minimum: number | undefined,
  maximum: number | undefined,
  number: Schema<number>,
): Schema<number> => ({
  ...number,
  ...(minimum !== undefined && { minimum }),
  ...(maximum !== undefined && { maximum }),
});

/** A whole number of no particular size. */
export const int: Schema<number> = { type: 'integer' };
export const float: Schema<number> = { type: 'number', format: 'float' };

/** Go clients write a time that was never set as null. */
export const nullableTime: Schema<string | null> = refine<string | null>(time as Schema<string | null>, {
  nullable: true,
});

export const duration: Schema<string> = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Duration',
  description: 'A span of time, such as 30s, 5m or 2h.',
  type: 'string',
};

/**
 * The metadata of an object inside another. Nothing is pruned from it and null is allowed, as with KubeVirt: tools
 * write templates with a `creationTimestamp: null` and whatever else an object had.
 */
export const templateMetadata: Schema<ObjectMeta> = {
  description: 'Labels, annotations and other metadata of an object that is created from this template.',
  type: 'object',
  nullable: true,
  preserveUnknownFields: true,
};

/** The fields of every condition of KubeVirt: `struct(name, description, conditionFields)`. */
export const conditionFields = {
  lastProbeTime: optional(nullableTime, 'Time at which the condition was last checked.'),
  lastTransitionTime: optional(nullableTime, 'When the status of the condition last changed.'),
  message: optional(string, 'Human-readable details about the last transition.'),
  reason: optional(string, 'Reason for the last transition as one CamelCase word.'),
  status: required(string, 'Whether the condition holds: True, False or Unknown.'),
  type: required(string, 'Name of the condition, such as Ready.'),
} as const;

/**
 * A built-in type as a custom resource holds it: the same fields, but the server fills none of them in. The defaults
 * of a claim inside a VirtualMachine are given to the claim when it is made, not to the VirtualMachine.
 */
export function withoutDefaults<T>(schema: Schema<T>): Schema<T> {
  const inner: Partial<Schema> = {
    ...(schema.properties && { properties: fieldsWithoutDefaults(schema.properties) }),
    ...(schema.items && { items: withoutDefaults(schema.items) }),
    ...(schema.values && { values: withoutDefaults(schema.values) }),
  };
  return schema.name === undefined ? ({ ...schema, ...inner } as Schema<T>) : refine(schema, inner);
}

const fieldsWithoutDefaults = (properties: Readonly<Record<string, Property>>): Record<string, Property> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { default: _, ...property }]) => [
      name,
      { ...property, schema: withoutDefaults(property.schema) },
    ]),
  );

/** A kind in another version with the same fields. */
export function inVersion<T>(kind: Kind<T>, version: string): Kind<T> {
  const name = kind.schema.name?.replace(`.${kind.version}.`, `.${version}.`);
  return { ...kind, version, schema: { ...kind.schema, ...(name !== undefined && { name }) } };
}
