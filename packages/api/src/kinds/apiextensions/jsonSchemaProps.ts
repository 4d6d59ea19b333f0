import {
  boolean,
  double,
  type Infer,
  int64,
  list,
  map,
  opt,
  recursive,
  req,
  type Schema,
  string,
  struct,
} from '../../schema.ts';

/** Any JSON value. In protobuf its JSON text stands as bytes in field 1 (`raw`). */
export const JSONValue: Schema<unknown> = {
  name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON',
  description: 'Any valid JSON value.',
  preserveUnknownFields: true,
  protoMessage: 'raw',
};

/** The schema within itself: the const below does not exist yet when its own fields are written down. */
const self = recursive<JSONSchemaProps>(() => JSONSchemaProps);

/** In protobuf: `schema` (one JSONSchemaProps) in field 1, or `jSONSchemas` (repeated JSONSchemaProps) in field 2. */
export const JSONSchemaPropsOrArray: Schema<JSONSchemaProps | JSONSchemaProps[]> = {
  name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
  description: 'One schema for all items, or one for each position.',
  preserveUnknownFields: true,
  protoMessage: 'JSONSchemaPropsOrArray',
};

/** In protobuf: `allows` (bool) in field 1, and `schema` (JSONSchemaProps) in field 2, which wins where it is present. */
export const JSONSchemaPropsOrBool: Schema<JSONSchemaProps | boolean> = {
  name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
  description: 'A schema, or whether anything at all is allowed.',
  preserveUnknownFields: true,
  protoMessage: 'JSONSchemaPropsOrBool',
};

/** In protobuf: `schema` (JSONSchemaProps) in field 1, or `property` (repeated string) in field 2. */
export const JSONSchemaPropsOrStringArray: Schema<JSONSchemaProps | string[]> = {
  name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
  description: 'A schema, or the names of properties that must be present.',
  preserveUnknownFields: true,
  protoMessage: 'JSONSchemaPropsOrStringArray',
};

export const ExternalDocumentation = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation',
  'Refers to external documentation.',
  {
    description: opt(1, string, 'What the documentation is about.'),
    url: opt(2, string, 'URL of the documentation.'),
  },
);
export interface ExternalDocumentation extends Infer<typeof ExternalDocumentation> {}

export const CustomResourceValidationRule = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule',
  'A validation rule in CEL.',
  {
    fieldPath: opt(5, string, 'The field that a failure is about.'),
    message: opt(2, string, 'Message that is shown when the rule fails.'),
    messageExpression: opt(3, string, 'The same, computed in CEL.'),
    optionalOldSelf: opt(6, boolean, { pointer: true, doc: 'Whether it also runs when there is no old value.' }),
    reason: opt(4, string, { pointer: true, doc: 'Reason to report if the rule fails.' }),
    rule: req(1, string, 'The rule; self is the value, oldSelf the one before.'),
  },
);
export interface CustomResourceValidationRule extends Infer<typeof CustomResourceValidationRule> {}

/** A JSON schema as a CustomResourceDefinition carries it. */
export interface JSONSchemaProps {
  $ref?: string;
  $schema?: string;
  additionalItems?: JSONSchemaProps | boolean;
  additionalProperties?: JSONSchemaProps | boolean;
  allOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  default?: unknown;
  definitions?: Record<string, JSONSchemaProps>;
  dependencies?: Record<string, JSONSchemaProps | string[]>;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  exclusiveMaximum?: boolean;
  exclusiveMinimum?: boolean;
  externalDocs?: ExternalDocumentation;
  format?: string;
  id?: string;
  items?: JSONSchemaProps | JSONSchemaProps[];
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
  maximum?: number;
  minItems?: number;
  minLength?: number;
  minProperties?: number;
  minimum?: number;
  multipleOf?: number;
  not?: JSONSchemaProps;
  nullable?: boolean;
  oneOf?: JSONSchemaProps[];
  pattern?: string;
  patternProperties?: Record<string, JSONSchemaProps>;
  properties?: Record<string, JSONSchemaProps>;
  required?: string[];
  title?: string;
  type?: string;
  uniqueItems?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: CustomResourceValidationRule[];
}
export const JSONSchemaProps: Schema<JSONSchemaProps> = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps',
  'A JSON schema, with what Kubernetes adds to it.',
  {
    $ref: opt(3, string, { pointer: true, doc: 'Not allowed in a structural schema.' }),
    $schema: opt(2, string, 'Dialect of JSON schema. It is not checked.'),
    additionalItems: opt(33, JSONSchemaPropsOrBool, 'Not allowed in a structural schema.'),
    additionalProperties: opt(30, JSONSchemaPropsOrBool, "Schema of a map's values."),
    allOf: opt(25, list(self, 'atomic'), 'Schemas that the value must all match.'),
    anyOf: opt(27, list(self, 'atomic'), 'Schemas of which one must hold.'),
    default: opt(8, JSONValue, 'Filled in when the field is missing.'),
    definitions: opt(34, map(self), 'Not allowed in a structural schema.'),
    dependencies: opt(32, map(JSONSchemaPropsOrStringArray), 'Not allowed in a structural schema.'),
    description: opt(4, string, 'What the field is for.'),
    enum: opt(20, list(JSONValue, 'atomic'), 'Values that are allowed.'),
    example: opt(36, JSONValue, 'An example of a valid value.'),
    exclusiveMaximum: opt(10, boolean, 'Whether maximum itself is too much.'),
    exclusiveMinimum: opt(12, boolean, 'Whether minimum itself is too little.'),
    externalDocs: opt(35, ExternalDocumentation, 'Refers to external documentation.'),
    format: opt(6, string, 'How the value is written, such as date-time or int64.'),
    id: opt(1, string, 'Accepted and ignored by the API.'),
    items: opt(24, JSONSchemaPropsOrArray, "Schema of a list's items."),
    maxItems: opt(16, int64, { pointer: true, doc: 'Maximum number of items.' }),
    maxLength: opt(13, int64, { pointer: true, doc: 'Maximum number of characters.' }),
    maxProperties: opt(21, int64, { pointer: true, doc: 'Maximum number of fields.' }),
    maximum: opt(9, double, { pointer: true, doc: 'Maximum value of a number.' }),
    minItems: opt(17, int64, { pointer: true, doc: 'Minimum number of items.' }),
    minLength: opt(14, int64, { pointer: true, doc: 'Minimum number of characters.' }),
    minProperties: opt(22, int64, { pointer: true, doc: 'Minimum number of fields.' }),
    minimum: opt(11, double, { pointer: true, doc: 'Minimum value of a number.' }),
    multipleOf: opt(19, double, { pointer: true, doc: 'The number must be a multiple.' }),
    not: opt(28, self, 'Schema that the value must not match.'),
    nullable: opt(37, boolean, 'Whether null is allowed.'),
    oneOf: opt(26, list(self, 'atomic'), 'Schemas of which exactly one must hold.'),
    pattern: opt(15, string, 'Regular expression that must match.'),
    patternProperties: opt(31, map(self), 'Not allowed in a structural schema.'),
    properties: opt(29, map(self), 'Fields of an object.'),
    required: opt(23, list(string, 'atomic'), 'Fields that must be there.'),
    title: opt(7, string, 'Title of the schema.'),
    type: opt(5, string, 'Type of the value: object, array, string, integer, number or boolean.'),
    uniqueItems: opt(18, boolean, 'Whether items must differ; only false is allowed.'),
    'x-kubernetes-embedded-resource': opt(39, boolean, 'Whether it is an object with apiVersion, kind and metadata.'),
    'x-kubernetes-int-or-string': opt(40, boolean, 'Whether both numbers and strings are allowed.'),
    'x-kubernetes-list-map-keys': opt(41, list(string, 'atomic'), 'Fields that tell the items of a map list apart.'),
    'x-kubernetes-list-type': opt(42, string, { pointer: true, doc: 'How the list is merged: atomic, set or map.' }),
    'x-kubernetes-map-type': opt(43, string, { pointer: true, doc: 'How the map is merged: granular or atomic.' }),
    'x-kubernetes-preserve-unknown-fields': opt(38, boolean, {
      pointer: true,
      doc: 'Whether fields that are not specified are kept.',
    }),
    'x-kubernetes-validations': opt(44, list(CustomResourceValidationRule, ['rule']), {
      patch: 'merge',
      key: 'rule',
      doc: 'Validation rules in CEL.',
    }),
  },
);
