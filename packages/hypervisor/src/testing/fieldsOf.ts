import type { Schema } from '@vireo/api';

/** The paths of all fields of a type whose name begins with `prefix`; fields of other types count as one. */
export function fieldsOf(schema: Schema, prefix: string, path = ''): string[] {
  if (!schema.name?.startsWith(prefix) || !schema.properties) return [path];
  return Object.entries(schema.properties).flatMap(([name, { schema: inner }]) =>
    fieldsOf(inner, prefix, path ? `${path}.${name}` : name),
  );
}
