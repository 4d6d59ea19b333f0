import { ApiError, badRequest, tooLarge } from '@vireo/api';
import { exceedsDepth } from '@vireo/api/json.ts';
import { LineCounter, parseDocument } from 'yaml';
import type { DecodedBody } from './body.ts';
import { repeatedKeysOf, yamlErrors } from './repeatedKeys.ts';
import { yaml11Scalars } from './yamlScalars.ts';

/** The parser is slow on purpose-built input and runs on the one thread there is. */
const MAX_BYTES = 512 * 1024;
const MAX_ALIASES = 50;
/** Signs that begin or separate values: a dense text costs the parser far more than its length tells. */
const MAX_SIGNS = 50_000;
/** Deep flow collections would overflow the parser's stack. */
const MAX_OPEN_BRACKETS = 1000;

/** Reads one YAML document as JSON. */
export function parseYaml(text: string): DecodedBody {
  if (text.length > MAX_BYTES) throw tooLarge(MAX_BYTES);
  const bad = (why: string) => badRequest(`error converting YAML to JSON: yaml: ${why}`);
  if ((text.match(/[[{,:\n]/g)?.length ?? 0) > MAX_SIGNS) throw bad(`more than ${MAX_SIGNS} values; send JSON instead`);
  if (opensTooDeep(text)) throw bad('exceeded max depth');
  try {
    const lines = new LineCounter();
    // The parser's own check for unique keys takes time in the square of their number.
    const document = parseDocument(text, {
      merge: true,
      uniqueKeys: false,
      lineCounter: lines,
      logLevel: 'error',
      customTags: (tags) => [...yaml11Scalars, ...tags],
    });
    // Of several documents the first counts.
    const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
    if (error) throw bad(firstLine(error.message));
    return {
      value: toJson(document.toJS({ maxAliasCount: MAX_ALIASES })),
      strictErrors: yamlErrors(repeatedKeysOf(document.contents, text, lines)),
      order: 'keys',
    };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw bad(firstLine((error as Error).message));
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!.replace(/:$/, '');

/** YAML knows values that JSON does not (`.inf`, dates, sets); what cannot be written as JSON is refused. */
function toJson(value: unknown): unknown {
  if (exceedsDepth(value)) throw new Error('exceeded max depth');
  return JSON.parse(
    JSON.stringify(value, (_, item) => {
      if (typeof item === 'number' && !Number.isFinite(item))
        throw badRequest(`error converting YAML to JSON: json: unsupported value: ${goNumber(item)}`);
      return item;
    }) ?? 'null',
  );
}

const goNumber = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

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
