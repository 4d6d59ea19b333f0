import { type FieldError, field } from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import type { Allowance } from '../../rules/allowance.ts';
import { RuleContext } from '../../rules/definition.ts';
import { conversionError } from './conversionError.ts';
import { defaultErrors } from './defaults.ts';
import { fieldsOf, schemaForm } from './goForm.ts';
import { openApiErrors } from './openApiSchema.ts';
import { structuralErrors } from './structural.ts';
import type { Tolerance } from './tolerance.ts';

/** How the schema of a version is checked. */
export interface SchemaOptions {
  /** Whether the version has the status subresource, so that the schema of the status is looked at alone. */
  readonly hasStatus: boolean;
  readonly tolerance: Tolerance;
  readonly allowance: Allowance;
}

/** What is wrong with the schema of a version: the structure, then the defaults, then what is said where, and rules. */
export function schemaErrors(
  schema: JSONSchemaProps,
  path: string,
  { hasStatus, tolerance, allowance }: SchemaOptions,
): FieldError[] {
  const at = `${path}.openAPIV3Schema`;
  const errors = [
    ...(hasStatus ? statusErrors(schema, at) : []),
    ...(schema.nullable ? [field.forbidden(`${at}.nullable`, 'nullable cannot be true at the root')] : []),
  ];
  const unstructured = conversionError(schema);
  const structure = unstructured === undefined ? structureErrors(schema, at, allowance) : [];
  const isStructural = unstructured === undefined && structure.length === 0;
  const rules = isStructural ? RuleContext.root(schema, at, allowance) : undefined;
  errors.push(...structure, ...openApiErrors(schema, at, tolerance, rules));
  // Where something else is said of it, this would be the second time.
  if (unstructured !== undefined && errors.length === 0) errors.push(field.invalid(at, '', unstructured));
  return [...errors, ...(rules?.totalErrors() ?? [])];
}

function structureErrors(schema: JSONSchemaProps, at: string, allowance: Allowance): FieldError[] {
  const errors = structuralErrors(schema, at);
  return errors.length > 0 ? errors : defaultErrors(schema, at, allowance);
}

const WITH_STATUS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** What the schema of the whole may not say, because a write of the status would not be held to it. */
function statusErrors(schema: JSONSchemaProps, at: string): FieldError[] {
  const wrong = fieldsOf(schema).find(
    (name) => (name === 'Type' && schema.type !== 'object') || !WITH_STATUS.includes(name),
  );
  if (wrong === undefined) return [];
  if (wrong === 'Type') {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [field.invalid(`${at}.type`, schema.type ?? '', why)];
  }
  const allowed = `[${WITH_STATUS.join(' ')}]`;
  const why = `only ${allowed} fields are allowed at the root of the schema if the status subresource is enabled`;
  return [field.invalid(at, schemaForm(schema), why)];
}
