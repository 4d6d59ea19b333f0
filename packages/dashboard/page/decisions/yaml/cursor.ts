import type { Path } from './values.ts';

/** What stands at a place of a text, as far as its lines tell: the text around it may be half written. */
export interface Cursor {
  /** The mapping that the line belongs to. */
  readonly parent: Path;
  /** The key of the line, if it has one. */
  readonly key: string | undefined;
  /** Whether the place is behind the colon. */
  readonly isInValue: boolean;
  /** Where the word at the place begins. */
  readonly from: number;
  /** Columns before the key; what is nested is indented further. */
  readonly indent: number;
}

interface Line {
  readonly indent: number;
  /** Columns of the dashes before the key, outermost first. */
  readonly dashes: readonly number[];
  readonly key: string | undefined;
  readonly colon: number;
}

/** The path at an offset, by indentation alone, so that it is known while the text is no YAML yet. */
export function cursorAt(text: string, offset: number): Cursor | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const raw = text.slice(start, end === -1 ? text.length : end);
  if (/^\s*#/.test(raw)) return undefined;
  const line = readLine(raw);
  const column = offset - start;
  const isInValue = line.colon !== -1 && column > line.colon;
  const before = raw.slice(0, column);
  const word = isInValue ? (/[^\s:[{,"']*$/.exec(before)?.[0] ?? '') : (/[^\s-][^\s]*$|$/.exec(before)?.[0] ?? '');
  return {
    parent: parentOf(text.slice(0, start), line),
    key: line.key,
    isInValue,
    from: offset - word.length,
    indent: line.indent,
  };
}

function readLine(raw: string): Line {
  const dashes: number[] = [];
  let indent = raw.length - raw.trimStart().length;
  for (let rest = raw.slice(indent); /^-(\s|$)/.test(rest); rest = raw.slice(indent)) {
    dashes.push(indent);
    indent += 1 + (/^-(\s*)/.exec(rest)?.[1]?.length ?? 0);
  }
  const key = /^("[^"]*"|'[^']*'|[^\s:#"'[{&*!|>][^:]*?)\s*:(?=\s|$)/.exec(raw.slice(indent));
  return {
    indent,
    dashes,
    key: key?.[1]?.replace(/^["']|["']$/g, ''),
    colon: key ? indent + (key[0].length - 1) : -1,
  };
}

/** Goes up the lines: each that is indented less is around the one below. */
function parentOf(above: string, line: Line): Path {
  const path: (string | number)[] = [];
  const lines = above.split('\n');
  const from = lines.lastIndexOf('---') + 1;
  let { indent } = line;
  let dashes = [...line.dashes];
  let counted = 0;
  for (let index = lines.length - 1; index >= from; index--) {
    const raw = lines[index] ?? '';
    if (raw.trim() === '' || /^\s*#/.test(raw)) continue;
    const other = readLine(raw);
    const own = dashes.at(-1);
    if (own !== undefined) {
      // Items before this one count; what the list belongs to stands further left, or at the dash.
      if (other.dashes.includes(own)) counted += 1;
      else if (other.key !== undefined && other.indent <= own && other.dashes.length === 0) {
        path.unshift(other.key, counted);
        ({ indent } = other);
        dashes = [];
        counted = 0;
      } else if (other.key !== undefined && other.indent <= own) {
        path.unshift(other.key, counted);
        ({ indent } = other);
        dashes = [...other.dashes];
        counted = 0;
      }
      continue;
    }
    if (other.indent < indent && other.key !== undefined) {
      path.unshift(other.key);
      ({ indent } = other);
      dashes = [...other.dashes];
      counted = 0;
    } else if (other.indent === indent && other.dashes.length > 0) {
      // A further field of an item whose first line has the dash.
      dashes = [...other.dashes];
      counted = 0;
    }
  }
  return path;
}
