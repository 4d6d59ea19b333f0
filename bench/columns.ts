/** Lines of a table whose columns line up; those named in `numbers` are aligned to the right. */
export function columns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[],
): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (numbers.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}
