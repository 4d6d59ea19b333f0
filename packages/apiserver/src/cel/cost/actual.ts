/** What calls cost at run time, in the units of kube-apiserver: cel-go's costs, and Kubernetes' own for its libraries. */
import { FormatValue } from '../libraries/formats.ts';
import { textWork, work } from '../meter.ts';
import { sizeOfText } from '../values/text.ts';
import { CelError, type CelValue, isList, isMap, OpaqueValue, Optional, type Result } from '../values/values.ts';

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
const LIST = 10;

/** What a call costs, by its arguments. `result` is only given where the cost depends on it. */
export type CallCost = (args: readonly CelValue[], result: Result) => number;

/** How large a value is: characters, bytes, elements or entries; 1 for everything else. */
export function sizeOf(value: Result): number {
  if (typeof value === 'string') return sizeOfText(value);
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMap(value)) return value.size;
  if (value instanceof OpaqueValue) return value.size;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

const perCharacter = (size: number, factor = PER_CHARACTER): number => Math.ceil(size * factor);

const fixed =
  (cost: number): CallCost =>
  () =>
    cost;

const traversal =
  (argument: number, factor = 1): CallCost =>
  (args) =>
    perCharacter(sizeOf(args[argument] as CelValue), factor * PER_CHARACTER);

/** What it costs to look at all of a value. */
function traverse(value: Result): number {
  work(1);
  if (typeof value === 'string') {
    textWork(value);
    return Math.floor(Buffer.byteLength(value) * PER_CHARACTER);
  }
  if (value instanceof Uint8Array) return Math.floor(value.length * PER_CHARACTER);
  if (isList(value)) {
    let cost = 0;
    for (let i = 0; i < value.size; i++) cost += traverse(value.get(i));
    return cost;
  }
  if (!isMap(value)) return 1;
  let cost = 0;
  for (const key of value.keys()) cost += traverse(key) + traverse(value.find(key) ?? new CelError(''));
  return cost;
}

const pattern: CallCost = ([text, source]) =>
  perCharacter(1 + sizeOf(text as CelValue)) * Math.ceil(sizeOf(source as CelValue) * PER_PATTERN_CHARACTER);

const smaller: CallCost = ([a, b]) => perCharacter(Math.min(sizeOf(a as CelValue), sizeOf(b as CelValue)));

const equality: CallCost = (args) => (args[0] instanceof OpaqueValue ? 1 : smaller(args, null));

const both: CallCost = ([a, b]) => perCharacter(sizeOf(a as CelValue) + sizeOf(b as CelValue));

const newList = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + LIST;

const ofResult: CallCost = (_args, result) => newList(sizeOf(result));

/** Sorting and the like: every element with every other. */
const selfCompare =
  (argument: number): CallCost =>
  (args) => {
    const list = args[argument] as CelValue;
    const size = sizeOf(list);
    const first = isList(list) && size > 0 ? list.get(0) : null;
    const isText = typeof first === 'string' || first instanceof Uint8Array;
    return newList(size * size, isText ? 2 + PER_CHARACTER : 2);
  };

const setCost =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.floor(sizeOf(a as CelValue) * sizeOf(b as CelValue) * factor);

const flatten: CallCost = ([list, depth = 1n]) =>
  newList(sizeOf(list as CelValue), typeof depth === 'bigint' && depth >= 0n ? Number(depth) : 1);

const SELECTOR_REQUIREMENT = LIST + 40;

const selector: CallCost = ([, text]) => {
  const size = sizeOf(text as CelValue);
  return LIST + perCharacter(size) + Math.ceil(Math.ceil(size * 0.5) * SELECTOR_REQUIREMENT);
};

const validate: CallCost = ([format, text]) =>
  format instanceof FormatValue
    ? perCharacter(1 + sizeOf(text as CelValue)) * Math.ceil(format.patternLength * PER_PATTERN_CHARACTER)
    : 1;

const inNetwork =
  (isCidr: boolean, fromText: boolean): CallCost =>
  ([network, other]) => {
    const size = sizeOf(network as CelValue);
    const base = perCharacter(size * 2) + (isCidr ? perCharacter(size) + 1 : 0);
    return base + (fromText ? perCharacter(sizeOf(other as CelValue)) : 0);
  };

const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: ofResult,
  lists_range: ofResult,
  list_reverse: ofResult,
  list_distinct: selfCompare(0),
  list_flatten: flatten,
  list_flatten_int: flatten,
  list_sets_contains_list: setCost(1),
  list_sets_intersects_list: setCost(1),
  list_sets_equivalent_list: setCost(2),
  cidr_ip: fixed(1),
  cidr_contains_ip_string: inNetwork(false, true),
  cidr_contains_ip_ip: inNetwork(false, false),
  cidr_contains_cidr_string: inNetwork(true, true),
  cidr_contains_cidr: inNetwork(true, false),
};

const named = (cost: CallCost, names: string): [string, CallCost][] => names.split(' ').map((name) => [name, cost]);

const byFunction: Readonly<Record<string, CallCost>> = Object.fromEntries([
  ...named(fixed(350_000), 'check'),
  ...named(
    fixed(1),
    'serviceAccount path group resource subresource namespace name allowed reason error errored ' +
      'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast ' +
      'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub ' +
      'major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery',
  ),
  ...named(selector, 'fieldSelector labelSelector'),
  ...named(([list]) => traverse(list as CelValue), 'isSorted sum max min indexOf lastIndexOf'),
  ...named(
    traversal(0),
    'url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR ip quantity isQuantity semver isSemver',
  ),
  ...named(traversal(0, 2), 'replace split ip.isCanonical'),
  ...named((_args, result) => perCharacter(sizeOf(result), 2 * PER_CHARACTER), 'join'),
  ...named(pattern, 'find findAll'),
  ...named(validate, 'validate'),
]);

const byStandardOverload: Readonly<Record<string, CallCost>> = {
  ...Object.fromEntries(named(traversal(1), 'starts_with_string ends_with_string')),
  ...Object.fromEntries(named(traversal(0), 'string_to_bytes bytes_to_string strings_quote string_format')),
  in_list: ([, list]) => sizeOf(list as CelValue),
  ...Object.fromEntries(
    named(
      smaller,
      'less_string greater_string less_equals_string greater_equals_string ' +
        'less_bytes greater_bytes less_equals_bytes greater_equals_bytes not_equals',
    ),
  ),
  equals: equality,
  ...Object.fromEntries(named(both, 'add_string add_bytes')),
  matches: pattern,
  matches_string: pattern,
  contains_string: ([text, part]) => perCharacter(sizeOf(text as CelValue)) * perCharacter(sizeOf(part as CelValue)),
};

const sorting = /^list_\w+_(sort|sortByAssociatedKeys)$/;
const UNIT = fixed(1);

/** The cost of calls of one function; `overload` is empty where only the values tell which one it is. */
export function callCostOf(name: string, overload: string): CallCost {
  const sorts = sorting.exec(overload);
  if (sorts) return selfCompare(sorts[1] === 'sort' ? 0 : 1);
  const own = (table: Readonly<Record<string, CallCost>>, key: string) =>
    Object.hasOwn(table, key) ? table[key] : undefined;
  return own(byOverload, overload) ?? own(byFunction, name) ?? own(byStandardOverload, overload) ?? UNIT;
}

/** Whether the cost cannot be told before the call. */
export const needsResult = (name: string, overload: string): boolean =>
  name === 'join' || overload === 'list_slice' || overload === 'lists_range' || overload === 'list_reverse';
