import type { Cell, Kind } from '../kind.ts';

const now = new Date('2030-01-02T00:00:00Z');
export const creationTimestamp = '2030-01-01T00:00:00Z';

/** Names and cells of an object that was made a day ago. */
export const row = (kind: Kind, fields: object, wide = false): [string, Cell][] => {
  const { metadata, ...rest } = fields as { metadata?: object };
  const object = { apiVersion: '', kind: kind.kind, metadata: { name: 'x', creationTimestamp, ...metadata }, ...rest };
  return kind.columns
    .filter(({ priority = 0 }) => wide || priority === 0)
    .map((column) => [column.name, column.value?.(object, now)]);
};
