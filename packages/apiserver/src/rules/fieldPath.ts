import type { Schema } from '@vireo/api';
import { own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';

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
  const found = resolve(schema, path, true, ({ properties, values }, name) =>
    properties ? { isNamed: true, node: own(properties, name)?.schema } : { isNamed: false, node: values },
  );
  return typeof found === 'string' ? undefined : found.path;
}

/** A field of a schema: where it is, and its own schema. */
export interface JsonField {
  readonly path: string;
  readonly node: JSONSchemaProps;
}

/** The same in a schema as it was written; a text says what is wrong with the path. */
export function jsonFieldPath(schema: JSONSchemaProps, path: string, allowsKeys = true): JsonField | string {
  return resolve(schema, path, allowsKeys, ({ properties = {}, additionalProperties }, name) => {
    if (Object.keys(properties).length > 0) return { isNamed: true, node: own(properties, name) };
    const isAnything = typeof additionalProperties === 'boolean';
    return { isNamed: false, node: isAnything ? {} : (additionalProperties ?? undefined) };
  });
}

type Child<N> = (node: N, name: string) => { isNamed: boolean; node: N | undefined };

const NO_FIELD = 'does not refer to a valid field';

function resolve<N>(root: N, path: string, allowsKeys: boolean, childOf: Child<N>): { path: string; node: N } | string {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/gs) ?? [];
  let node = root;
  let result = '';
  for (let i = 0; i < tokens.length; ) {
    const isKey = tokens[i] === '[';
    if (!isKey && tokens[i] !== '.') return `expected [ or . but got: ${tokens[i]}`;
    if (isKey && !allowsKeys) return 'array notation is not allowed';
    const literal = tokens[i + 1];
    if (literal === undefined) return 'unexpected end of JSON path';
    const name = isKey ? unquoted(literal, tokens[i + 2]) : literal;
    if (name === undefined) return `expected single quoted string but got ${literal}`;
    const child = childOf(node, name);
    if (child.node === undefined) return NO_FIELD;
    node = child.node;
    result += child.isNamed ? `${result === '' ? '' : '.'}${name}` : `[${name}]`;
    i += isKey ? 3 : 2;
  }
  return result === '' ? NO_FIELD : { path: result, node };
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
