/**
 * The schema of a kind, as data. Built-in kinds write it with the small vocabulary below; CustomResourceDefinitions
 * are compiled into the same shape. Everything else follows from it: the TypeScript type (`Infer`), OpenAPI, the CRD,
 * defaulting, pruning, validation, merge keys and protobuf field numbers.
 *
 * @example
 * const Toleration = struct('io.k8s.api.core.v1.Toleration', 'What a pod puts up with on a node.', {
 *   key: opt(1, string, 'Taint key; empty matches every key.'),
 *   tolerationSeconds: opt(5, int64, 'How long the taint is tolerated.'),
 * });
 * type Toleration = Infer<typeof Toleration>; // { key?: string; tolerationSeconds?: number }
 */
export interface Schema<T = unknown> {
  /** Component name in OpenAPI. A schema with a name is published once and referred to. */
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  /** Absent: any JSON value. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  /** `date-time`, `micro-time`, `byte` (base64), `quantity`, `int32`, `int64`, `double`, or a CRD's own. */
  readonly format?: string;
  /** Whether the format is part of the type even where nobody knows it, as for the defaults of a definition. */
  readonly anyFormat?: boolean;
  readonly properties?: Readonly<Record<string, Property>>;
  /** Schema of a map's values (`additionalProperties`). */
  readonly values?: Schema;
  readonly items?: Schema;
  /** What takes the place of a null among the items or the values, where they may not be null. */
  readonly elementDefault?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  /** `x-kubernetes-int-or-string`. */
  readonly intOrString?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
  /** Server-side apply's view of a list or map. */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  /** `x-kubernetes-validations`, as written. */
  readonly validations?: readonly ValidationRule[];
  /**
   * How the protobuf body wraps this value: `quantity`, `time`, `microTime`, `intOrString`, `raw` (RawExtension, JSON,
   * FieldsV1: JSON bytes in field 1), `strings` (a message holding `repeated string items = 1`).
   */
  readonly protoMessage?: 'quantity' | 'time' | 'microTime' | 'intOrString' | 'raw' | 'strings' | string;
  /** The named schema that this one differs from in a detail (`refine`); OpenAPI refers to it and adds the difference. */
  readonly base?: Schema;
  /** Never set: carries the TypeScript type. */
  readonly [phantom]?: T;
}

declare const phantom: unique symbol;

/** One field of a struct. */
export interface Property<T = unknown, R extends boolean = boolean> {
  readonly schema: Schema<T>;
  readonly required: R;
  readonly description?: string;
  /** Filled in when the field is missing and its parent is present. */
  readonly default?: unknown;
  /** Protobuf field number; a path where Go embeds a struct (`[2, 1]`: field 1 of the message in field 2). */
  readonly proto?: number | readonly number[];
  /**
   * Go holds the scalar by a pointer: 0, false and '' are values of their own. Without it they mean the same as absence;
   * protobuf bodies always carry them.
   */
  readonly pointer?: true;
  /** Strategic merge patch: `merge`, `replace`, `retainKeys`, `merge,retainKeys`. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Property>>;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Property<unknown, true> ? K : never }[keyof F];
type ValueOf<P> = P extends Property<infer T, boolean> ? T : never;
export type InferFields<F extends Fields> = { [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]>;
};

export const string: Schema<string> = { type: 'string' };
export const boolean: Schema<boolean> = { type: 'boolean' };
export const int32: Schema<number> = { type: 'integer', format: 'int32' };
export const int64: Schema<number> = { type: 'integer', format: 'int64' };
export const double: Schema<number> = { type: 'number', format: 'double' };
/** Base64 in JSON, plain bytes in protobuf. */
export const bytes: Schema<string> = { type: 'string', format: 'byte' };
/** Any JSON value (RawExtension, JSON, FieldsV1). */
export const anything: Schema<unknown> = { preserveUnknownFields: true, protoMessage: 'raw' };
export const anyObject: Schema<Record<string, unknown>> = {
  type: 'object',
  preserveUnknownFields: true,
  protoMessage: 'raw',
};
export const quantity: Schema<string | number> = {
  name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  description: 'A fixed-point number with an optional suffix, such as 500m, 2 or 1Gi.',
  type: 'string',
  format: 'quantity',
  protoMessage: 'quantity',
};
export const intOrString: Schema<number | string> = {
  name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  description: 'A whole number or a string.',
  format: 'int-or-string',
  intOrString: true,
  protoMessage: 'intOrString',
};
export const time: Schema<string> = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  description: 'A moment in RFC 3339, to the second.',
  type: 'string',
  format: 'date-time',
  protoMessage: 'time',
};
export const microTime: Schema<string> = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  description: 'A moment in RFC 3339, to the microsecond.',
  type: 'string',
  format: 'date-time',
  protoMessage: 'microTime',
};

/** A string that takes one of the given values. */
export const oneOf = <const V extends readonly string[]>(...values: V): Schema<V[number]> => ({
  type: 'string',
  enum: values,
});

/** `kind`: how server-side apply sees the list; an array of key names makes it a map list. */
export function list<T>(items: Schema<T>, kind?: 'atomic' | 'set' | readonly string[]): Schema<T[]> {
  if (kind === undefined) return { type: 'array', items };
  if (typeof kind === 'string') return { type: 'array', items, listType: kind };
  return { type: 'array', items, listType: 'map', listMapKeys: kind };
}

export const map = <T>(values: Schema<T>, mapType?: 'atomic' | 'granular'): Schema<Record<string, T>> =>
  mapType ? { type: 'object', values, mapType } : { type: 'object', values };

/** A named object type. `extra` carries what is rarely needed, such as `mapType: 'atomic'`. */
export const struct = <const F extends Fields>(
  name: string,
  description: string,
  properties: F,
  extra?: Partial<Schema>,
): Schema<InferFields<F>> & { readonly properties: F } =>
  ({ name, description, type: 'object', properties, ...extra }) as Schema<InferFields<F>> & { readonly properties: F };

/** A named schema seen differently in one place: `refine(ObjectReference, { mapType: 'granular' })`. */
export const refine = <T>(base: Schema<T>, difference: Partial<Schema>): Schema<T> =>
  ({ ...base, ...difference, base }) as Schema<T>;

/** A struct that contains itself: `recursive<JsonSchema>(() => JsonSchema)`; only names and identity are deferred. */
export function recursive<T>(target: () => Schema<T>): Schema<T> {
  return new Proxy({} as Schema<T>, {
    get: (_, key) => target()[key as keyof Schema<T>],
    has: (_, key) => key in target(),
    ownKeys: () => Reflect.ownKeys(target()),
    getOwnPropertyDescriptor: (_, key) => ({
      ...Reflect.getOwnPropertyDescriptor(target(), key),
      configurable: true,
    }),
  });
}

export interface FieldOptions {
  readonly doc?: string;
  readonly default?: unknown;
  readonly pointer?: true;
  readonly patch?: string;
  readonly key?: string;
}

type Proto = number | readonly number[] | undefined;

function property<T, R extends boolean>(
  required: R,
  proto: Proto,
  schema: Schema<T>,
  options: string | FieldOptions = {},
): Property<T, R> {
  const {
    doc,
    default: fallback,
    pointer,
    patch,
    key,
  } = typeof options === 'string' ? { doc: options } : { ...options };
  return {
    schema,
    required,
    ...(proto !== undefined && { proto }),
    ...(doc !== undefined && { description: doc }),
    ...(fallback !== undefined && { default: fallback }),
    ...(pointer !== undefined && { pointer }),
    ...(patch !== undefined && { patchStrategy: patch }),
    ...(key !== undefined && { patchMergeKey: key }),
  };
}

/** A field that must be there. */
export const req = <T>(proto: Proto, schema: Schema<T>, options?: string | FieldOptions): Property<T, true> =>
  property(true, proto, schema, options);

/** A field that may be missing. */
export const opt = <T>(proto: Proto, schema: Schema<T>, options?: string | FieldOptions): Property<T, false> =>
  property(false, proto, schema, options);
