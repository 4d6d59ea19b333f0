/** The values of literals. What they mean is cel-go's choice; texts of errors are its own. */

/** Thrown for a literal that has no value; the parser turns it into an issue. */
export class BadLiteral extends Error {}

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '`': 96,
  '?': 63,
};

/** The text of a string literal with its quotes and prefix. */
export function stringValue(literal: string): string {
  const { body, raw } = unquote(literal);
  if (raw || !body.includes('\\')) return body;
  return mapEscapes(body, (code) => {
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new BadLiteral('invalid unicode code point');
    return String.fromCodePoint(code);
  }).join('');
}

/** The bytes of a bytes literal. Escapes stand for single bytes, everything else for its UTF-8. */
export function bytesValue(literal: string): Uint8Array {
  const { body, raw } = unquote(literal.slice(1));
  if (raw || !body.includes('\\')) return Buffer.from(body);
  return Buffer.concat(
    mapEscapes(body, (code, kind) => {
      if (kind === 'u' || kind === 'U') throw new BadLiteral('unable to unescape string');
      return Buffer.from([code]);
    }).map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
}

function unquote(literal: string): { body: string; raw: boolean } {
  const text = literal.replaceAll(/\r\n?/g, '\n');
  const raw = /^[rR]/.test(text);
  const quoted = raw ? text.slice(1) : text;
  const width = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  return { body: quoted.slice(width, -width), raw };
}

/** The parts between escapes as they are, and escapes as `convert` makes them. The lexer has checked their form. */
function mapEscapes<T>(body: string, convert: (code: number, kind: string) => T): (string | T)[] {
  const parts: (string | T)[] = [];
  const ESCAPE = /\\(?:([xX])([0-9a-fA-F]{2})|(u)([0-9a-fA-F]{4})|(U)([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gs;
  let end = 0;
  for (const match of body.matchAll(ESCAPE)) {
    parts.push(body.slice(end, match.index));
    const [, x, hex2, u, hex4, U, hex8, octal, simple] = match;
    const hex = hex2 ?? hex4 ?? hex8;
    if (hex !== undefined) parts.push(convert(Number.parseInt(hex, 16), x ?? u ?? U ?? ''));
    else if (octal !== undefined) parts.push(convert(Number.parseInt(octal, 8), 'octal'));
    else parts.push(String.fromCharCode(SIMPLE[simple as string] ?? 0));
    end = match.index + match[0].length;
  }
  parts.push(body.slice(end));
  return parts;
}

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;

/** An int literal with its sign. */
export function intValue(text: string): bigint {
  const negative = text.startsWith('-');
  const value = BigInt(negative ? text.slice(1) : text) * (negative ? -1n : 1n);
  if (value < MIN_INT || value > MAX_INT) throw new BadLiteral('invalid int literal');
  return value;
}

/** A uint literal with its `u`. */
export function uintValue(text: string): bigint {
  const value = BigInt(text.slice(0, -1));
  if (value >= 2n ** 64n) throw new BadLiteral('invalid uint literal');
  return value;
}

/** A double literal with its sign. */
export function doubleValue(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new BadLiteral('invalid double literal');
  return value;
}
