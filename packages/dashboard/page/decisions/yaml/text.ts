import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  stringify,
} from 'yaml';
import { isEqual, isMapping, type Path } from './values.ts';

/** Where in a text something stands. `line` counts from 1. */
export interface Place {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** A text that is no YAML, with what is wrong where. */
export interface Broken extends Place {
  readonly message: string;
}

export type Reading =
  | { readonly documents: readonly unknown[]; readonly broken?: undefined }
  | { readonly documents?: undefined; readonly broken: Broken };

/** An alias of an alias of an alias grows without end; nobody needs more in a manifest. */
const MOST_ALIASES = 100;

/** Block style, no folded lines: one value, one line. */
export const toYaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

/** Several objects in one text. */
export const toYamlDocuments = (values: readonly unknown[]): string => values.map(toYaml).join('---\n');

function parseText(text: string): { documents: Document.Parsed[]; lines: LineCounter } {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  return { documents: Array.isArray(parsed) ? parsed : [], lines };
}

/** Reads a text with one or more documents; empty ones are left out. */
export function readYaml(text: string): Reading {
  const { documents, lines } = parseText(text);
  try {
    for (const { errors } of documents) {
      const [error] = errors;
      if (error) return { broken: brokenAt(text, error.pos[0], lines, error.message) };
    }
    const values = documents.map((each) => each.toJS({ maxAliasCount: MOST_ALIASES }) as unknown);
    return { documents: values.filter((value) => value !== null && value !== undefined) };
  } catch (error) {
    return { broken: brokenAt(text, 0, lines, error instanceof Error ? error.message : String(error)) };
  }
}

function brokenAt(text: string, offset: number, lines: LineCounter, message: string): Broken {
  const from = Math.min(offset, text.length);
  const end = text.indexOf('\n', from);
  const { line } = lines.linePos(from);
  return { from, to: end === -1 ? text.length : end, line: Math.max(line, 1), message };
}

/** Where a field stands in the text: its key, or that of the nearest field around it that is there. */
export function placeOf(text: string, path: Path, document = 0): Place {
  const { documents, lines } = parseText(text);
  const root = documents[document];
  let node: unknown = root?.contents;
  let best: Node | undefined = isNode(node) ? node : undefined;
  for (const step of path) {
    const next = childOf(node, step);
    if (!next) break;
    best = next.shown;
    node = next.inner;
  }
  const [from = 0, to = from] = best?.range ?? [];
  // A collection is marked where it begins: underlining all of it says nothing.
  const lineEnd = text.indexOf('\n', from);
  const end = Math.min(isScalar(best) ? to : Number.POSITIVE_INFINITY, lineEnd === -1 ? text.length : lineEnd);
  return { from, to: Math.max(from, end), line: lines.linePos(from).line };
}

function childOf(node: unknown, step: string | number): { shown: Node; inner: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return isNode(item) ? { shown: item, inner: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((each) => keyText(each) === String(step));
  return pair && isNode(pair.key) ? { shown: pair.key, inner: pair.value } : undefined;
}

const keyText = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key);

/**
 * The text with other values in it. Only what differs is written anew, so that comments, order and style of the rest stay
 * as somebody wrote them. Documents that are missing at the end are added; those that are too many go.
 */
export function updateYaml(text: string, values: readonly unknown[]): string {
  const { documents } = parseText(text);
  const kept = documents.filter(({ contents }) => contents !== null);
  return values
    .map((value, index) => {
      const document = kept[index];
      if (!document || document.errors.length > 0 || !isMap(document.contents) || !isMapping(value))
        return toYaml(value);
      if (isEqual(document.toJS({ maxAliasCount: MOST_ALIASES }), value)) return asText(document);
      reconcile(document, document.contents, value);
      return asText(document);
    })
    .join('---\n');
}

function asText(document: Document.Parsed): string {
  document.directives.docStart = null;
  return document.toString({ lineWidth: 0 });
}

/** Makes a node of the document have this value, inside it where that is possible. */
function reconcile(document: Document, node: unknown, value: unknown): Node | undefined {
  if (isMap(node) && isMapping(value)) {
    node.items = node.items.filter((pair) => isPair(pair) && keyText(pair) in value);
    for (const [key, inner] of Object.entries(value)) {
      const pair = node.items.find((each) => keyText(each) === key);
      if (!pair) node.set(document.createNode(key), document.createNode(inner));
      else {
        const replaced = reconcile(document, pair.value, inner);
        if (replaced) pair.value = replaced;
      }
    }
    // `{}` is written in one line, and would stay so.
    node.flow = node.flow && node.items.length === 0;
    return undefined;
  }
  if (isSeq(node) && Array.isArray(value)) {
    node.items = value.map((inner, index) => {
      const before = node.items[index];
      return (before !== undefined && reconcile(document, before, inner)) || (before ?? document.createNode(inner));
    });
    node.flow = node.flow && node.items.length === 0;
    return undefined;
  }
  if (isScalar(node) && isEqual(node.value, value)) return undefined;
  if (isScalar(node) && !isMapping(value) && !Array.isArray(value)) {
    node.value = value;
    delete node.source;
    delete node.type;
    return undefined;
  }
  return document.createNode(value) as Node;
}
