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
  description: 'Any JSON value.',
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
  '',
  {
    description: opt(1, string),
    url: opt(2, string),
  },
);
export interface ExternalDocumentation extends Infer<typeof ExternalDocumentation> {}

export const CustomResourceValidationRule = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule',
  '',
  {
    fieldPath: opt(5, string),
    message: opt(2, string),
    messageExpression: opt(3, string),
    optionalOldSelf: opt(6, boolean),
    reason: opt(4, string),
    rule: req(1, string),
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
  '',
  {
    $ref: opt(3, string),
    $schema: opt(2, string),
    additionalItems: opt(33, JSONSchemaPropsOrBool),
    additionalProperties: opt(30, JSONSchemaPropsOrBool),
    allOf: opt(25, list(self, 'atomic')),
    anyOf: opt(27, list(self, 'atomic')),
    default: opt(8, JSONValue),
    definitions: opt(34, map(self)),
    dependencies: opt(32, map(JSONSchemaPropsOrStringArray)),
    description: opt(4, string),
    enum: opt(20, list(JSONValue, 'atomic')),
    example: opt(36, JSONValue),
    exclusiveMaximum: opt(10, boolean),
    exclusiveMinimum: opt(12, boolean),
    externalDocs: opt(35, ExternalDocumentation),
    format: opt(6, string),
    id: opt(1, string),
    items: opt(24, JSONSchemaPropsOrArray),
    maxItems: opt(16, int64),
    maxLength: opt(13, int64),
    maxProperties: opt(21, int64),
    maximum: opt(9, double),
    minItems: opt(17, int64),
    minLength: opt(14, int64),
    minProperties: opt(22, int64),
    minimum: opt(11, double),
    multipleOf: opt(19, double),
    not: opt(28, self),
    nullable: opt(37, boolean),
    oneOf: opt(26, list(self, 'atomic')),
    pattern: opt(15, string),
    patternProperties: opt(31, map(self)),
    properties: opt(29, map(self)),
    required: opt(23, list(string, 'atomic')),
    title: opt(7, string),
    type: opt(5, string),
    uniqueItems: opt(18, boolean),
    'x-kubernetes-embedded-resource': opt(39, boolean),
    'x-kubernetes-int-or-string': opt(40, boolean),
    'x-kubernetes-list-map-keys': opt(41, list(string, 'atomic')),
    'x-kubernetes-list-type': opt(42, string),
    'x-kubernetes-map-type': opt(43, string),
    'x-kubernetes-preserve-unknown-fields': opt(38, boolean),
    'x-kubernetes-validations': opt(44, list(CustomResourceValidationRule, ['rule']), { patch: 'merge', key: 'rule' }),
  },
);
