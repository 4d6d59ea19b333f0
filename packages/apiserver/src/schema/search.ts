import type { Schema } from '@vireo/api';

/** A test for schemas that have, somewhere in them, what `isWanted`; each is looked through once. */
export function schemaSearch(isWanted: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>();
  const has = (schema: Schema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, false); // A schema may contain itself.
    const properties = Object.values(schema.properties ?? {}).map((property) => property.schema);
    const below = [...properties, schema.items, schema.values].filter((child) => child !== undefined);
    const answer = isWanted(schema) || below.some(has);
    known.set(schema, answer);
    return answer;
  };
  return has;
}
