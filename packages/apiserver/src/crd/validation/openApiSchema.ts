/** What every schema of a definition may not say, wherever it stands, and what is wrong with its rules. */
import { type FieldError, field } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { type RuleContext, ruleTextErrors } from '../../rules/definition.ts';
import { listTypeErrors, mapTypeErrors } from './listTypes.ts';
import { OPENAPI_TYPES, type Tolerance } from './tolerance.ts';

const META_FIELDS = ['metadata', 'kind', 'apiVersion'];

/** Where a schema stands. */
interface Place {
  readonly isRoot: boolean;
  /** Whether it describes apiVersion, kind or metadata of an object, or something below. */
  readonly isInMeta: boolean;
  /** Why there may be no default. */
  readonly withoutDefault?: string;
}

/** The errors of schemas, and apart from them those of rules. */
interface Found {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

/**
 * What is wrong with a schema and those inside it.
 *
 * @param rules compiles rules; undefined where the schema is not good enough for that
 */
export function openApiErrors(
  schema: JSONSchemaProps,
  path: string,
  tolerance: Tolerance,
  rules: RuleContext | undefined,
): FieldError[] {
  const found: Found = { schema: [], rules: [] };
  visit(schema, path, { isRoot: true, isInMeta: false }, tolerance, rules, found);
  return [...found.schema, ...found.rules];
}

function visit(
  schema: JSONSchemaProps,
  path: string,
  place: Place,
  tolerance: Tolerance,
  rules: RuleContext | undefined,
  found: Found,
): void {
  const before = found.schema.length;
  const { items, not, allOf = [], oneOf = [], anyOf = [], definitions = {}, dependencies = {} } = schema;
  const inner: Place = { ...place, isRoot: false };
  const below = (child: unknown, at: string, where = inner, childRules?: RuleContext): void => {
    if (isObject(child)) visit(child as JSONSchemaProps, `${path}.${at}`, where, tolerance, childRules, found);
  };
  found.schema.push(...keywordErrors(schema, path, place, tolerance), ...propertyErrors(schema, path));

  const valuesPlace = place.isInMeta ? { ...inner, withoutDefault: VALUES_OF_META } : inner;
  below(schema.additionalProperties, 'additionalProperties', valuesPlace, rules?.values());
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    below(child, `properties[${name}]`, propertyPlace(schema, place, name), rules?.property(name));
  }
  below(not, 'not');
  for (const [i, child] of allOf.entries()) below(child, `allOf[${i}]`);
  for (const [i, child] of oneOf.entries()) below(child, `oneOf[${i}]`);
  for (const [i, child] of anyOf.entries()) below(child, `anyOf[${i}]`);
  for (const [name, child] of Object.entries(definitions)) below(child, `definitions[${name}]`);
  if (Array.isArray(items)) for (const [i, child] of items.entries()) below(child, `items[${i}]`);
  else below(items, 'items', inner, rules?.items());
  for (const [name, child] of Object.entries(dependencies)) below(child, `dependencies[${name}]`);

  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    found.schema.push(field.invalid(at, false, 'must be true or undefined'));
  }
  found.schema.push(
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path, tolerance),
    ...ruleTextErrors(schema, path),
  );
  // What rules say about a schema that is wrong itself would only confuse.
  if (rules && found.schema.length === before) found.rules.push(...rules.errors());
}

const VALUES_OF_META = 'inside additionalProperties applying to object metadata';

function propertyPlace(schema: JSONSchemaProps, { isRoot, ...rest }: Place, name: string): Place {
  const place = { ...rest, isRoot: false };
  if (!META_FIELDS.includes(name) || !(isRoot || schema['x-kubernetes-embedded-resource'])) return place;
  return { ...place, isInMeta: true, ...(isRoot && { withoutDefault: `in top-level ${name}` }) };
}

function keywordErrors(schema: JSONSchemaProps, path: string, place: Place, tolerance: Tolerance): FieldError[] {
  const { type, items } = schema;
  const errors: FieldError[] = [];
  const forbid = (keyword: string, why: string) => errors.push(field.forbidden(`${path}.${keyword}`, why));
  const refuse = (keyword: keyof JSONSchemaProps) => forbid(keyword, `${keyword} is not supported`);
  if (type && !OPENAPI_TYPES.includes(type) && !tolerance.types) {
    errors.push(field.notSupported(`${path}.type`, type, OPENAPI_TYPES));
  }
  if ((schema.default ?? undefined) !== undefined && place.withoutDefault !== undefined) {
    forbid('default', `must not be set ${place.withoutDefault}`);
  }
  if (schema.id) refuse('id');
  if ((schema.additionalItems ?? undefined) !== undefined) refuse('additionalItems');
  if (Object.keys(schema.patternProperties ?? {}).length > 0) refuse('patternProperties');
  if (Object.keys(schema.definitions ?? {}).length > 0) refuse('definitions');
  if (schema.dependencies) refuse('dependencies');
  if ((schema.$ref ?? undefined) !== undefined) refuse('$ref');
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(items) && items.length > 0) forbid('items', 'items must be a schema object and not an array');
  if (place.isInMeta && schema['x-kubernetes-embedded-resource']) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  }
  return errors;
}

function propertyErrors({ uniqueItems, properties, additionalProperties }: JSONSchemaProps, path: string) {
  const errors: FieldError[] = [];
  if (uniqueItems) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(field.forbidden(`${path}.uniqueItems`, why));
  }
  const isExclusive = additionalProperties === false || isObject(additionalProperties);
  if (isExclusive && Object.keys(properties ?? {}).length > 0) {
    const why = 'additionalProperties and properties are mutual exclusive';
    errors.push(field.forbidden(`${path}.additionalProperties`, why));
  }
  return errors;
}
