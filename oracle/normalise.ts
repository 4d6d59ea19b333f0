import type { Answer } from './case.ts';

type Json = unknown;
type Members = Record<string, Json>;

/**
 * The answers of one server to a case without what no two servers share: times, uids, and versions, which become the
 * ordinal of their first appearance, so that whether a write changed anything can still be compared.
 */
export function normalise(answers: readonly Answer[], group: string): Answer[] {
  const versions = new Map<string, string>();
  const uids = new Map<string, string>();
  const ordinal = (known: Map<string, string>, word: string, value: string): string => {
    if (!known.has(value)) known.set(value, `${word} ${known.size + 1}`);
    return known.get(value) as string;
  };
  const visit = (value: Json, name: string, parent: string): Json => {
    if (Array.isArray(value)) {
      const items = value.map((item) => visit(item, name, parent));
      if (name === 'managedFields') return sortedEntries(items);
      return name === 'conditions' ? items.toSorted(byType) : items;
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [unified(key, group), visit(member, key, name)]),
      );
    }
    if (typeof value !== 'string') return value;
    if (parent === 'metadata' && name === 'resourceVersion') return ordinal(versions, 'version', value);
    if (name === 'uid' && UID.test(value)) return ordinal(uids, 'uid', value);
    if (TIMES.has(`${parent}.${name}`) && TIME.test(value)) return 'a time';
    return unified(value, group);
  };
  return answers.map(({ code, warnings, body }) => ({
    code,
    warnings: sortedFindings(warnings.map((warning) => unified(warning, group))),
    body: unordered(visit(body, '', '')),
  }));
}

/** What rules find is found in maps of Go, whose order is another each time; everything else keeps its place. */
function sortedFindings(warnings: readonly string[]): string[] {
  const isFinding = (text: string): boolean => /^[\w.[\]<>]+: (?:Invalid|Duplicate|Required) value/.test(text);
  const sorted = warnings.filter(isFinding).sort(compareTexts);
  return warnings.map((text) => (isFinding(text) ? (sorted.shift() as string) : text));
}

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMES = new Set([
  'managedFields.time',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
  'conditions.lastTransitionTime',
]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Texts name the group, and sometimes uids and versions. */
const unified = (text: string, group: string): string =>
  text
    .replaceAll(group, '{group}')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{uid}')
    // A patch that cannot be decoded is shown as a whole, with all that it was merged into.
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?=\\?\\?")/g, '{time}')
    .replaceAll(/(resourceVersion\\?\\?":\\?\\?")\d+/g, '$1{version}')
    // The type of `self` is named by the clock.
    .replaceAll(/\bselfType\d+/g, 'selfType')
    // Where in the original's code a table of types was made.
    .replaceAll(/"[\w./-]*customresource_handler\.go:\d+"/g, '"{source}"')
    // A generated name.
    .replaceAll(/\b(g-)[a-z0-9]{5}\b/g, '$1{random}');

/**
 * Entries are ordered by operation and time, and both servers are not asked in the same second: the order is compared
 * by what does not depend on the clock.
 */
function sortedEntries(entries: readonly Json[]): Json[] {
  const key = (entry: Json): string => {
    const { operation, manager, apiVersion, subresource } = (entry ?? {}) as Members;
    return JSON.stringify([operation, manager, apiVersion, subresource]);
  };
  return [...entries].sort((a, b) => compareTexts(key(a), key(b)));
}

/** Conditions are written by controllers that do not wait for each other. */
const byType = (a: Json, b: Json): number => compareTexts(String((a as Members)?.type), String((b as Members)?.type));

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

/** The real server looks through maps of Go, whose order is another each time: errors are compared as a set. */
function unordered(body: Json): Json {
  const status = (body ?? {}) as { kind?: Json; message?: Json; reason?: Json; details?: { causes?: Cause[] } };
  if (status.kind !== 'Status' || typeof status.message !== 'string') return body;
  const causes = status.details?.causes;
  if (!Array.isArray(causes)) return { ...status, message: withSortedLines(status.message) };
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
  const message = status.message.endsWith(list) ? `${status.message.slice(0, -list.length)}{causes}` : status.message;
  const sorted = [...causes].sort((a, b) => compareTexts(JSON.stringify(a), JSON.stringify(b)));
  return { ...status, message, details: { ...status.details, causes: sorted } };
}

/** Several errors of one text: `errors:` and a line each. */
const withSortedLines = (text: string): string =>
  text.replace(/(typed patch object.*: errors:)((?:\n {2}\S.*)+)/, (_, head: string, lines: string) => {
    return `${head}\n${lines.split('\n').slice(1).sort(compareTexts).join('\n')}`;
  });

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
