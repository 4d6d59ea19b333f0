import type { Schema } from '@vireo/api';
import { own } from '@vireo/api/json.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * The path of a field below a schema, such as `.spec.ports['http']`, as errors show it: `spec.ports[http]`. Undefined
 * where there is no such field. Only fields and keys of maps can be named, not elements of lists.
 */
export function fieldPathBelow(schema: Schema, path: string): string | undefined {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/gs) ?? [];
  let at: Schema | undefined = schema;
  let result = '';
  for (let i = 0; i < tokens.length; ) {
    const isKey = tokens[i] === '[';
    const name = isKey ? unquoted(tokens[i + 1], tokens[i + 2]) : tokens[i] === '.' ? tokens[i + 1] : undefined;
    if (name === undefined || !at) return undefined;
    const { properties, values } = at as Schema;
    if (properties) {
      at = own(properties, name)?.schema;
      result += `${result === '' ? '' : '.'}${name}`;
    } else {
      at = values;
      result += `[${name}]`;
    }
    if (!at) return undefined;
    i += isKey ? 3 : 2;
  }
  return result === '' ? undefined : result;
}

/** The text of `'key'`, which must be followed by a bracket. */
function unquoted(literal: string | undefined, after: string | undefined): string | undefined {
  if (literal === undefined || after !== ']' || literal.length < 2 || !/^'.*'$/s.test(literal)) return undefined;
  let isGood = true;
  const text = literal.slice(1, -1).replaceAll(/\\(.)/gs, (_, letter: string) => {
    if (!Object.hasOwn(ESCAPES, letter)) isGood = false;
    return ESCAPES[letter] ?? '';
  });
  return isGood ? text : undefined;
}
