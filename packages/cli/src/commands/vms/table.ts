/** Rows as a table, each column as wide as `widths` say. */
export const tableRow = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('   ')
    .trimEnd();

export const columnWidths = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));

/** Rows below each other, the columns as wide as what is in them. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = columnWidths(rows);
  return rows.map((row) => tableRow(row, widths)).join('\n');
}
