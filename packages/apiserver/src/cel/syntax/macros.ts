/** Calls that are expanded into other syntax before anything is checked: `has`, `all`, `map`, `optMap` … */

import type { CelValue } from '../values/values.ts';
import { ACCUMULATOR, type Call, type Expr } from './ast.ts';

/** Thrown where the arguments do not suit a macro; the parser turns it into an issue. */
export class BadMacro {
  readonly offset: number;
  readonly message: string;

  constructor(offset: number, message: string) {
    this.offset = offset;
    this.message = message;
  }
}

type Expand = (make: Maker, target: Expr, args: readonly Expr[]) => Expr;

/** What a call means; undefined where it is no macro. */
export function expandMacro(call: Call): Expr | undefined {
  const { target, args, offset } = call;
  if (call.function === 'has' && !target && args.length === 1) return expandHas(offset, args[0] as Expr);
  if (!target) return undefined;
  const expand = macros[`${call.function}:${args.length}`];
  return expand?.(new Maker(offset), target, args);
}

function expandHas(offset: number, arg: Expr): Expr {
  if (arg.kind !== 'select') throw new BadMacro(arg.offset, 'invalid argument to has() macro');
  return { kind: 'select', offset, operand: arg.operand, field: arg.field, testOnly: true };
}

/** Makes nodes that stand where the macro stands. */
class Maker {
  readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  literal(value: CelValue): Expr {
    return { kind: 'literal', offset: this.offset, value };
  }

  ident(name: string): Expr {
    return { kind: 'ident', offset: this.offset, name };
  }

  accumulator(): Expr {
    return this.ident(ACCUMULATOR);
  }

  list(...elements: Expr[]): Expr {
    return { kind: 'list', offset: this.offset, elements, optional: elements.map(() => false) };
  }

  call(name: string, ...args: Expr[]): Expr {
    return { kind: 'call', offset: this.offset, function: name, target: undefined, args };
  }

  memberCall(name: string, target: Expr, ...args: Expr[]): Expr {
    return { kind: 'call', offset: this.offset, function: name, target, args };
  }

  fold(
    range: Expr,
    variables: readonly string[],
    loop: { initial: Expr; condition: Expr; step: Expr; result: Expr; accumulator?: string },
  ): Expr {
    const { accumulator = ACCUMULATOR, ...parts } = loop;
    const [variable = '', variable2] = variables;
    return { kind: 'comprehension', offset: this.offset, range, variable, variable2, accumulator, ...parts };
  }

  /** `name = value; result`, as a loop that is never entered. */
  bind(name: string, value: Expr, result: Expr): Expr {
    const loop = { initial: value, condition: this.literal(false), step: this.ident(name), result, accumulator: name };
    return this.fold(this.list(), ['#unused'], loop);
  }
}

const IMPLICIT = '__result__';

function nameOf(arg: Expr, message: string): string {
  if (arg.kind !== 'ident') throw new BadMacro(arg.offset, message);
  if (arg.name === ACCUMULATOR || arg.name === IMPLICIT)
    throw new BadMacro(arg.offset, 'iteration variable overwrites accumulator variable');
  return arg.name;
}

const SIMPLE_NAME = 'argument must be a simple name';

/** The names before the last arguments: one, or two that differ. */
function namesOf(args: readonly Expr[], count: number): string[] {
  const names = args.slice(0, count).map((arg) => {
    if (arg.kind !== 'ident') throw new BadMacro(arg.offset, SIMPLE_NAME);
    return arg.name;
  });
  if (count === 2 && names[0] === names[1])
    throw new BadMacro((args[1] as Expr).offset, `duplicate variable name: ${names[0]}`);
  for (const arg of args.slice(0, count)) nameOf(arg, SIMPLE_NAME);
  return names;
}

const all =
  (variables: number): Expand =>
  (make, target, args) =>
    make.fold(target, namesOf(args, variables), {
      initial: make.literal(true),
      condition: make.call('@not_strictly_false', make.accumulator()),
      step: make.call('_&&_', make.accumulator(), args[variables] as Expr),
      result: make.accumulator(),
    });

const exists =
  (variables: number): Expand =>
  (make, target, args) =>
    make.fold(target, namesOf(args, variables), {
      initial: make.literal(false),
      condition: make.call('@not_strictly_false', make.call('!_', make.accumulator())),
      step: make.call('_||_', make.accumulator(), args[variables] as Expr),
      result: make.accumulator(),
    });

const existsOne =
  (variables: number): Expand =>
  (make, target, args) =>
    make.fold(target, namesOf(args, variables), {
      initial: make.literal(0n),
      condition: make.literal(true),
      step: make.call(
        '_?_:_',
        args[variables] as Expr,
        make.call('_+_', make.accumulator(), make.literal(1n)),
        make.accumulator(),
      ),
      result: make.call('_==_', make.accumulator(), make.literal(1n)),
    });

/** A step that is left out where the filter says so. */
const filtered = (make: Maker, filter: Expr | undefined, step: Expr): Expr =>
  filter ? make.call('_?_:_', filter, step, make.accumulator()) : step;

const collect = (make: Maker, target: Expr, names: readonly string[], filter: Expr | undefined, element: Expr): Expr =>
  make.fold(target, names, {
    initial: make.list(),
    condition: make.literal(true),
    step: filtered(make, filter, make.call('_+_', make.accumulator(), make.list(element))),
    result: make.accumulator(),
  });

const NOT_AN_IDENTIFIER = 'argument is not an identifier';

const map: Expand = (make, target, args) => {
  const name = nameOf(args[0] as Expr, NOT_AN_IDENTIFIER);
  return collect(make, target, [name], args.length === 3 ? args[1] : undefined, args.at(-1) as Expr);
};

const filter: Expand = (make, target, args) => {
  const name = nameOf(args[0] as Expr, NOT_AN_IDENTIFIER);
  return collect(make, target, [name], args[1], args[0] as Expr);
};

const transformList: Expand = (make, target, args) =>
  collect(make, target, namesOf(args, 2), args.length === 4 ? args[2] : undefined, args.at(-1) as Expr);

const insert =
  (inserted: (make: Maker, names: readonly string[], transform: Expr) => Expr[]): Expand =>
  (make, target, args) => {
    const names = namesOf(args, 2);
    const step = make.call('cel.@mapInsert', make.accumulator(), ...inserted(make, names, args.at(-1) as Expr));
    return make.fold(target, names, {
      initial: { kind: 'map', offset: make.offset, entries: [] },
      condition: make.literal(true),
      step: filtered(make, args.length === 4 ? args[2] : undefined, step),
      result: make.accumulator(),
    });
  };

const transformMap = insert((make, names, transform) => [make.ident(names[0] as string), transform]);
const transformMapEntry = insert((_make, _names, transform) => [transform]);

const optional =
  (name: string, wrap: (make: Maker, value: Expr) => Expr): Expand =>
  (make, target, args) => {
    const variable = args[0] as Expr;
    if (variable.kind !== 'ident')
      throw new BadMacro(variable.offset, `${name}() variable name must be a simple identifier`);
    const isName = target.kind === 'ident';
    const subject = (): Expr => (isName ? { ...target } : make.ident('#target'));
    const bound = make.bind(variable.name, make.memberCall('value', subject()), args[1] as Expr);
    const hasValue = make.memberCall('hasValue', isName ? target : subject());
    const result = make.call('_?_:_', hasValue, wrap(make, bound), make.call('optional.none'));
    return isName ? result : make.bind('#target', target, result);
  };

const optMap = optional('optMap', (make, value) => make.call('optional.of', value));
const optFlatMap = optional('optFlatMap', (_make, value) => value);

/** `list.sortBy(x, key)`: the keys are worked out first, then the list is sorted by them. */
const sortBy: Expand = (make, target, args) => {
  if (!['list', 'select', 'ident', 'comprehension', 'call'].includes(target.kind)) {
    const why = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new BadMacro(target.offset, why);
  }
  const input = '@__sortBy_input__';
  const keys = map(make, make.ident(input), args);
  return make.bind(input, target, make.memberCall('@sortByAssociatedKeys', make.ident(input), keys));
};

const macros: Readonly<Record<string, Expand>> = {
  'all:2': all(1),
  'all:3': all(2),
  'exists:2': exists(1),
  'exists:3': exists(2),
  'exists_one:2': existsOne(1),
  'exists_one:3': existsOne(2),
  'existsOne:3': existsOne(2),
  'map:2': map,
  'map:3': map,
  'filter:2': filter,
  'transformList:3': transformList,
  'transformList:4': transformList,
  'transformMap:3': transformMap,
  'transformMap:4': transformMap,
  'transformMapEntry:3': transformMapEntry,
  'transformMapEntry:4': transformMapEntry,
  'optMap:2': optMap,
  'optFlatMap:2': optFlatMap,
  'sortBy:2': sortBy,
};
