import { putEntry } from '../libraries/optionals.ts';
import { work } from '../meter.ts';
import { ACCUMULATOR, type Comprehension, type Expr } from '../syntax/ast.ts';
import { Entries, Values } from '../values/collections.ts';
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  isList,
  isMap,
  NO_SUCH_OVERLOAD,
  type Result,
  typeName,
} from '../values/values.ts';
import type { Frame, Plan, Step } from './frame.ts';
import type { Planner } from './planner.ts';

/** A loop over a list or map that folds it into an accumulator. */
export function planComprehension(expr: Comprehension, planner: Planner): Step {
  const range = planner.plan(expr.range).run;
  const initial = planner.plan(expr.initial).run;
  return planner.withLocals([expr.accumulator], ([accumulator = 0]) => {
    const names = expr.variable2 === undefined ? [expr.variable] : [expr.variable, expr.variable2];
    const loop = planner.withLocals(names, (places) => planLoop(expr, planner, accumulator, places));
    const result = planner.plan(expr.result).run;
    return (frame) => {
      const over = range(frame);
      if (over instanceof CelError) return over;
      if (!isList(over) && !isMap(over)) return noRange(over, expr.variable2 !== undefined);
      frame.locals[accumulator] = initial(frame);
      loop(frame, over);
      return result(frame);
    };
  });
}

/** Names as Go has them, which is how cel-go shows what cannot be looped over. */
const GO_NAMES: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  int: 'types.Int',
  null_type: 'types.Null',
  string: 'types.String',
  uint: 'types.Uint',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  optional_type: '*types.Optional',
  type: '*types.Type',
};

function noRange(value: CelValue, two: boolean): CelError {
  const name = GO_NAMES[typeName(value)] ?? typeName(value);
  return new CelError(two ? `unsupported comprehension range type: ${name}` : `got '${name}', expected iterable type`);
}

type Loop = (frame: Frame, over: CelList | CelMap) => void;

function planLoop(expr: Comprehension, planner: Planner, accumulator: number, places: readonly number[]): Loop {
  const collected = planCollecting(expr, planner, accumulator);
  const condition = planner.plan(expr.condition).run;
  const step = collected?.step ?? planner.plan(expr.step).run;
  const [first = 0, second] = places;
  const turn = (frame: Frame, key: Result, value: Result): boolean => {
    frame.locals[first] = key;
    if (second !== undefined) frame.locals[second] = value;
    if (condition(frame) !== true) return false;
    frame.locals[accumulator] = step(frame);
    return true;
  };
  return (frame, over) => {
    collected?.begin(frame);
    iterate(over, second !== undefined, (key, value) => turn(frame, key, value));
    collected?.end(frame);
  };
}

/** Lists give their elements, and maps their keys; with two variables it is an index or key, and a value. */
function iterate(over: CelList | CelMap, two: boolean, turn: (key: Result, value: Result) => boolean): void {
  if (isList(over)) {
    for (let i = 0; i < over.size; i++) {
      const element = over.get(i);
      if (!turn(two ? BigInt(i) : element, element)) return;
    }
    return;
  }
  for (const key of over.keys()) {
    if (two) work(15);
    if (!turn(key, two ? (over.find(key) ?? null) : null)) return;
  }
}

/** A step that adds to what the loop collects, instead of copying it at every turn. */
interface Collecting {
  readonly step: Step;
  begin(frame: Frame): void;
  end(frame: Frame): void;
}

/**
 * `map`, `filter` and `transformMap` say `accumulator + [element]` or `mapInsert(accumulator, key, value)`. Taken by
 * the word, a loop over n elements would copy n times n of them.
 */
function planCollecting(expr: Comprehension, planner: Planner, accumulator: number): Collecting | undefined {
  if (expr.accumulator !== ACCUMULATOR) return undefined;
  const { filter, add } = partsOf(expr.step);
  if (add.kind !== 'call') return undefined;
  const [, ...rest] = add.args;
  const test = filter ? planner.plan(filter).run : undefined;
  if (add.function === '_+_' && rest[0]?.kind === 'list')
    return collecting(accumulator, test, listCollector(planner.plan(rest[0].elements[0] as Expr)));
  if (add.function !== 'cel.@mapInsert' || rest.length !== 2) return undefined;
  return collecting(
    accumulator,
    test,
    mapCollector(planner.plan(rest[0] as Expr).run, planner.plan(rest[1] as Expr).run),
  );
}

/** The step without the filter around it. */
function partsOf(step: Expr): { filter?: Expr; add: Expr } {
  if (step.kind !== 'call' || step.function !== '_?_:_') return { add: step };
  const [filter, add] = step.args as [Expr, Expr];
  return { filter, add };
}

/** What a loop has collected so far. It stands in the place of the accumulator until the loop ends. */
interface Collection {
  /** The error that ends it, if there is one. */
  add(frame: Frame): CelError | undefined;
  result(): CelValue;
}

/** The accumulator, and the sum. */
const LIST_STEP_COST = 1 + 1;
/** The list around the element, unless that is a constant. */
const LIST_COST = 10;
/** The accumulator, and the insertion. */
const MAP_STEP_COST = 1 + 1;

const listCollector = (element: Plan) => {
  const cost = LIST_STEP_COST + (element.constant === undefined ? LIST_COST : 0);
  return (): Collection => {
    const elements: CelValue[] = [];
    return {
      add: (frame) => {
        const value = element.run(frame);
        frame.spend(cost);
        if (value instanceof CelError) return value;
        work(5);
        elements.push(value);
        return undefined;
      },
      result: () => new Values(elements),
    };
  };
};

const mapCollector = (key: Step, value: Step) => (): Collection => {
  const entries = new Map<string | boolean | bigint, readonly [CelValue, CelValue]>();
  return {
    add: (frame) => {
      const newKey = key(frame);
      if (newKey instanceof CelError) return newKey;
      const newValue = value(frame);
      frame.spend(MAP_STEP_COST);
      if (newValue instanceof CelError) return newValue;
      work(20);
      return putEntry(entries, newKey, newValue);
    },
    result: () => new Entries(entries),
  };
};

/** An error takes the place of the collection and stays there. */
function collecting(accumulator: number, test: Step | undefined, create: () => Collection): Collecting {
  const step = (frame: Frame): Collection | CelError => {
    const collection = frame.locals[accumulator] as Collection | CelError;
    if (test) {
      const wanted = test(frame);
      if (wanted === false) return collection;
      if (wanted !== true) return wanted instanceof CelError ? wanted : NO_SUCH_OVERLOAD;
    }
    if (collection instanceof CelError) {
      frame.spend(1);
      return collection;
    }
    return collection.add(frame) ?? collection;
  };
  return {
    step: step as unknown as Step,
    begin: (frame) => {
      frame.locals[accumulator] = create();
    },
    end: (frame) => {
      const collection = frame.locals[accumulator] as Collection | CelError;
      if (!(collection instanceof CelError)) frame.locals[accumulator] = collection.result();
    },
  };
}
