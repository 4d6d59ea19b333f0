import type { Issue } from './source.ts';
import type { Token, TokenType } from './tokens.ts';

const WORD = /[A-Za-z_]\w*/y;
const QUOTED_NAME = /`[\w.\-/ ]+`/y;
const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const FLOAT = /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y;
const INTEGER = /(?:0x[0-9a-fA-F]+|\d+)[uU]?/y;
const STRING_START = /([bB]?)([rR]?)("""|'''|"|')/y;
const KEYWORDS = new Set<string>(['in', 'true', 'false', 'null']);
const PUNCTUATION = ['==', '!=', '<=', '>=', '&&', '||', ...'<>[]{}().,-!?:+*/%'] as readonly TokenType[];

/** Splits a source into tokens, the last of which is the end. What is no token is an issue, and is passed over. */
export function tokenize(source: string): { tokens: Token[]; issues: Issue[] } {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let offset = 0;
  const add = (type: TokenType, end: number) => {
    tokens.push({ type, text: source.slice(offset, end), offset });
    offset = end;
  };
  while (offset < source.length) {
    const space = endOf(SPACE, source, offset);
    if (space > offset) {
      offset = space;
      continue;
    }
    const string = scanString(source, offset);
    if (string && 'end' in string) {
      add(string.isBytes ? 'BYTES' : 'STRING', string.end);
      continue;
    }
    const word = endOf(WORD, source, offset);
    if (word > offset) {
      const text = source.slice(offset, word);
      add(KEYWORDS.has(text) ? (text as TokenType) : 'IDENTIFIER', word);
      continue;
    }
    const number = scanNumber(source, offset);
    if (number) {
      add(number.type, number.end);
      continue;
    }
    const name = endOf(QUOTED_NAME, source, offset);
    if (name > offset) {
      add('ESC_IDENTIFIER', name);
      continue;
    }
    const mark = PUNCTUATION.find((text) => source.startsWith(text, offset));
    if (mark) {
      add(mark, offset + mark.length);
      continue;
    }
    const end = string?.failedAt ?? failureOf(source, offset);
    const stop = end + (String.fromCodePoint(source.codePointAt(end) ?? 0).length || 1);
    issues.push({ offset, message: `Syntax error: token recognition error at: '${source.slice(offset, stop)}'` });
    offset = stop;
  }
  tokens.push({ type: '<EOF>', text: '<EOF>', offset: source.length });
  return { tokens, issues };
}

function endOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

/** The longer reading wins: `1e5` is one number, `1.e` are three tokens. */
function scanNumber(source: string, at: number): { type: TokenType; end: number } | undefined {
  const float = endOf(FLOAT, source, at);
  const integer = endOf(INTEGER, source, at);
  if (float > integer) return { type: 'NUM_FLOAT', end: float };
  if (integer === at) return undefined;
  return { type: /[uU]$/.test(source.slice(at, integer)) ? 'NUM_UINT' : 'NUM_INT', end: integer };
}

/** How far a mark that is none (`&`, a lone backtick) can be read before it is clear that it is none. */
function failureOf(source: string, at: number): number {
  const character = source[at] as string;
  if ('&|='.includes(character)) return at + 1;
  if (character !== '`') return at;
  const name = /`[\w.\-/ ]*/y;
  return endOf(name, source, at);
}

type Scanned = { readonly end: number; readonly isBytes: boolean } | { readonly failedAt: number } | undefined;

/** A string or bytes literal; where it is not closed or has a bad escape, how far it went. */
function scanString(source: string, at: number): Scanned {
  STRING_START.lastIndex = at;
  const start = STRING_START.exec(source);
  if (!start) return undefined;
  const [head, bytes, raw, quote] = start as unknown as [string, string, string, string];
  const isBytes = bytes !== '';
  const body = at + head.length;
  const scanned = scanBody(source, body, quote, raw !== '');
  if (scanned >= 0) return { end: scanned, isBytes };
  // Three quotes that are never closed are an empty string and one more quote.
  if (quote.length === 3) return { end: body - 1, isBytes };
  return { failedAt: -scanned - 1 };
}

/** The end, or the place where it fails as -place - 1. */
function scanBody(source: string, from: number, quote: string, raw: boolean): number {
  const mayBreak = quote.length === 3;
  for (let i = from; i < source.length; ) {
    if (source.startsWith(quote, i)) return i + quote.length;
    const character = source[i] as string;
    if (!mayBreak && (character === '\n' || character === '\r')) return -i - 1;
    if (character === '\\' && !raw) {
      const next = scanEscape(source, i + 1);
      if (next < 0) return next;
      i = next;
    } else i++;
  }
  return -source.length - 1;
}

/** The end of an escape whose backslash has been read, or the place where it fails as -place - 1. */
function scanEscape(source: string, at: number): number {
  const character = source[at] ?? '';
  if (/[abfnrtv"'\\?`]/.test(character)) return at + 1;
  const digits = { x: 2, X: 2, u: 4, U: 8 }[character];
  const [isDigit, count] = digits ? [/[0-9a-fA-F]/, digits + 1] : [/[0-7]/, /[0-3]/.test(character) ? 3 : 0];
  if (count === 0) return -at - 1;
  for (let i = at + 1; i < at + count; i++) {
    if (!isDigit.test(source[i] ?? '')) return -i - 1;
  }
  return at + count;
}
