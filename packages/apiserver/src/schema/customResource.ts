import type { FieldError, Schema, UnknownObject } from '@vireo/api';
import { validateEmbedded } from './embedded.ts';
import { listTypeErrors, listTypeUpdateErrors } from './listTypes.ts';
import { validateSchema, validateSchemaUpdate } from './validate.ts';

/**
 * What is wrong with a custom resource. `old`: what it is to replace. A write of the status is only asked about the
 * status, whose fields are then called by their paths below it, and about the elements of lists.
 */
export function customResourceErrors(
  object: UnknownObject,
  old: UnknownObject | undefined,
  schema: Schema,
  subresource: string,
): FieldError[] {
  if (!old)
    return [...validateSchema(object, schema), ...validateEmbedded(object, schema), ...listTypeErrors(object, schema)];
  const listErrors = listTypeUpdateErrors(object, old, schema);
  if (subresource !== 'status')
    return [...validateSchemaUpdate(object, old, schema), ...validateEmbedded(object, schema), ...listErrors];
  const status = schema.properties?.status;
  if (!status || object.status === undefined) return listErrors;
  return [...validateSchemaUpdate(object.status, old.status, status.schema, 'status'), ...listErrors];
}
