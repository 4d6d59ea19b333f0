import type { CustomResourceDefinition } from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { schemasInside } from './conversionError.ts';
import { listKeyErrors, setItemErrors } from './listTypes.ts';

/** What an update is not refused for, because the definition was like that before somebody thought of forbidding it. */
export interface Tolerance {
  /** Types that there are not. */
  readonly types?: boolean;
  /** Sets of things that are not told apart as wholes. */
  readonly setItems?: boolean;
  /** Keys of lists that may be missing or null. */
  readonly listKeys?: boolean;
}

/** What the schemas of a stored definition already do. */
export function toleranceOf(old: CustomResourceDefinition | undefined): Tolerance {
  const schemas = (old?.spec?.versions ?? []).flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  const any = (does: (schema: JSONSchemaProps) => boolean) => schemas.some((schema) => anySchema(schema, does));
  return {
    types: any(({ type }) => Boolean(type) && !OPENAPI_TYPES.includes(type as string)),
    setItems: any((schema) => setItemErrors(schema, '').length > 0),
    listKeys: any((schema) => listKeyErrors(schema, '').length > 0),
  };
}

/** The types of OpenAPI, in the order in which they are named. */
export const OPENAPI_TYPES: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Whether a schema or one inside it is like that. */
export function anySchema(schema: JSONSchemaProps, isLike: (schema: JSONSchemaProps) => boolean): boolean {
  if (isLike(schema)) return true;
  for (const inner of schemasInside(schema)) if (anySchema(inner, isLike)) return true;
  return false;
}
