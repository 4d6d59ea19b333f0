import { type FieldError, field } from '@vireo/api';
import { deepClone } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import type { Allowance } from '../rules/allowance.ts';
import { RuleValidator } from '../rules/validator.ts';
import { applySchemaDefaults } from './defaulting.ts';
import { join } from './path.ts';
import { pruneUnknownFields } from './pruning.ts';
import { validateSchema } from './validate.ts';

/** A default must itself fit the schema that it stands in, once the defaults inside it are filled in. */
export function defaultErrors(schema: JSONSchemaProps, path: string, allowance: Allowance): FieldError[] {
  if (schema.default === undefined) return [];
  const at = `${path}.default`;
  const compiled = schemaFromJson(schema);
  const value = deepClone(schema.default);
  if (pruneUnknownFields(value, compiled).length > 0)
    return [field.invalid(at, schema.default, 'must not have unknown fields')];
  applySchemaDefaults(value, compiled);
  const errors = validateSchema(value, compiled).map((error) => ({
    ...error,
    field: error.field === '' ? at : join(at, error.field),
  }));
  return errors.length > 0 ? errors : RuleValidator.onDefault(compiled, value, at, allowance);
}
