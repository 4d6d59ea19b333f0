/** What calls can cost at worst, and how large their results can be: cel-go's rules, and Kubernetes' for its libraries. */
import type { Expr } from '../syntax/ast.ts';
import type { CelType } from '../types.ts';
import { exactly, ONE, plus, type Range, scaled, times, UNKNOWN, upTo } from './ranges.ts';

/** An argument of a call: what is known about it. */
export interface Node {
  readonly expr?: Expr;
  readonly type: CelType;
  /** Where it comes from; empty where that is unknown. */
  readonly path: readonly string[];
  readonly size?: Range;
}

export interface CallEstimate {
  /** Without the cost of the arguments. */
  readonly cost: Range;
  readonly size?: Range;
}

type SizeAt = (path: readonly string[]) => Range | undefined;

/** What estimating a call works with. Of functions without a target it is the first argument. */
interface Context {
  readonly overload: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
  readonly sizeAt: SizeAt;
}

type Estimate = (call: Context) => CallEstimate | undefined;

const PER_CHARACTER = 0.1;
const PER_PATTERN_CHARACTER = 0.25;
const LIST_COST = exactly(10);
const NETWORK = { min: 4, max: 16 };
const MAX_FORMAT_PATTERN = 128;

const sizeOf = ({ sizeAt }: Context, node: Node | undefined): Range =>
  node ? (node.size ?? sizeAt(node.path) ?? UNKNOWN) : UNKNOWN;

const unit: Estimate = () => ({ cost: ONE });

/** The elements of a list. */
const elementOf = (list: Node): Node | undefined =>
  list.type.parameters[0] && {
    type: list.type.parameters[0],
    path: list.path.length > 0 ? [...list.path, '@items'] : [],
  };

const isText = (type: CelType | undefined): boolean => type?.kind === 'string' || type?.kind === 'bytes';

/** One look at every element of a list, or at every character of a text. */
const overList: Estimate = (call) => {
  if (!call.target) return undefined;
  const element = elementOf(call.target);
  const size = sizeOf(call, call.target);
  if (!element) return { cost: scaled(size, PER_CHARACTER) };
  const cost = isText(element.type) ? plus(ONE, scaled(sizeOf(call, element), PER_CHARACTER)) : ONE;
  return { cost: times(size, cost) };
};

const parsed: Estimate = (call) => ({ cost: scaled(sizeOf(call, call.args[0]), PER_CHARACTER) });

const parsedKeepingSize: Estimate = (call) => ({ ...parsed(call), size: sizeOf(call, call.args[0]) }) as CallEstimate;

const transformed: Estimate = (call) => {
  if (!call.target) return undefined;
  const size = sizeOf(call, call.target);
  return { cost: scaled(size, PER_CHARACTER), size };
};

const replaced: Estimate = (call) => {
  const size = sizeOf(call, call.target);
  const old = sizeOf(call, call.args[0]);
  const by = sizeOf(call, call.args[1]);
  const most =
    old.min === 0 ? [size.max + 1, size.max] : by.max <= old.min ? [0, size.max] : [Math.ceil(size.max / old.min), 0];
  const least =
    old.max === 0 ? [size.min + 1, size.min] : old.max <= by.min ? [0, size.min] : [Math.ceil(size.min / old.max), 0];
  const count = { min: least[0] as number, max: most[0] as number };
  const kept = { min: least[1] as number, max: most[1] as number };
  return { cost: scaled(size, 2 * PER_CHARACTER), size: plus(times(count, by), kept) };
};

const split: Estimate = (call) => {
  const size = sizeOf(call, call.target);
  const limit = call.args[1]?.expr;
  const most =
    limit?.kind === 'literal' && typeof limit.value === 'bigint' ? Number(BigInt.asUintN(64, limit.value)) : size.max;
  return { cost: scaled(size, 2 * PER_CHARACTER), size: upTo(most) };
};

const joined: Estimate = (call) => {
  if (!call.target) return undefined;
  const list = sizeOf(call, call.target);
  const element = elementOf(call.target);
  const separators = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
  const texts = element ? times(list, sizeOf(call, element)) : exactly(0);
  const size = call.args[0] ? plus(texts, times(sizeOf(call, call.args[0]), separators)) : texts;
  return { cost: scaled(size, PER_CHARACTER), size };
};

const patternCost = (call: Context, text: Node | undefined, pattern: Node | undefined): Range =>
  times(scaled(plus(sizeOf(call, text), ONE), PER_CHARACTER), scaled(sizeOf(call, pattern), PER_PATTERN_CHARACTER));

const found: Estimate = (call) => ({
  cost: patternCost(call, call.target, call.args[0]),
  size: upTo(sizeOf(call, call.target).max),
});

const inNetwork =
  (isCidr: boolean): Estimate =>
  (call) => {
    const compared = scaled(plus(NETWORK, NETWORK), PER_CHARACTER);
    const masked = isCidr ? plus(scaled(NETWORK, PER_CHARACTER), ONE) : exactly(0);
    const read = call.overload.endsWith('_string') ? scaled(sizeOf(call, call.args[0]), PER_CHARACTER) : exactly(0);
    return { cost: plus(compared, masked, read) };
  };

const validated: Estimate = (call) => ({
  cost: scaled(scaled(sizeOf(call, call.args[0]), PER_CHARACTER), MAX_FORMAT_PATTERN * PER_PATTERN_CHARACTER),
});

const selector: Estimate = (call) => {
  const size = sizeOf(call, call.args[0]);
  return { cost: plus(LIST_COST, scaled(size, PER_CHARACTER), scaled(scaled(size, 0.5), 50)) };
};

const OPAQUE_BY_ONE = ['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'];

const equality: Estimate = ({ args }) => {
  const [left, right] = args;
  if (!left || left.type.name !== right?.type.name) return undefined;
  if (OPAQUE_BY_ONE.includes(left.type.name) || left.type.name.startsWith('kubernetes.authorization.'))
    return { cost: ONE };
  if (left.type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: 64 }, PER_CHARACTER) };
  if (left.type.name === 'kubernetes.URL')
    return { cost: scaled({ min: 1, max: right.size?.max ?? 1 }, PER_CHARACTER) };
  return undefined;
};

const named = (estimate: Estimate, names: string): [string, Estimate][] =>
  names.split(' ').map((name) => [name, estimate]);

const byFunction: Readonly<Record<string, Estimate>> = Object.fromEntries([
  ...named(() => ({ cost: exactly(350_000) }), 'check'),
  ...named(
    unit,
    'serviceAccount path group resource subresource namespace name allowed reason error errored ' +
      'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast ' +
      'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub ' +
      'major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery',
  ),
  ...named(selector, 'fieldSelector labelSelector'),
  ...named(overList, 'isSorted sum max min indexOf lastIndexOf'),
  ...named(parsedKeepingSize, 'url jsonpatch.escapeKey'),
  ...named(transformed, 'lowerAscii upperAscii substring trim'),
  ...named(replaced, 'replace'),
  ...named(split, 'split'),
  ...named(joined, 'join'),
  ...named(found, 'find findAll'),
  ...named(parsed, 'cidr isIP isCIDR quantity isQuantity semver isSemver'),
  ...named((call) => (call.overload === 'cidr_ip' ? { cost: ONE } : parsed(call)), 'ip'),
  ...named((call) => ({ cost: scaled(sizeOf(call, call.args[0]), 2 * PER_CHARACTER) }), 'ip.isCanonical'),
  ...named(inNetwork(false), 'containsIP'),
  ...named(inNetwork(true), 'containsCIDR'),
  ...named(validated, 'validate'),
  ...named(equality, '_==_'),
]);

/** The value of a literal; anything else is `otherwise`. */
function literal(node: Node | undefined, otherwise: number): number {
  const { expr } = node ?? {};
  if (expr?.kind !== 'literal' || typeof expr.value !== 'bigint') return otherwise;
  return expr.value < 0n ? 0 : Number(expr.value);
}

const newList = (size: Range, factor = 1): CallEstimate => ({
  cost: plus(scaled(size, factor), LIST_COST, ONE),
  size,
});

/** Sorting and the like: every element with every other. */
const selfCompared = (call: Context, list: Node | undefined, isOfText: boolean): CallEstimate => {
  const size = sizeOf(call, list);
  return newList(times(size, size), isOfText ? 2 + PER_CHARACTER : 2);
};

const sets =
  (factor: number): Estimate =>
  (call) => ({
    cost: plus(scaled(times(sizeOf(call, call.args[0]), sizeOf(call, call.args[1])), factor), ONE),
  });

const flattened: Estimate = (call) =>
  newList(sizeOf(call, call.target), call.args.length === 1 ? literal(call.args[0], UNKNOWN.max) : 1);

const byLibraryOverload: Readonly<Record<string, Estimate>> = {
  list_slice: (call) => {
    const end = literal(call.args[1], sizeOf(call, call.target).max);
    const size = end - literal(call.args[0], 0);
    // Less than nothing is a very large number to cel-go, which counts without signs.
    return newList(exactly(size < 0 ? UNKNOWN.max + size : size));
  },
  lists_range: (call) => newList(exactly(literal(call.args[0], UNKNOWN.max))),
  list_reverse: (call) => newList(sizeOf(call, call.target)),
  list_distinct: (call) => selfCompared(call, call.target, isText(call.target?.type.parameters[0])),
  list_flatten: flattened,
  list_flatten_int: flattened,
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
};

const ordered: Estimate = ({ args }) => {
  const [a = UNKNOWN, b = UNKNOWN] = args.map(({ size }) => size ?? UNKNOWN);
  const max = Math.min(a.max, b.max);
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, PER_CHARACTER) };
};

const knownSize = (node: Node | undefined): Range => node?.size ?? UNKNOWN;

const added: Estimate = ({ args, overload }) => {
  const size = plus(knownSize(args[0]), knownSize(args[1]));
  return { cost: overload === 'add_list' ? ONE : scaled(size, PER_CHARACTER), size };
};

const matched = (text: Node | undefined, pattern: Node | undefined): CallEstimate => ({
  cost: times(scaled(plus(knownSize(text), ONE), PER_CHARACTER), scaled(knownSize(pattern), PER_PATTERN_CHARACTER)),
});

const byOverload: Readonly<Record<string, Estimate>> = Object.fromEntries([
  ...named(({ target }) => ({ cost: scaled(knownSize(target), PER_CHARACTER) }), 'string_format'),
  ...named(({ args }) => {
    const size = knownSize(args[0]);
    return { cost: scaled(size, PER_CHARACTER), size: { min: size.min, max: size.max * 4 } };
  }, 'string_to_bytes'),
  ...named(({ args }) => {
    const size = knownSize(args[0]);
    return { cost: scaled(size, PER_CHARACTER), size: { min: Math.floor(size.min / 4), max: size.max } };
  }, 'bytes_to_string'),
  ...named(({ args }) => {
    const size = knownSize(args[0]);
    // What is unknown becomes nothing: the sum is beyond 64 bits, and cel-go does not look.
    const max = size.max >= UNKNOWN.max ? 0 : size.max * 2 + 2;
    return { cost: scaled(size, PER_CHARACTER), size: { min: size.min + 2, max } };
  }, 'strings_quote'),
  ...named(({ args }) => ({ cost: scaled(knownSize(args[0]), PER_CHARACTER) }), 'starts_with_string ends_with_string'),
  ...named(({ args }) => ({ cost: knownSize(args[1]) }), 'in_list'),
  ...named(({ args }) => matched(args[0], args[1]), 'matches'),
  ...named(({ target, args }) => matched(target, args[0]), 'matches_string'),
  ...named(
    ({ target, args }) => ({
      cost: times(scaled(knownSize(target), PER_CHARACTER), scaled(knownSize(args[0]), PER_CHARACTER)),
    }),
    'contains_string',
  ),
  ...named(added, 'add_string add_bytes add_list'),
  ...named(
    ordered,
    'less_string greater_string less_equals_string greater_equals_string ' +
      'less_bytes greater_bytes less_equals_bytes greater_equals_bytes equals not_equals',
  ),
]);

const own = (table: Readonly<Record<string, Estimate>>, key: string): Estimate | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const sorting = /^list_(\w+?)_(sort|sortByAssociatedKeys)$/;

/** What a call can cost by itself, and how large its result can be. */
export function estimateCall(
  name: string,
  overload: string,
  target: Node | undefined,
  args: readonly Node[],
  sizeAt: SizeAt,
): CallEstimate {
  const call = { overload, target, args, sizeAt };
  const sorts = sorting.exec(overload);
  if (sorts)
    return selfCompared(call, sorts[2] === 'sort' ? target : args[0], /^(string|bytes)$/.test(sorts[1] as string));
  return (
    own(byLibraryOverload, overload)?.(call) ??
    own(byFunction, name)?.(call) ??
    own(byOverload, overload)?.(call) ?? { cost: ONE }
  );
}
