/** cel-go's library of sets: lists whose order does not count. */
import { declare, type Library, overload } from '../declarations.ts';
import { BOOL, listType, typeParameter } from '../types.ts';
import { elementsOf } from '../values/collections.ts';
import { equal } from '../values/equality.ts';
import { CelError, type CelList, type CelValue, type Result } from '../values/values.ts';

const LISTS = [listType(typeParameter('T')), listType(typeParameter('T'))];

const has = (elements: readonly CelValue[], value: CelValue): boolean =>
  elements.some((element) => equal(element, value) === true);

function compareSets(
  a: CelList,
  b: CelList,
  test: (a: readonly CelValue[], b: readonly CelValue[]) => boolean,
): Result {
  const left = elementsOf(a);
  const right = elementsOf(b);
  if (left instanceof CelError) return left;
  return right instanceof CelError ? right : test(left, right);
}

const contains = (a: readonly CelValue[], b: readonly CelValue[]): boolean => b.every((value) => has(a, value));
const equivalent = (a: readonly CelValue[], b: readonly CelValue[]): boolean => contains(a, b) && contains(b, a);
const intersects = (a: readonly CelValue[], b: readonly CelValue[]): boolean => a.some((value) => has(b, value));

const declareSet = (name: string, test: (a: readonly CelValue[], b: readonly CelValue[]) => boolean) =>
  declare(
    `sets.${name}`,
    overload(`list_sets_${name}_list`, LISTS, BOOL, (a: CelList, b: CelList) => compareSets(a, b, test)),
  );

/** `sets.contains`, `sets.equivalent` and `sets.intersects`. */
export const sets: Library = {
  functions: [
    declareSet('contains', contains),
    declareSet('equivalent', equivalent),
    declareSet('intersects', intersects),
  ],
};
