import type { Cell, Column, Kind, UnknownObject } from '@vireo/api';
import { compileJsonPath, type JsonPath } from '@vireo/api/jsonPath.ts';
import { age } from '@vireo/api/kinds/columns.ts';

const NAME = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique within its namespace and kind.',
  priority: 0,
};

const AGE: Column = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

const columnsOf = (kind: Kind): readonly Column[] => (kind.columns.length > 0 ? kind.columns : [AGE]);

/** A kind may show its name in its own way, in a column of that name. */
const hasName = (kind: Kind): boolean => kind.columns.some(({ name }) => name === 'Name');

export const tableColumns = (kind: Kind): unknown[] => [
  ...(hasName(kind) ? [] : [NAME]),
  ...columnsOf(kind).map(({ name, type, format = '', description = '', priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  })),
];

export const tableCells = (kind: Kind, object: UnknownObject, now: Date): Cell[] => [
  ...(hasName(kind) ? [] : [object.metadata.name]),
  ...columnsOf(kind).map((column) => cell(column, object, now)),
];

function cell(column: Column, object: UnknownObject, now: Date): Cell {
  if (column.value) return column.value(object, now) ?? null;
  const value = column.jsonPath === undefined ? undefined : pathOf(column.jsonPath)(object)[0];
  if (value === undefined || value === null) return column.type === 'date' ? '<unknown>' : null;
  switch (column.type) {
    case 'date':
      return typeof value === 'string' ? age(value, now) : '<invalid>';
    case 'integer':
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

const paths = new Map<string, JsonPath>();

/** Compiled once a path; definitions come and go, but their columns are few. */
function pathOf(text: string): JsonPath {
  const path = paths.get(text) ?? compileJsonPath(text);
  paths.set(text, path);
  return path;
}
