/** What an environment knows: functions, types with fields, and variables. */
import type { CelType } from './types.ts';
import type { CelValue, Result } from './values/values.ts';

/** One signature of a function, with what it does. */
export interface Overload {
  /** Named as in cel-go; costs depend on it. */
  readonly id: string;
  /** Whether the first parameter stands before the dot: `target.name(…)`. */
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Whether it looks at the types of its values itself. */
  readonly unguarded?: true;
  /** Called with values of these types, none of which is an error. Returns errors, never throws. */
  readonly call: (...values: never[]) => Result;
}

/** A function; its overloads differ in their parameters. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Operators: one implementation looks at the values itself; what it cannot do is `no such overload`. */
  readonly singleton?: (...values: never[]) => Result;
}

/** Functions that go together, such as those of one of Kubernetes' libraries. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
  /** Names that stand for types: `net.IP`. */
  readonly types?: readonly CelType[];
}

/** Types with fields, by name. */
export interface StructTypes {
  find(name: string): StructType | undefined;
}

export interface StructType {
  readonly type: CelType;
  /** Undefined: no such field, which is a compile error. */
  field(name: string): CelType | undefined;
  /** What `Name{field: value}` makes; absent: there are no literals of this type. */
  create?(fields: ReadonlyMap<string, CelValue>): Result;
}

/** A function that stands alone: `name(parameters)`. */
export const overload = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  call: (...values: never[]) => Result,
): Overload => ({ id, member: false, parameters, result, call });

/** A function after a dot: `first.name(rest)`. */
export const memberOverload = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  call: (...values: never[]) => Result,
): Overload => ({ id, member: true, parameters, result, call });

export const declare = (name: string, ...overloads: Overload[]): FunctionDeclaration => ({ name, overloads });
