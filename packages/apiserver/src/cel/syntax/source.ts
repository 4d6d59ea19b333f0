/** What is wrong with an expression, in the form in which cel-go prints it: the line and a mark below the place. */

/** One thing that is wrong. `offset` counts UTF-16 units; undefined: nowhere in particular. */
export interface Issue {
  readonly offset: number | undefined;
  readonly message: string;
}

const MAX_ISSUES = 100;
const MAX_SNIPPET_BYTES = 16_384;
const WIDE_DOT = '\uff0e';
const WIDE_MARK = '\uff3e';

/** All issues, in the order of their places: `ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^`. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const sorted = [...issues.slice(0, MAX_ISSUES)].sort((a, b) => (a.offset ?? -1) - (b.offset ?? -1));
  const texts = sorted.map((issue) => formatIssue(source, issue));
  if (issues.length > MAX_ISSUES) texts.push(`${issues.length - MAX_ISSUES} more errors were truncated`);
  return texts.join('\n');
}

function formatIssue(source: string, { offset, message }: Issue): string {
  if (offset === undefined) return `ERROR: <input>:-1:0: ${message}`;
  if (source === '') return `ERROR: <input>:1:0: ${message}`;
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineNumber = before.split('\n').length;
  const column = [...before.slice(lineStart)].length;
  const lineEnd = source.indexOf('\n', lineStart);
  const line = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).replaceAll('\t', ' ');
  const head = `ERROR: <input>:${lineNumber}:${column + 1}: ${message}`;
  if (Buffer.byteLength(line) > MAX_SNIPPET_BYTES) return head;
  const characters = [...line];
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? WIDE_DOT : '.'));
  const mark = isWide(characters[column] ?? '') ? WIDE_MARK : '^';
  return `${head}\n | ${line}\n | ${dots.join('')}${mark}`;
}

const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) > 127;
