import type { Property, Schema } from '@vireo/api';

/** What stands under a field number: a property, or the fields of a struct that Go embeds. */
export type TableEntry =
  | { readonly type: 'property'; readonly key: string; readonly property: Property }
  | { readonly type: 'embedded'; readonly table: Table };

export type Table = Map<number, TableEntry>;

const tables = new WeakMap<object, Table>();

/** The fields of a struct by their numbers, made once. */
export function tableOf(schema: Schema): Table {
  const { properties = {} } = schema;
  let table = tables.get(properties);
  if (!table) {
    table = new Map();
    for (const [key, property] of Object.entries(properties)) {
      const path = typeof property.proto === 'number' ? [property.proto] : (property.proto ?? []);
      if (path.length > 0) place(table, path, { type: 'property', key, property });
    }
    tables.set(properties, table);
  }
  return table;
}

function place(table: Table, [number = 0, ...rest]: readonly number[], entry: TableEntry): void {
  if (rest.length === 0) {
    table.set(number, entry);
    return;
  }
  let embedded = table.get(number);
  if (embedded?.type !== 'embedded') {
    embedded = { type: 'embedded', table: new Map() };
    table.set(number, embedded);
  }
  place(embedded.table, rest, entry);
}
