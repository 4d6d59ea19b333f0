/** Schemas and versions as the original prints them in errors: Go's internal types as JSON, with every field. */
import type { CustomResourceDefinitionVersion } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { goForm as ruleForm } from '../../rules/goForm.ts';

type Keyword = keyof JSONSchemaProps;
type Schemas = Readonly<Record<string, JSONSchemaProps>>;

/** The fields of a schema in the order of Go's type, each with its name there and what it is where nothing is said. */
const FIELDS: readonly (readonly [goName: string, keyword: Keyword, zero: unknown])[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null],
  ['AllOf', 'allOf', null],
  ['OneOf', 'oneOf', null],
  ['AnyOf', 'anyOf', null],
  ['Not', 'not', null],
  ['Properties', 'properties', null],
  ['AdditionalProperties', 'additionalProperties', null],
  ['PatternProperties', 'patternProperties', null],
  ['Dependencies', 'dependencies', null],
  ['AdditionalItems', 'additionalItems', null],
  ['Definitions', 'definitions', null],
  ['ExternalDocs', 'externalDocs', null],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null],
];

const orBool = (value: JSONSchemaProps | boolean): unknown =>
  typeof value === 'boolean' ? { Allows: value, Schema: null } : { Allows: true, Schema: schemaForm(value) };
const listForm = (list: readonly JSONSchemaProps[]): unknown[] => list.map(schemaForm);
const mapForm = (map: Schemas): unknown => sorted(map, schemaForm);

/** How a keyword is printed whose value is not what was written. */
const FORMS: Readonly<Partial<Record<Keyword, (value: never) => unknown>>> = {
  default: (value: unknown) => sortedJson(value),
  example: (value: unknown) => sortedJson(value),
  enum: (values: unknown[]) => values.map(sortedJson),
  items: itemsForm,
  allOf: listForm,
  oneOf: listForm,
  anyOf: listForm,
  not: schemaForm,
  properties: mapForm,
  patternProperties: mapForm,
  definitions: mapForm,
  additionalProperties: orBool,
  additionalItems: orBool,
  dependencies: (map: Readonly<Record<string, JSONSchemaProps | string[]>>) =>
    sorted(map, (value) =>
      Array.isArray(value) ? { Schema: null, Property: value } : { Schema: schemaForm(value), Property: null },
    ),
  externalDocs: ({ description = '', url = '' }: { description?: string; url?: string }) => ({
    Description: description,
    URL: url,
  }),
  'x-kubernetes-validations': (rules: Parameters<typeof ruleForm>[0][]) => rules.map(ruleForm),
};

/** A schema. */
export function schemaForm(schema: JSONSchemaProps): unknown {
  return Object.fromEntries(
    FIELDS.map(([goName, keyword, zero]) => {
      const value = schema[keyword];
      return [goName, isNothing(value) ? zero : (FORMS[keyword]?.(value as never) ?? value)];
    }),
  );
}

/** The schemas of items: one for all, or one each. */
export function itemsForm(items: JSONSchemaProps | JSONSchemaProps[]): unknown {
  return Array.isArray(items)
    ? { Schema: null, JSONSchemas: listForm(items) }
    : { Schema: schemaForm(items), JSONSchemas: null };
}

/** Go's names of the fields that a schema sets, in Go's order. */
export const fieldsOf = (schema: JSONSchemaProps): string[] =>
  FIELDS.filter(([, keyword, zero]) => !isNothing(schema[keyword]) && schema[keyword] !== zero).map(
    ([goName]) => goName,
  );

/** A version. */
export function versionForm(version: CustomResourceDefinitionVersion): unknown {
  const { name, served, storage, deprecated, deprecationWarning, schema, subresources } = version;
  const { additionalPrinterColumns: columns, selectableFields } = version;
  const scale = subresources?.scale;
  return {
    Name: name ?? '',
    Served: served ?? false,
    Storage: storage ?? false,
    Deprecated: deprecated ?? false,
    DeprecationWarning: deprecationWarning ?? null,
    Schema: schema ? { OpenAPIV3Schema: schema.openAPIV3Schema ? schemaForm(schema.openAPIV3Schema) : null } : null,
    Subresources: subresources
      ? {
          Status: subresources.status ? {} : null,
          Scale: scale
            ? {
                SpecReplicasPath: scale.specReplicasPath ?? '',
                StatusReplicasPath: scale.statusReplicasPath ?? '',
                LabelSelectorPath: scale.labelSelectorPath ?? null,
              }
            : null,
        }
      : null,
    AdditionalPrinterColumns:
      columns?.map((column) => ({
        Name: column.name ?? '',
        Type: column.type ?? '',
        Format: column.format ?? '',
        Description: column.description ?? '',
        Priority: column.priority ?? 0,
        JSONPath: column.jsonPath ?? '',
      })) ?? null,
    SelectableFields: selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath ?? '' })) ?? null,
  };
}

/** Any JSON value with the keys of its objects in order, as Go prints maps. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson);
  return isObject(value) ? sorted(value, sortedJson) : value;
}

const sorted = <T>(map: Readonly<Record<string, T>>, form: (value: T) => unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, form(map[key] as T)]),
  );

const isNothing = (value: unknown): boolean => value === undefined || value === null;
