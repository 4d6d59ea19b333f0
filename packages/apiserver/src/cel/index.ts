/**
 * CEL as kube-apiserver 1.36 speaks it: rules of custom resources, admission policies and match conditions.
 *
 * @example
 * const environment = kubernetes.extend({ variables: { object: DYN, request: DYN } });
 * const compiled = environment.compile("object.spec.replicas <= 5");
 * if (!compiled.program) throw new Error(compiled.issues); // "ERROR: <input>:1:7: undefined field …"
 * if (compiled.program.type !== BOOL) throw new Error(`must evaluate to bool but got ${formatType(compiled.program.type)}`);
 * const { value, cost } = compiled.program.evaluate({ object: fromJson(object), request: fromJson(request) });
 * if (value instanceof CelError) console.log(value.message); // "no such key: replicas"
 */

/**
 * The language with a set of functions, types and variables. Environments do not change; `extend` makes another.
 * `kubernetes` has all functions that Kubernetes declares everywhere, and no variables.
 */
export interface Environment {
  extend(additions: Additions): Environment;
  /** Parses and checks. What is wrong comes as text; nothing is thrown, whatever the source is. */
  compile(source: string): Compiled;
}

/** What an environment has besides those of the one it extends. */
export interface Additions {
  /** Names may have dots (`authorizer.requestResource`). Undeclared names are compile errors. */
  readonly variables?: Readonly<Record<string, CelType>>;
  /** Functions and constants, such as `authorizerLibrary` and `jsonPatchLibrary`. */
  readonly libraries?: readonly Library[];
  /** Types with fields, such as the type of `object` by a schema, or what `Object{spec: Object.spec{}}` creates. */
  readonly structs?: StructTypes;
}

/** Exactly one of the two is there. */
export interface Compiled {
  readonly program?: Program;
  /** As cel-go prints it: `ERROR: <input>:1:6: undefined field 'x'\n | self.x\n | .....^`, one after another. */
  readonly issues?: string;
}

/** An expression that can be run any number of times. */
export interface Program {
  readonly source: string;
  readonly type: CelType;
  /** The variables that it mentions, such as `oldSelf`. */
  readonly references: ReadonlySet<string>;
  /**
   * Runs it. Errors of the expression come as a CelError in `value`; nothing is thrown. `limit`: how much this run may
   * cost (Kubernetes: 1 000 000); past it the value is the error `operation cancelled: actual cost limit exceeded`.
   */
  evaluate(variables: Variables, limit?: number): Evaluation;
  /** The worst that a run can cost, with the sizes that variables can have. */
  estimateCost(sizes: SizeEstimator): number;
}

/** Values by the names of variables, or a function that finds them when they are asked for. */
export type Variables = Readonly<Record<string, CelValue>> | ((name: string) => CelValue | CelError | undefined);

export interface Evaluation {
  readonly value: CelValue | CelError;
  /** In Kubernetes' units; callers subtract it from the budget that several expressions share. */
  readonly cost: number;
}

/** The largest size that values at a path of a variable can have: `['self', 'spec', '@items']`. Undefined: unknown. */
export type SizeEstimator = (path: readonly string[]) => number | undefined;

/**
 * A type, compared by identity for those without parameters: BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, DYN,
 * TIMESTAMP, DURATION. Others are made: listType(STRING), mapType(STRING, DYN), optionalType(INT), structType(name),
 * opaqueType(name). `formatType` gives the name that messages show.
 */
export interface CelType {
  readonly kind: string;
  readonly name: string;
  readonly parameters: readonly CelType[];
}

/**
 * Values: null, boolean, bigint (int), Uint, number (double), string, Uint8Array (bytes), Timestamp, Duration, CelList,
 * CelMap (maps and objects), Optional, TypeValue, and objects of libraries. `fromJson`, `fromSchema` and `toJson`
 * convert; `lazyObject({ x: () => value })` makes `variables.x`.
 */
export type CelValue = unknown;

/** An error of an expression: `no such key: x`, `division by zero`. Never thrown. */
export declare class CelError {
  readonly message: string;
}

/** Functions, by name; each has overloads that differ in their types. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

export interface Overload {
  /** Named as in cel-go where costs or errors depend on it: `cidr_contains_ip_string`. */
  readonly id: string;
  /** Whether the first parameter stands before the dot: `target.name(…)`. */
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** What a call does with values of these types. It returns errors instead of throwing them. */
  call(...values: CelValue[]): CelValue | CelError;
}

/** Types with fields, by name. */
export interface StructTypes {
  /** The fields and their types; undefined where there is no such type. */
  find(name: string): StructType | undefined;
}

export interface StructType {
  readonly type: CelType;
  /** Undefined: no such field, which is a compile error. */
  field(name: string): CelType | undefined;
  /** What `Name{field: value}` makes; absent: this type has no literals. */
  create?(fields: ReadonlyMap<string, CelValue>): CelValue | CelError;
}
