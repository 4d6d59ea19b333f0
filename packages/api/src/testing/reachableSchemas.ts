import type { Schema } from '../schema.ts';

/** Every schema that the kinds reach, by the path at which it is first met. */
export function reachableSchemas(kinds: readonly { kind: string; schema: Schema }[]): Map<Schema, string> {
  const found = new Map<Schema, string>();
  const walk = (schema: Schema | undefined, path: string): void => {
    if (!schema || found.has(schema)) return;
    found.set(schema, path);
    for (const [name, property] of Object.entries(schema.properties ?? {})) walk(property.schema, `${path}.${name}`);
    walk(schema.items, `${path}[]`);
    walk(schema.values, `${path}{}`);
  };
  for (const kind of kinds) walk(kind.schema, kind.kind);
  return found;
}
