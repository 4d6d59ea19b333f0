import { type FieldError, field } from '@vireo/api';
import { deepClone } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import { RuleValidator } from '../rules/validator.ts';
import { applySchemaDefaults } from './defaulting.ts';
import { pruneUnknownFields } from './pruning.ts';
import { validateSchema } from './validate.ts';

/** A default must itself fit the schema that it stands in, once the defaults inside it are filled in. */
export function defaultErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  if (schema.default === undefined) return [];
  const at = `${path}.default`;
  const compiled = schemaFromJson(schema);
  const value = deepClone(schema.default);
  const [unknown] = pruneUnknownFields(value, compiled);
  if (unknown !== undefined) {
    return [field.invalid(at, schema.default, `must not have unknown fields, but has ${unknown}`)];
  }
  applySchemaDefaults(value, compiled);
  const errors = validateSchema(value, compiled, at).map((error) =>
    error.type === 'FieldValueRequired' ? error : field.invalid(at, schema.default, `must validate: ${error.text}`),
  );
  return errors.length > 0 ? errors : RuleValidator.onDefault(compiled, value, at);
}
