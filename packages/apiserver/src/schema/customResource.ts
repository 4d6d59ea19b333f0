import type { FieldError, Schema, UnknownObject } from '@vireo/api';
import { validateEmbedded } from './embedded.ts';
import { listTypeErrors, listTypeUpdateErrors } from './listTypes.ts';
import { validateSchema, validateSchemaUpdate } from './validate.ts';

/**
 * What is wrong with a custom resource. `old`: what it is to replace. A write of the status is only asked about the
 * status, whose fields are then called by their paths below it, and about the elements of lists. The metadata is of a
 * type of its own, and checked elsewhere.
 */
export function customResourceErrors(
  object: UnknownObject,
  old: UnknownObject | undefined,
  schema: Schema,
  subresource: string,
): FieldError[] {
  const { metadata: _, ...fields } = object;
  if (!old)
    return [...validateSchema(fields, schema), ...validateEmbedded(object, schema), ...listTypeErrors(object, schema)];
  const listErrors = listTypeUpdateErrors(object, old, schema);
  if (subresource !== 'status')
    return [...validateSchemaUpdate(fields, old, schema), ...validateEmbedded(object, schema), ...listErrors];
  const status = schema.properties?.status;
  if (!status || object.status === undefined) return listErrors;
  return [...validateSchemaUpdate(object.status, old.status, status.schema, 'status'), ...listErrors];
}
