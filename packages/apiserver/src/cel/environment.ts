import { check } from './check/checker.ts';
import { validate } from './check/validators.ts';
import { estimateCost, type SizeEstimator } from './cost/estimate.ts';
import type { FunctionDeclaration, Library, StructTypes } from './declarations.ts';
import { Frame, type Step } from './eval/frame.ts';
import { BadProgram, Planner } from './eval/planner.ts';
import { COST_EXCEEDED, CostExceeded, metered, PER_CALL_LIMIT, WORK_LIMIT, withWork } from './meter.ts';
import type { Expr } from './syntax/ast.ts';
import { parse } from './syntax/parser.ts';
import { formatIssues, type Issue } from './syntax/source.ts';
import { type CelType, typeType } from './types.ts';
import { CelError, type CelValue, type Result } from './values/values.ts';

/** What an environment has besides those of the one it extends. */
export interface Additions {
  /** Names may have dots (`authorizer.requestResource`). Names that are not declared are compile errors. */
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly libraries?: readonly Library[];
  /** Types with fields, such as those of a schema, or what `Object{…}` makes. */
  readonly structs?: StructTypes;
}

/** Exactly one of the two is there. */
export interface Compiled {
  readonly program?: Program;
  /** What is wrong, as cel-go prints it. */
  readonly issues?: string;
}

/** Values by the names of variables, or a function that finds them when they are asked for. */
export type Variables = Readonly<Record<string, CelValue>> | ((name: string) => Result | undefined);

export interface Evaluation {
  readonly value: Result;
  /** In Kubernetes' units; callers subtract it from the budget that several expressions share. */
  readonly cost: number;
  /** What the server really did, of which `WORK_LIMIT` is about 50 ms: the cost leaves much out. */
  readonly work: number;
}

/** The language with a set of functions, types and variables. It does not change; `extend` makes another. */
export class Environment {
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #types: ReadonlyMap<string, CelType>;
  readonly #variables: ReadonlyMap<string, CelType>;
  readonly #structs: readonly StructTypes[];

  private constructor(
    functions: ReadonlyMap<string, FunctionDeclaration>,
    types: ReadonlyMap<string, CelType>,
    variables: ReadonlyMap<string, CelType>,
    structs: readonly StructTypes[],
  ) {
    this.#functions = functions;
    this.#types = types;
    this.#variables = variables;
    this.#structs = structs;
  }

  /** An environment without anything. */
  static readonly empty = new Environment(new Map(), new Map(), new Map(), []);

  extend({ variables = {}, libraries = [], structs }: Additions): Environment {
    const functions = new Map(this.#functions);
    const types = new Map(this.#types);
    for (const library of libraries) {
      for (const declared of library.functions) {
        const known = functions.get(declared.name);
        const merged = known ? { ...known, overloads: [...known.overloads, ...declared.overloads] } : declared;
        functions.set(declared.name, merged);
      }
      for (const type of library.types ?? []) types.set(type.name, type);
    }
    return new Environment(
      libraries.length > 0 ? functions : this.#functions,
      types,
      new Map([...this.#variables, ...Object.entries(variables)]),
      structs ? [...this.#structs, structs] : this.#structs,
    );
  }

  /** Parses and checks. What is wrong comes as text; nothing is thrown, whatever the source is. */
  compile(source: string): Compiled {
    const refuse = (issues: readonly Issue[]): Compiled => ({ issues: formatIssues(source, issues) });
    const parsed = parse(source);
    if (!parsed.expr) return refuse(parsed.issues);
    const { expr } = parsed;
    const checked = check(expr, {
      functions: this.#functions,
      variables: this.#variables,
      structs: this.#allStructs,
      typeNamed: (name) => this.#typeNamed(name),
    });
    if (checked.issues.length > 0) return refuse(checked.issues);
    const issues = validateOnce(expr);
    if (issues.length > 0) return refuse(issues);
    return { program: new Program(source, expr, checked.references, this.#plan(expr)) };
  }

  readonly #allStructs: StructTypes = {
    find: (name) => {
      for (const structs of this.#structs) {
        const found = structs.find(name);
        if (found) return found;
      }
      return undefined;
    },
  };

  #typeNamed(name: string): CelType | undefined {
    const type = this.#types.get(name) ?? this.#allStructs.find(name)?.type;
    return type && typeType(type);
  }

  /** The steps, or why there are none: constants can be wrong (`int('x')`). */
  #plan(expr: Expr): Step | string {
    try {
      return withWork(() => new Planner(this.#functions, this.#allStructs).plan(expr).run);
    } catch (error) {
      if (error instanceof BadProgram) return error.message;
      if (error instanceof CostExceeded) return COST_EXCEEDED;
      throw error;
    }
  }
}

/** An expression that can be run any number of times. */
export class Program {
  readonly source: string;
  readonly type: CelType;
  /** The variables that it mentions, such as `oldSelf`. */
  readonly references: ReadonlySet<string>;
  /** Why it cannot be run, although its types are right. Kubernetes calls it `program instantiation failed`. */
  readonly failure: string | undefined;
  readonly #expr: Expr;
  readonly #run: Step | undefined;

  constructor(source: string, expr: Expr, references: ReadonlySet<string>, run: Step | string) {
    this.source = source;
    this.type = expr.type as CelType;
    this.references = references;
    this.#expr = expr;
    this.failure = typeof run === 'string' ? run : undefined;
    this.#run = typeof run === 'string' ? undefined : run;
  }

  /**
   * Runs it. Errors of the expression come as a CelError in `value`; nothing is thrown. `limit`: what this run may
   * cost. Past it, the value is the error `operation cancelled: actual cost limit exceeded`.
   */
  evaluate(variables: Variables, limit = PER_CALL_LIMIT): Evaluation {
    if (!this.#run) return { value: new CelError(this.failure as string), cost: 0, work: 0 };
    const run = this.#run;
    const frame = new Frame(resolver(variables), limit);
    try {
      const { result, work } = metered(() => run(frame));
      return { value: result, cost: frame.cost, work };
    } catch (error) {
      if (!(error instanceof CostExceeded)) throw error;
      // Work that the cost leaves out counts as much as the whole limit.
      return { value: new CelError(COST_EXCEEDED), cost: Math.max(frame.cost, limit + 1), work: WORK_LIMIT };
    }
  }

  /** The worst that a run can cost, with the sizes that variables can have. */
  estimateCost(sizes: SizeEstimator): number {
    return estimateCost(this.#expr, sizes);
  }
}

/** Literals are looked at like values, and may be as much work: `'a'.matches('(b{900}){9}')`. */
function validateOnce(expr: Expr): readonly Issue[] {
  try {
    return withWork(() => validate(expr));
  } catch (error) {
    if (error instanceof CostExceeded) return [{ offset: expr.offset, message: 'the literals are too much work' }];
    throw error;
  }
}

function resolver(variables: Variables): (name: string) => Result | undefined {
  if (typeof variables === 'function') return variables;
  return (name) => (Object.hasOwn(variables, name) ? (variables[name] as CelValue) : undefined);
}
