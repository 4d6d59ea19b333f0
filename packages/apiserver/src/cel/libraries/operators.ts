/** The operators of the language; their names are those that cel-go gives them in messages. */
import { declare, type FunctionDeclaration, type Library, overload } from '../declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  optionalType,
  STRING,
  TIMESTAMP,
  typeParameter,
  UINT,
} from '../types.ts';
import { add, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.ts';
import { equalResults } from '../values/collections.ts';
import { compare, equal, isComparable } from '../values/equality.ts';
import { CelError, type CelValue, isList, isMap, NO_SUCH_OVERLOAD, type Result } from '../values/values.ts';

const A = typeParameter('A');
const B = typeParameter('B');
const V = typeParameter('V');
const K = typeParameter('K');

/** The evaluator treats these itself: they look at their arguments one after another. */
const special = (): Result => NO_SUCH_OVERLOAD;

type Signature = readonly [id: string, parameters: readonly CelType[], result: CelType];

const operator = (
  name: string,
  singleton: (...values: never[]) => Result,
  ...signatures: Signature[]
): FunctionDeclaration => ({
  name,
  overloads: signatures.map(([id, parameters, result]) => overload(id, parameters, result, singleton)),
  singleton,
});

const ORDERED: readonly (readonly [string, CelType, CelType])[] = [
  ['bool', BOOL, BOOL],
  ['int64', INT, INT],
  ['int64_double', INT, DOUBLE],
  ['int64_uint64', INT, UINT],
  ['uint64', UINT, UINT],
  ['uint64_double', UINT, DOUBLE],
  ['uint64_int64', UINT, INT],
  ['double', DOUBLE, DOUBLE],
  ['double_int64', DOUBLE, INT],
  ['double_uint64', DOUBLE, UINT],
  ['string', STRING, STRING],
  ['bytes', BYTES, BYTES],
  ['timestamp', TIMESTAMP, TIMESTAMP],
  ['duration', DURATION, DURATION],
];

function comparison(name: string, id: string, holds: (order: -1 | 0 | 1) => boolean): FunctionDeclaration {
  const test = (a: CelValue, b: CelValue): Result => {
    const order = compare(a, b);
    if (order instanceof CelError) return isComparable(a) ? order : new CelError(`no such overload: ${name}`);
    return order !== undefined && holds(order);
  };
  return operator(name, test, ...ORDERED.map(([suffix, a, b]): Signature => [`${id}_${suffix}`, [a, b], BOOL]));
}

/** `x in list`, `key in map`. */
function contains(value: CelValue, container: CelValue): Result {
  if (isMap(container)) {
    const found = container.find(value);
    return found instanceof CelError ? found : found !== undefined;
  }
  if (!isList(container)) return NO_SUCH_OVERLOAD;
  let failure: CelError | undefined;
  for (let i = 0; i < container.size; i++) {
    const element = container.get(i);
    const same = container.isTyped ? equalResults(element, value) : equalResults(value, element) === true;
    if (same === true) return true;
    if (same instanceof CelError) failure ??= same;
  }
  return failure ?? false;
}

const not = (value: CelValue): Result => (typeof value === 'boolean' ? !value : NO_SUCH_OVERLOAD);

/** Operators, comparisons, indexes and the conditional. */
export const operators: Library = {
  functions: [
    operator('_&&_', special, ['logical_and', [BOOL, BOOL], BOOL]),
    operator('_||_', special, ['logical_or', [BOOL, BOOL], BOOL]),
    operator('_?_:_', special, ['conditional', [BOOL, A, A], A]),
    operator('@not_strictly_false', special, ['not_strictly_false', [BOOL], BOOL]),
    operator('!_', not, ['logical_not', [BOOL], BOOL]),
    operator('_==_', equal, ['equals', [A, A], BOOL]),
    operator(
      '_!=_',
      // What cannot be compared is not equal, and no error as it is for `==`.
      (a: CelValue, b: CelValue) => equal(a, b) !== true,
      ['not_equals', [A, A], BOOL],
    ),
    operator(
      '_+_',
      add,
      ['add_bytes', [BYTES, BYTES], BYTES],
      ['add_double', [DOUBLE, DOUBLE], DOUBLE],
      ['add_duration_duration', [DURATION, DURATION], DURATION],
      ['add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP],
      ['add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP],
      ['add_int64', [INT, INT], INT],
      ['add_list', [listType(A), listType(A)], listType(A)],
      ['add_string', [STRING, STRING], STRING],
      ['add_uint64', [UINT, UINT], UINT],
    ),
    operator(
      '_-_',
      subtract,
      ['subtract_double', [DOUBLE, DOUBLE], DOUBLE],
      ['subtract_duration_duration', [DURATION, DURATION], DURATION],
      ['subtract_int64', [INT, INT], INT],
      ['subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP],
      ['subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION],
      ['subtract_uint64', [UINT, UINT], UINT],
    ),
    operator(
      '_*_',
      multiply,
      ['multiply_double', [DOUBLE, DOUBLE], DOUBLE],
      ['multiply_int64', [INT, INT], INT],
      ['multiply_uint64', [UINT, UINT], UINT],
    ),
    operator(
      '_/_',
      divide,
      ['divide_double', [DOUBLE, DOUBLE], DOUBLE],
      ['divide_int64', [INT, INT], INT],
      ['divide_uint64', [UINT, UINT], UINT],
    ),
    operator('_%_', modulo, ['modulo_int64', [INT, INT], INT], ['modulo_uint64', [UINT, UINT], UINT]),
    operator('-_', negate, ['negate_double', [DOUBLE], DOUBLE], ['negate_int64', [INT], INT]),
    comparison('_<_', 'less', (order) => order < 0),
    comparison('_<=_', 'less_equals', (order) => order <= 0),
    comparison('_>_', 'greater', (order) => order > 0),
    comparison('_>=_', 'greater_equals', (order) => order >= 0),
    operator('@in', contains, ['in_list', [A, listType(A)], BOOL], ['in_map', [A, mapType(A, B)], BOOL]),
    operator(
      '_[_]',
      special,
      ['index_list', [listType(A), INT], A],
      ['index_map', [mapType(A, B), A], B],
      ['optional_list_index_int', [optionalType(listType(V)), INT], optionalType(V)],
      ['optional_map_index_value', [optionalType(mapType(K, V)), K], optionalType(V)],
    ),
    operator(
      '_[?_]',
      special,
      ['list_optindex_optional_int', [listType(V), INT], optionalType(V)],
      ['optional_list_optindex_optional_int', [optionalType(listType(V)), INT], optionalType(V)],
      ['map_optindex_optional_value', [mapType(K, V), K], optionalType(V)],
      ['optional_map_optindex_optional_value', [optionalType(mapType(K, V)), K], optionalType(V)],
    ),
    declare('_?._', overload('select_optional_field', [DYN, STRING], optionalType(V), special)),
  ],
};
