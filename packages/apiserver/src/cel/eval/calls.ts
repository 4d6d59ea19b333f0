import { callCostOf, needsResult } from '../cost/actual.ts';
import type { FunctionDeclaration, Overload } from '../declarations.ts';
import { callWork } from '../meter.ts';
import type { Call } from '../syntax/ast.ts';
import type { CelType } from '../types.ts';
import { CelError, type CelValue, isList, isMap, type Result, typeName } from '../values/values.ts';
import type { Step } from './frame.ts';

type Implementation = (...values: CelValue[]) => Result;

/** A call of a function: its arguments from left to right, then its cost, then what it does. */
export function planCall(expr: Call, declared: FunctionDeclaration, args: readonly Step[]): Step {
  const overload = expr.overloads?.length === 1 ? (expr.overloads[0] as string) : '';
  const call = (declared.singleton as Implementation | undefined) ?? dispatcher(expr, declared, args.length);
  const cost = callCostOf(declared.name, overload);
  if (needsResult(declared.name, overload)) {
    return (frame) => {
      const values = evaluateAll(args, frame);
      if (values instanceof CelError) return values;
      callWork(values);
      const result = call(...values);
      frame.spend(cost(values, result));
      return result;
    };
  }
  if (args.length === 2) {
    const [left, right] = args as [Step, Step];
    return (frame) => {
      const a = left(frame);
      if (a instanceof CelError) return a;
      const b = right(frame);
      const values = [a, b instanceof CelError ? null : b];
      callWork(values);
      frame.spend(cost(values, null));
      return b instanceof CelError ? b : call(a, b);
    };
  }
  return (frame) => {
    const values: CelValue[] = [];
    for (let i = 0; i < args.length; i++) {
      const value = (args[i] as Step)(frame);
      if (value instanceof CelError) {
        // Where all arguments have been looked at, the call counts.
        if (i === args.length - 1) frame.spend(cost([...values, null], null));
        return value;
      }
      values.push(value);
    }
    callWork(values);
    frame.spend(cost(values, null));
    return call(...values);
  };
}

function evaluateAll(args: readonly Step[], frame: Parameters<Step>[0]): CelValue[] | CelError {
  const values: CelValue[] = [];
  for (let i = 0; i < args.length; i++) {
    const value = (args[i] as Step)(frame);
    if (value instanceof CelError) return value;
    values.push(value);
  }
  return values;
}

/** The overload is the one that fits the values: what is dyn to the checker is known only now. */
function dispatcher(expr: Call, { name, overloads }: FunctionDeclaration, count: number): Implementation {
  const isMember = expr.target !== undefined;
  const candidates = overloads.filter(({ member, parameters }) => member === isMember && parameters.length === count);
  const certain = expr.overloads?.length === 1 ? candidates.find(({ id }) => id === expr.overloads?.[0]) : undefined;
  const ordered = certain ? [certain] : candidates;
  return (...values) => {
    for (const candidate of ordered) {
      if (fits(candidate, values)) return (candidate.call as Implementation)(...values);
    }
    return new CelError(`no such overload: ${name}(${values.map(typeName).join(', ')})`);
  };
}

const fits = ({ parameters, unguarded }: Overload, values: readonly CelValue[]): boolean =>
  unguarded === true || parameters.every((type, i) => isOfType(values[i] as CelValue, type));

/** Whether a value is of a type; of lists and maps the first element tells. */
function isOfType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'typeParameter':
      return true;
    case 'list': {
      if (!isList(value)) return false;
      const first = value.size > 0 ? value.get(0) : undefined;
      return first === undefined || first instanceof CelError || isOfType(first, type.parameters[0] as CelType);
    }
    case 'map':
      return isMap(value);
    default:
      return typeName(value) === type.name;
  }
}
