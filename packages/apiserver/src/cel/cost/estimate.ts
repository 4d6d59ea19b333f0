/** The worst that an expression can cost, found out before it is ever run. The rules are cel-go's. */
import { ACCUMULATOR, type Call, type Comprehension, type Expr, type Select } from '../syntax/ast.ts';
import type { CelType } from '../types.ts';
import { sizeOfText } from '../values/text.ts';
import { type CallEstimate, estimateCall, type Node } from './estimateCalls.ts';
import { exactly, NOTHING, ONE, plus, type Range, times, UNKNOWN, union, upTo } from './ranges.ts';

/** The largest size of what is at a path of a variable: `['self', 'spec', '@items']`. Undefined: nothing is known. */
export type SizeEstimator = (path: readonly string[]) => number | undefined;

/** The largest cost of a checked expression. */
export function estimateCost(expr: Expr, sizes: SizeEstimator): number {
  return new Estimator(sizes).cost(expr).max;
}

/** Sizes of the elements of a list, or of the keys and values of a map. */
interface EntrySizes {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const LIST_COST = exactly(10);
const MAP_COST = exactly(30);
const STRUCT_COST = exactly(40);
const NO_PATH: readonly string[] = [];

class Estimator {
  readonly #sizes: SizeEstimator;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #known = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(sizes: SizeEstimator) {
    this.#sizes = sizes;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return NOTHING;
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name.replace(/^\./, '')]);
        return ONE;
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr.elements, expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return plus(STRUCT_COST, ...expr.fields.map(({ value }) => this.cost(value)));
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? NO_PATH;
  }

  #select(expr: Select): Range {
    if (expr.variable !== undefined) {
      this.#paths.set(expr, [expr.variable]);
      return ONE;
    }
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#paths.set(expr, [...this.#pathOf(expr.operand), expr.field]);
    const kind = expr.operand.type?.kind;
    return kind === 'map' || kind === 'struct' || kind === 'typeParameter' ? plus(operand, ONE) : operand;
  }

  #call(expr: Call): Range {
    if (expr.function === 'dyn') {
      const argument = expr.args[0] as Expr;
      const cost = plus(ONE, this.cost(argument));
      this.#copySizes(expr, argument);
      return cost;
    }
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const targetCost = expr.target ? this.cost(expr.target) : NOTHING;
    const target = expr.target && this.#node(expr.target);
    const overloads = expr.overloads ?? [];
    if (overloads.length === 0) return NOTHING;
    let worst: Range = { min: Number.POSITIVE_INFINITY, max: 0 };
    let size: Range | undefined;
    for (const overload of overloads) {
      const estimate = this.#overload(expr, overload, target, args, costs);
      worst = union(worst, estimate.cost);
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      if (overload === 'index_list' || overload === 'index_map') {
        const container = expr.args[0] as Expr;
        size = this.#entriesOf(container)?.value;
        const step = overload === 'index_list' ? '@items' : '@values';
        this.#paths.set(expr, [...this.#pathOf(container), step]);
      }
      size ??= this.#sizeOf(expr);
    }
    if (size) this.#known.set(expr, size);
    return plus(targetCost, worst);
  }

  #overload(
    expr: Call,
    overload: string,
    target: Node | undefined,
    args: readonly Node[],
    costs: readonly Range[],
  ): CallEstimate {
    const [first = NOTHING, second = NOTHING, third = NOTHING] = costs;
    switch (overload) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: first.min, max: plus(NOTHING, ...costs).max } };
      case 'conditional': {
        const [, then, otherwise] = expr.args as [Expr, Expr, Expr];
        this.#unionEntries(expr, then, otherwise);
        const size = union((args[1] as Node).size ?? UNKNOWN, (args[2] as Node).size ?? UNKNOWN);
        return { cost: plus(first, union(second, third)), size };
      }
      case 'add_list':
      case 'add_string':
      case 'add_bytes':
        this.#unionEntries(expr, expr.args[0] as Expr, expr.args[1] as Expr);
    }
    const { cost, size } = estimateCall(expr.function, overload, target, args, this.#sizeAt);
    return { cost: plus(cost, NOTHING, ...costs), ...(size && { size }) };
  }

  /** The size of a node that is no expression: elements of lists. */
  readonly #sizeAt = (path: readonly string[]): Range | undefined => {
    const size = path.length > 0 ? this.#sizes(path) : undefined;
    return size === undefined ? undefined : upTo(size);
  };

  #node(expr: Expr): Node {
    const path = this.#pathOf(expr);
    const size = this.#sizeOf(expr);
    return {
      expr,
      type: expr.type as CelType,
      path: path[0] === ACCUMULATOR ? NO_PATH : path,
      ...(size && { size }),
    };
  }

  #sizeOf(expr: Expr): Range | undefined {
    const known = this.#known.get(expr) ?? literalSize(expr);
    if (known) return known;
    const atPath = this.#sizeAt(this.#pathOf(expr));
    if (atPath) {
      this.#known.set(expr, atPath);
      return atPath;
    }
    if (isScalar(expr.type)) return ONE;
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined);
  }

  #unionEntries(into: Expr, a: Expr, b: Expr): void {
    const left = this.#entriesOf(a);
    const right = this.#entriesOf(b);
    if (!left || !right) return;
    this.#entries.set(into, {
      isList: left.isList,
      key: union(left.key, right.key),
      value: union(left.value, right.value),
    });
  }

  #copySizes(into: Expr, from: Expr): void {
    const size = this.#sizeOf(from);
    if (size) this.#known.set(into, size);
    const entries = this.#entriesOf(from);
    if (entries) this.#entries.set(into, entries);
  }

  #unionOf(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return NOTHING;
    return exprs.map((expr) => this.#sizeOf(expr) ?? UNKNOWN).reduce(union);
  }

  #list(elements: readonly Expr[], expr: Expr): Range {
    const costs = elements.map((element) => this.cost(element));
    this.#entries.set(expr, { isList: true, key: ONE, value: this.#unionOf(elements) });
    return plus(LIST_COST, ...costs);
  }

  #map(expr: Expr & { kind: 'map' }): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = this.#unionOf(expr.entries.map((entry) => entry.key));
    const value = this.#unionOf(expr.entries.map((entry) => entry.value));
    this.#entries.set(expr, { isList: false, key, value });
    return plus(MAP_COST, ...costs);
  }

  #comprehension(expr: Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.initial));
    this.#pushBinding(expr.accumulator, expr.initial);
    const names = this.#pushLoop(expr);
    const turn = plus(this.cost(expr.condition), this.cost(expr.step));
    for (const name of names) this.#pop(name);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#sizeOf(expr.range) ?? UNKNOWN;
    if (expr.initial.kind === 'literal') this.#copySize(expr, expr.initial);
    if (expr.initial.kind === 'list' || expr.initial.kind === 'map') {
      this.#known.set(expr, count);
      const entries = this.#entriesOf(expr.step);
      if (entries) this.#entries.set(expr, entries);
    }
    return plus(before, result, times(count, turn));
  }

  #copySize(into: Expr, from: Expr): void {
    const size = this.#sizeOf(from);
    if (size) this.#known.set(into, size);
  }

  #pushBinding(name: string, value: Expr): void {
    this.#push(name, { path: this.#pathOf(value), size: this.#sizeOf(value), entries: this.#entriesOf(value) });
  }

  /** What the variables of a loop are elements of. */
  #pushLoop({ range, variable, variable2 }: Comprehension): string[] {
    const entries = this.#entriesOf(range);
    const isList = entries ? entries.isList : range.type?.kind === 'list';
    const path = this.#pathOf(range);
    const push = (name: string, step: string, size: Range | undefined) =>
      this.#push(name, { path: [...path, step], size, entries: undefined });
    const valueStep = isList ? '@items' : '@values';
    if (variable2 !== undefined) {
      push(variable, isList ? '@indices' : '@keys', entries?.key);
      push(variable2, valueStep, entries?.value);
      return [variable, variable2];
    }
    if (isList) push(variable, '@items', entries?.value);
    else push(variable, '@keys', entries?.key);
    return [variable];
  }

  #binding(expr: Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.initial));
    this.#pushBinding(expr.accumulator, expr.initial);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return plus(before, result);
  }
}

/** A loop that is never entered, which gives something a name. */
const isBinding = ({ range, condition, accumulator }: Comprehension): boolean =>
  range.kind === 'list' &&
  range.elements.length === 0 &&
  condition.kind === 'literal' &&
  condition.value === false &&
  accumulator !== ACCUMULATOR;

function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'literal':
      if (typeof expr.value === 'string') return exactly(sizeOfText(expr.value));
      return exactly(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case 'list':
      return exactly(expr.elements.length);
    case 'map':
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType | undefined): boolean {
  if (!type) return false;
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.parameters[0]);
  return SCALARS.has(type.kind);
}
