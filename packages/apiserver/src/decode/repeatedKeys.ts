/**
 * Keys given twice in YAML, one text each, as the YAML library of Kubernetes finds them: what lies below a key comes
 * before the key itself, every repetition counts, and the line is that of the value.
 */
import { closingQuote } from '@vireo/api/json.ts';
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type YAMLMap } from 'yaml';
import { goQuoted } from '../schema/goNames.ts';

/** What begins the error that lists them. */
export const YAML_ERRORS = 'yaml: unmarshal errors:';

/** Past this many, more help nobody. */
const MAX_ERRORS = 1000;

/** One error for all of them, a line each; none where there are none. */
export const yamlErrors = (repeated: readonly string[]): string[] =>
  repeated.length > 0 ? [`${YAML_ERRORS}${repeated.map((text) => `\n  ${text}`).join('')}`] : [];

const alreadySet = (line: number, key: unknown): string =>
  `line ${line}: key ${typeof key === 'string' ? goQuoted(key) : key} already set in map`;

/** In a document that has been read before, so that its aliases are known to be harmless. */
export function repeatedKeysOf(contents: unknown, text: string, lines: LineCounter): string[] {
  const found: string[] = [];
  const anchors = new Map<string, unknown>();
  /** What an alias stands for; every other node stands for itself. */
  const resolve = (node: unknown): unknown => {
    if (isAlias(node)) return anchors.get(node.source);
    const { anchor } = (node ?? {}) as { anchor?: string };
    if (anchor) anchors.set(anchor, node);
    return node;
  };
  const walk = (node: unknown): void => {
    const target = resolve(node);
    if (isSeq(target)) target.items.forEach(walk);
    else if (isMap(target)) fill(target, new Set());
  };
  /** Go puts merged members into the same map as its own, and complains about those that meet there. */
  const fill = (map: YAMLMap, keys: Set<unknown>): void => {
    for (const { key, value } of map.items) {
      if (found.length >= MAX_ERRORS) return;
      const name = isScalar(key) ? key.value : key;
      if (typeof name === 'symbol') {
        mergeInto(value, keys);
        continue;
      }
      if (name === null) throw new Error('unsupported map key of type: %!s(<nil>), key: <nil>');
      walk(value);
      if (keys.has(name)) {
        const start = startOf(value, text) ?? startOf(key, text) ?? 0;
        found.push(alreadySet(lines.linePos(start).line, name));
      }
      keys.add(name);
    }
  };
  const mergeInto = (node: unknown, keys: Set<unknown>): void => {
    const target = resolve(node);
    if (isMap(target)) fill(target, keys);
    else if (isSeq(target)) for (const item of target.items.toReversed()) mergeInto(item, keys);
  };
  walk(contents);
  return found;
}

/** Where a value begins: with its anchor, if it has one. */
function startOf(node: unknown, text: string): number | undefined {
  const { range, anchor } = (node ?? {}) as { range?: Node['range']; anchor?: string };
  const start = range?.[0];
  return start === undefined || !anchor ? start : Math.max(text.lastIndexOf(`&${anchor}`, start), 0);
}

interface Level {
  /** Absent in a list. */
  readonly keys?: Set<string>;
  /** The key whose value is being read, if it was there before, and the line on which the value begins. */
  repeated?: { readonly key: string; line: number };
  expectsKey: boolean;
}

/** The same in JSON text that is well-formed, without the time that reading it as YAML would take. */
export function repeatedKeysOfJson(text: string): string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  let line = 1;
  const endValue = (level: Level | undefined): void => {
    if (!level?.repeated) return;
    if (found.length < MAX_ERRORS) found.push(alreadySet(level.repeated.line, level.repeated.key));
    level.repeated = undefined;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    const level = levels.at(-1);
    if (character === '\n') line++;
    if (/[\s:]/.test(character)) continue;
    const end = character === '"' ? closingQuote(text, i) : i;
    if (level?.expectsKey && character === '"') {
      const key = JSON.parse(text.slice(i, end + 1)) as string;
      if (level.keys?.has(key)) level.repeated = { key, line: 0 };
      level.keys?.add(key);
      level.expectsKey = false;
    } else if (character === ',') {
      endValue(level);
      if (level?.keys) level.expectsKey = true;
    } else if (character === '}' || character === ']') {
      endValue(level);
      levels.pop();
    } else {
      if (level?.repeated?.line === 0) level.repeated.line = line;
      if (character === '{') levels.push({ keys: new Set(), expectsKey: true });
      else if (character === '[') levels.push({ expectsKey: false });
    }
    i = end;
  }
  return found;
}
