import { badRequest, tooLarge } from '@vireo/api';
import { exceedsDepth } from '@vireo/api/json.ts';
import { parseDocument } from 'yaml';
import type { DecodedBody } from './body.ts';

/** The parser is slow on purpose-built input and runs on the one thread there is. */
const MAX_BYTES = 1024 * 1024;
const MAX_ALIASES = 50;
/** Deep flow collections would overflow the parser's stack. */
const MAX_OPEN_BRACKETS = 1000;

/** Reads one YAML document as JSON. */
export function parseYaml(text: string): DecodedBody {
  if (text.length > MAX_BYTES) throw tooLarge(MAX_BYTES);
  const bad = (why: string) => badRequest(`error converting YAML to JSON: yaml: ${why}`);
  if ((text.match(/[[{]/g)?.length ?? 0) > MAX_OPEN_BRACKETS && opensTooDeep(text)) throw bad('exceeded max depth');
  try {
    const document = parseDocument(text, { merge: true, prettyErrors: true, logLevel: 'error' });
    const errors = document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
    if (errors[0]) throw bad(firstLine(errors[0].message));
    const value = toJson(document.toJS({ maxAliasCount: MAX_ALIASES }));
    const duplicates = document.errors.map(({ message }) => `yaml: ${firstLine(message)}`);
    return { value, strictErrors: duplicates };
  } catch (error) {
    if (error instanceof Error && error.name === 'ApiError') throw error;
    throw bad(firstLine((error as Error).message));
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!.replace(/:$/, '');

/** YAML knows values that JSON does not (`.inf`, dates, sets); what cannot be written as JSON is refused. */
function toJson(value: unknown): unknown {
  if (exceedsDepth(value)) throw new Error('exceeded max depth');
  return JSON.parse(
    JSON.stringify(value, (_, item) => {
      if (typeof item === 'number' && !Number.isFinite(item)) throw new Error(`${item} is not a JSON number`);
      return item;
    }) ?? 'null',
  );
}

/** Counts brackets without regard to quotes: a text that quotes a thousand unclosed ones is refused, too. */
function opensTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > MAX_OPEN_BRACKETS) return true;
  }
  return false;
}
