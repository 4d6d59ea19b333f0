/** cel-go's library of strings in version 2. Positions count characters, not UTF-16 units. */
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { work } from '../meter.ts';
import { DYN, INT, listType, STRING } from '../types.ts';
import { Values } from '../values/collections.ts';
import { CelError, type CelList, type Result, typeName } from '../values/values.ts';
import { formatText } from './formatText.ts';

/** Longer texts no expression needs; the limit keeps a single call from using up the memory. */
const MAX_TEXT = 20_000_000;

/** A list of characters takes ten times as long to make as their text takes to read. */
function charactersOf(text: string): string[] {
  work(text.length);
  return [...text];
}

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): Result {
  const characters = charactersOf(text);
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset = 0n): Result {
  if (offset < 0n) return outOfRange(offset);
  const characters = charactersOf(text);
  const from = offset > BigInt(characters.length) ? characters.length : Number(offset);
  if (part === '') return BigInt(from);
  const found = text.indexOf(part, unitsOf(characters, from));
  return found === -1 ? -1n : BigInt(charactersOf(text.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, offset?: bigint): Result {
  const characters = charactersOf(text);
  if (offset !== undefined && offset < 0n) return outOfRange(offset);
  const size = BigInt(characters.length);
  if (part === '') return offset === undefined || offset > size ? size : offset;
  if (offset !== undefined && offset >= size) return -1n;
  const from = offset === undefined ? text.length : unitsOf(characters, Number(offset));
  const found = text.lastIndexOf(part, from);
  return found === -1 ? -1n : BigInt(charactersOf(text.slice(0, found)).length);
}

/** How many UTF-16 units the first characters take. */
const unitsOf = (characters: readonly string[], count: number): number => characters.slice(0, count).join('').length;

function substring(text: string, start: bigint, end?: bigint): Result {
  const characters = charactersOf(text);
  const size = BigInt(characters.length);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return outOfRange(start);
  if (end !== undefined && (end < 0n || end > size)) return outOfRange(end);
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('');
}

function replace(text: string, old: string, by: string, limit = -1n): Result {
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  if (most === 0) return text;
  const parts = splitText(text, old, most);
  const size = text.length + by.length * parts.length;
  work(size >> 4);
  if (size > MAX_TEXT) return new CelError('replace: the result is too long');
  if (old !== '') return parts.join(by);
  // Go puts the replacement before every character, and behind the last, where there is nothing to replace.
  const characters = charactersOf(text);
  const before = characters.slice(0, most).map((character) => `${by}${character}`);
  return `${before.join('')}${most > characters.length ? by : characters.slice(most).join('')}`;
}

/** The parts between the first `most` separators. */
function splitText(text: string, separator: string, most: number): string[] {
  const parts = separator === '' ? charactersOf(text) : text.split(separator);
  work(4 * parts.length);
  if (parts.length <= most) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(separator)];
}

function split(text: string, separator: string, limit = -1n): Result {
  if (limit === 0n) return new Values([]);
  if (text === '' && separator === '') return new Values([]);
  return new Values(splitText(text, separator, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit) - 1));
}

function join(list: CelList, separator = ''): Result {
  const parts: string[] = [];
  let size = separator.length * Math.max(list.size - 1, 0);
  for (let i = 0; i < list.size; i++) {
    const part = list.get(i);
    if (part instanceof CelError) return part;
    if (typeof part !== 'string') return new CelError(`join: invalid input: ${typeName(part)}`);
    parts.push(part);
    size += part.length;
  }
  work(list.size + (size >> 4));
  return size > MAX_TEXT ? new CelError('join: the result is too long') : parts.join(separator);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** A text in quotes, with escapes that only the library knows. */
function quote(text: string): Result {
  return `"${text.toWellFormed().replaceAll(/[\x07\b\f\n\r\t\v\\"]/g, (character) => ESCAPES[character] as string)}"`;
}

const lowerAscii = (text: string): Result => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upperAscii = (text: string): Result => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING = new RegExp(`^${SPACE}+`);

function trim(text: string): Result {
  const rest = text.replace(LEADING, '');
  // A pattern for the end would be tried at every space.
  let end = rest.length;
  while (end > 0 && LEADING.test(rest[end - 1] as string)) end--;
  return rest.slice(0, end);
}

/** `charAt`, `split`, `format` and the like. */
export const strings: Library = {
  functions: [
    declare('charAt', memberOverload('string_char_at_int', [STRING, INT], STRING, charAt)),
    declare(
      'indexOf',
      memberOverload('string_index_of_string', [STRING, STRING], INT, indexOf),
      memberOverload('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
    ),
    declare(
      'lastIndexOf',
      memberOverload('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf),
      memberOverload('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
    ),
    declare('lowerAscii', memberOverload('string_lower_ascii', [STRING], STRING, lowerAscii)),
    declare('upperAscii', memberOverload('string_upper_ascii', [STRING], STRING, upperAscii)),
    declare(
      'replace',
      memberOverload('string_replace_string_string', [STRING, STRING, STRING], STRING, replace),
      memberOverload('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
    ),
    declare(
      'split',
      memberOverload('string_split_string', [STRING, STRING], listType(STRING), split),
      memberOverload('string_split_string_int', [STRING, STRING, INT], listType(STRING), split),
    ),
    declare(
      'substring',
      memberOverload('string_substring_int', [STRING, INT], STRING, substring),
      memberOverload('string_substring_int_int', [STRING, INT, INT], STRING, substring),
    ),
    declare('trim', memberOverload('string_trim', [STRING], STRING, trim)),
    declare('format', memberOverload('string_format', [STRING, listType(DYN)], STRING, formatText)),
    declare('strings.quote', overload('strings_quote', [STRING], STRING, quote)),
    declare(
      'join',
      memberOverload('list_join', [listType(STRING)], STRING, join),
      memberOverload('list_join_string', [listType(STRING), STRING], STRING, join),
    ),
  ],
};
