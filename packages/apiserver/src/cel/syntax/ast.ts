/** The syntax tree of an expression after its macros have been expanded. */
import type { CelType } from '../types.ts';
import type { CelValue } from '../values/values.ts';

export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

/** Where a node stands in the source, and what the checker has found out about it. */
interface Node {
  /** In UTF-16 units. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface Ident extends Node {
  readonly kind: 'ident';
  /** May start with a dot: a name that no local variable hides. */
  name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly testOnly: boolean;
  /** Set by the checker where the whole path is the name of a variable or type: `authorizer.requestResource`. */
  variable?: string;
}

export interface Call extends Node {
  readonly kind: 'call';
  /** Operators have names such as `_+_`. The checker replaces it by the qualified name (`ip.isCanonical`). */
  function: string;
  /** What stands before the dot; the checker removes it where it is a part of the name. */
  target: Expr | undefined;
  readonly args: readonly Expr[];
  /** Identifiers of the overloads that fit, set by the checker. */
  overloads?: readonly string[];
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Which elements are optional (`[?x]`). */
  readonly optional: readonly boolean[];
}

export interface Entry {
  readonly offset: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
}

export interface Field {
  readonly offset: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly Field[];
}

/** What `all`, `map` and the other macros become: a loop that folds a range into an accumulator. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** The second variable of comprehensions with two. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The accumulator's name in macros; no expression can spell it. */
export const ACCUMULATOR = '@result';

/** The direct parts of a node, in the order in which they are evaluated. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
  }
}
