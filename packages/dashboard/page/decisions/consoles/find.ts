/** A row of a terminal: its text, and whether it goes on from the row above. */
export interface Row {
  readonly text: string;
  readonly isWrapped: boolean;
}

export interface Match {
  readonly row: number;
  readonly column: number;
  readonly length: number;
}

/**
 * Where words are in the rows of a terminal, regardless of case. Rows are as wide as the terminal, so that words that were
 * broken by its edge are found, too.
 */
export function findInRows(rows: readonly Row[], query: string): Match[] {
  if (query === '') return [];
  const wanted = query.toLowerCase();
  const matches: Match[] = [];
  for (let first = 0; first < rows.length; ) {
    let end = first + 1;
    while (rows[end]?.isWrapped) end += 1;
    const parts = rows.slice(first, end).map(({ text }) => text);
    const line = parts.join('').toLowerCase();
    for (let at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + wanted.length))
      matches.push({ ...placeOf(parts, first, at), length: query.length });
    first = end;
  }
  return matches;
}

function placeOf(parts: readonly string[], first: number, at: number): { row: number; column: number } {
  let left = at;
  for (const [index, { length }] of parts.entries()) {
    if (left < length) return { row: first + index, column: left };
    left -= length;
  }
  return { row: first, column: 0 };
}

/** The next one from `current` on, round and round; `step` is 1 or -1. */
export const nextMatch = (current: number, count: number, step: number): number =>
  count === 0 ? -1 : current < 0 ? (step > 0 ? 0 : count - 1) : (current + step + count) % count;

/** The text of a terminal: lines that its edge broke are whole again, and nothing follows the last one. */
export function textOfRows(rows: readonly Row[]): string {
  const lines: string[] = [];
  for (const { text, isWrapped } of rows) {
    if (isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + text);
    else lines.push(text);
  }
  return `${lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()}\n`;
}
