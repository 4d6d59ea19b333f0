/** Turns a checked tree into functions that call each other. What is constant is worked out once. */
import type { FunctionDeclaration, StructTypes } from '../declarations.ts';
import type {
  Call,
  Comprehension,
  Expr,
  Ident,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/ast.ts';
import { canonicalKey, Entries, Values } from '../values/collections.ts';
import {
  CelError,
  type CelValue,
  isList,
  NO_SUCH_OVERLOAD,
  Optional,
  type Result,
  TypeValue,
  Uint,
} from '../values/values.ts';
import { planCall } from './calls.ts';
import { planComprehension } from './comprehensions.ts';
import { hasField, select, selectOptional } from './fields.ts';
import { constantPlan, Frame, type Plan, type Step } from './frame.ts';

/** Thrown where a constant part of an expression is wrong: the expression is refused when it is compiled. */
export class BadProgram {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

const CONVERSIONS = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));
const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;

export class Planner {
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #structs: StructTypes;
  /** Names of the variables of comprehensions, by their place. */
  readonly #locals: string[] = [];

  constructor(functions: ReadonlyMap<string, FunctionDeclaration>, structs: StructTypes) {
    this.#functions = functions;
    this.#structs = structs;
  }

  plan(expr: Expr): Plan {
    switch (expr.kind) {
      case 'literal':
        return constantPlan(expr.value);
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  /** Plans something with further variables; `plan` is given their places. */
  withLocals<T>(names: readonly string[], plan: (places: number[]) => T): T {
    const first = this.#locals.length;
    this.#locals.push(...names);
    const result = plan(names.map((_, i) => first + i));
    this.#locals.length = first;
    return result;
  }

  #ident(expr: Ident): Plan {
    const place = this.#locals.lastIndexOf(expr.name);
    if (place === -1) return this.#global(expr.name.replace(/^\./, ''), expr);
    return startingAt((frame) => frame.locals[place] as Result);
  }

  #global(name: string, expr: Expr): Plan {
    if (expr.type?.kind === 'type') {
      const of = expr.type.parameters[0];
      if (of) return constantPlan(new TypeValue(of.name));
    }
    return startingAt((frame) => {
      const value = frame.resolve(name);
      return value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
    });
  }

  #select(expr: Select): Plan {
    if (expr.variable !== undefined) return this.#global(expr.variable, expr);
    const operand = this.plan(expr.operand);
    const { field } = expr;
    if (!expr.testOnly) return extended(operand, constantPlan(field), select);
    const path = operand.path ?? operand.run;
    return {
      run: (frame) => {
        const value = path(frame);
        if (value instanceof CelError) return value;
        frame.spend(1);
        return hasField(value, field);
      },
    };
  }

  #call(expr: Call): Plan {
    const args = (expr.target ? [expr.target, ...expr.args] : expr.args).map((arg) => this.plan(arg));
    const [first, second] = args as [Plan, Plan];
    const runs = args.map(({ run }) => run);
    switch (expr.function) {
      case '_&&_':
        return { run: planLogical(runs, false) };
      case '_||_':
        return { run: planLogical(runs, true) };
      case '_?_:_':
        return planConditional(args as [Plan, Plan, Plan]);
      case '@not_strictly_false':
        return { run: notStrictlyFalse(runs[0] as Step) };
      case '_?._':
      case '_[?_]':
        return extended(first, second, selectOptional);
      case '_[_]':
        return extended(first, second, select);
      case 'or':
      case 'orValue':
        return { run: planOr(runs as [Step, Step], expr.function === 'orValue') };
    }
    const declared = this.#functions.get(expr.function) as FunctionDeclaration;
    const set =
      expr.overloads?.[0] === 'in_list' && expr.overloads.length === 1 ? constantSet(second.constant) : undefined;
    if (set) return { run: member(first.run, set) };
    const run = planCall(expr, declared, runs);
    const isConstant = CONVERSIONS.has(expr.function) && args.length === 1 && first.constant !== undefined;
    return isConstant ? foldConstant(run) : { run };
  }

  #list(expr: ListLiteral): Plan {
    const plans = expr.elements.map((element) => this.plan(element));
    const runs = plans.map(({ run }) => run);
    const { optional } = expr;
    const make: Step = (frame) => {
      const elements: CelValue[] = [];
      for (let i = 0; i < runs.length; i++) {
        const value = (runs[i] as Step)(frame);
        if (value instanceof CelError) return value;
        if (!optional[i]) elements.push(value);
        else if (!(value instanceof Optional)) {
          return new CelError('cannot initialize optional list element from non-optional value');
        } else if (value.value !== undefined) elements.push(value.value);
      }
      return new Values(elements);
    };
    const run = costing(LIST_COST, make);
    return plans.every(({ constant }) => constant !== undefined) ? foldConstant(run) : { run };
  }

  #map(expr: MapLiteral): Plan {
    const plans = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const make: Step = (frame) => {
      const entries = new Map<string | boolean | bigint, readonly [CelValue, CelValue]>();
      for (const plan of plans) {
        const key = plan.key.run(frame);
        if (key instanceof CelError) return key;
        const value = plan.value.run(frame);
        if (value instanceof CelError) return value;
        const canonical = canonicalKey(key);
        if (canonical === undefined) return NO_SUCH_OVERLOAD;
        const inner = plan.optional ? unwrapped(value) : value;
        if (inner instanceof CelError) return inner;
        if (inner === undefined) entries.delete(canonical);
        else entries.set(canonical, [key, inner]);
      }
      return new Entries(entries);
    };
    const run = costing(MAP_COST, make);
    const isConstant = plans.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined);
    return isConstant ? foldConstant(run) : { run };
  }

  #struct(expr: StructLiteral): Plan {
    const struct = this.#structs.find(expr.typeName.replace(/^\./, ''));
    const plans = expr.fields.map(({ name, value, optional }) => ({ name, run: this.plan(value).run, optional }));
    const make: Step = (frame) => {
      const fields = new Map<string, CelValue>();
      for (const { name, run, optional } of plans) {
        const value = run(frame);
        if (value instanceof CelError) return value;
        const inner = optional ? unwrapped(value) : value;
        if (inner instanceof CelError) return inner;
        if (inner === undefined) fields.delete(name);
        else fields.set(name, inner);
      }
      return struct?.create?.(fields) ?? new CelError(`unknown type '${expr.typeName}'`);
    };
    return { run: costing(STRUCT_COST, make) };
  }

  #comprehension(expr: Comprehension): Plan {
    return { run: planComprehension(expr, this) };
  }
}

/** A step with a cost, which counts where there is an error, too. */
const costing =
  (cost: number, step: Step): Step =>
  (frame) => {
    const value = step(frame);
    frame.spend(cost);
    return value;
  };

/** A path that starts here. */
const startingAt = (path: Step): Plan => ({
  path,
  run: (frame) => {
    frame.spend(1);
    return path(frame);
  },
});

/** A path that goes on with a field or index. One that is not there costs nothing, if it need not be there. */
function extended(operand: Plan, key: Plan, look: (value: CelValue, key: CelValue) => Result): Plan {
  const start = operand.path ?? operand.run;
  const base = operand.path && operand.run === operand.path ? 0 : 1;
  const keyStep = key.path ?? key.run;
  const path: Step = (frame) => {
    const value = start(frame);
    if (value instanceof CelError) return value;
    const at = keyStep(frame);
    const found = at instanceof CelError ? at : look(value, at);
    if (found !== Optional.none) frame.spend(1);
    return found;
  };
  if (base === 0) return { path, run: path };
  return {
    path,
    run: (frame) => {
      frame.spend(base);
      return path(frame);
    },
  };
}

const member =
  (operand: Step, isMember: (value: CelValue) => Result): Step =>
  (frame) => {
    const value = operand(frame);
    return value instanceof CelError ? value : isMember(value);
  };

/** `&&` is decided by the first false, `||` by the first true, whatever errors come before it. */
const planLogical =
  (terms: readonly Step[], decisive: boolean): Step =>
  (frame) => {
    let failure: CelError | undefined;
    for (let i = 0; i < terms.length; i++) {
      const value = (terms[i] as Step)(frame);
      if (value === decisive) return decisive;
      if (value !== !decisive) failure ??= value instanceof CelError ? value : NO_SUCH_OVERLOAD;
    }
    return failure ?? !decisive;
  };

function planConditional([condition, then, otherwise]: [Plan, Plan, Plan]): Plan {
  const test = condition.run;
  const [ifTrue, ifFalse] = [then.path ?? then.run, otherwise.path ?? otherwise.run];
  const path: Step = (frame) => {
    const value = test(frame);
    if (value === true) return ifTrue(frame);
    if (value === false) return ifFalse(frame);
    return value instanceof CelError ? value : NO_SUCH_OVERLOAD;
  };
  return { path, run: path };
}

const notStrictlyFalse =
  (operand: Step): Step =>
  (frame) => {
    const value = operand(frame);
    frame.spend(1);
    return value !== false;
  };

/** `optional.or(other)` and `optional.orValue(other)`: the other is looked at only where it is needed. */
const planOr =
  ([optional, other]: [Step, Step], wantsValue: boolean): Step =>
  (frame) => {
    const value = optional(frame);
    if (value instanceof CelError) return value;
    if (!(value instanceof Optional)) return NO_SUCH_OVERLOAD;
    if (value.value === undefined) return other(frame);
    return wantsValue ? value.value : value;
  };

/** The value of an optional entry; undefined: it is left out. */
function unwrapped(value: CelValue): CelValue | undefined | CelError {
  if (value instanceof Optional) return value.value;
  return new CelError('cannot initialize optional entry from non-optional value');
}

/** The value of a step that depends on nothing. */
function foldConstant(run: Step): Plan {
  const value = run(new Frame(() => undefined, Number.POSITIVE_INFINITY));
  if (value instanceof CelError) throw new BadProgram(value.message);
  return constantPlan(value);
}

/** Membership in a list of constants needs no walk through it. Undefined: the list has more than simple values. */
function constantSet(list: Result | undefined): ((value: CelValue) => Result) | undefined {
  if (list === undefined || !isList(list)) return undefined;
  const values = new Set<CelValue>();
  for (let i = 0; i < list.size; i++) {
    const element = list.get(i) as CelValue;
    if (!isSimple(element)) return undefined;
    values.add(canonicalKey(element) ?? element);
  }
  return (value) => isSimple(value) && !Number.isNaN(value) && values.has(canonicalKey(value) ?? value);
}

const isSimple = (value: CelValue): boolean =>
  ['string', 'boolean', 'bigint', 'number'].includes(typeof value) || value instanceof Uint;
