import { work } from '../meter.ts';
import { equal } from './equality.ts';
import { CelError, type CelList, type CelMap, type CelValue, type Result, Uint } from './values.ts';

/** An element that is made where it is looked at. */
const ELEMENT_WORK = 4;
/** An entry that is looked up. */
const ENTRY_WORK = 10;

/** A list whose elements are values already. */
export class Values implements CelList {
  readonly isList = true;
  readonly elements: readonly CelValue[];

  constructor(elements: readonly CelValue[]) {
    this.elements = elements;
  }

  get size(): number {
    return this.elements.length;
  }

  get(index: number): Result {
    return this.elements[index] as CelValue;
  }

  add(other: CelList): CelList | Values {
    return concatenate(this, other);
  }

  equals(other: CelList): boolean | CelError {
    return equalLists(this, other) !== false;
  }
}

/** What `+` makes of two lists. */
class Concatenated extends Values {
  override equals(other: CelList): boolean | CelError {
    return equalLists(this, other);
  }
}

/** The elements, or the first error among them. */
export function elementsOf(list: CelList): readonly CelValue[] | CelError {
  if (list instanceof Values) return list.elements;
  work(ELEMENT_WORK * list.size);
  const elements: CelValue[] = [];
  for (let i = 0; i < list.size; i++) {
    const element = list.get(i);
    if (element instanceof CelError) return element;
    elements.push(element);
  }
  return elements;
}

/** One list after the other. Errors among the elements stay where they are. */
export function concatenate(a: CelList, b: CelList): CelList {
  if (a instanceof Values && b instanceof Values) {
    work(1 + ((a.size + b.size) >> 1));
    return new Concatenated([...a.elements, ...b.elements]);
  }
  work(ELEMENT_WORK * (a.size + b.size));
  const elements: Result[] = [];
  for (const list of [a, b]) for (let i = 0; i < list.size; i++) elements.push(list.get(i));
  return new Concatenated(elements as CelValue[]);
}

/**
 * Element by element, in order. An error where elements cannot be compared and the others are equal; cel-go takes that
 * for equal in most lists, and in maps.
 */
export function equalLists(a: CelList, b: CelList): boolean | CelError {
  if (a.size !== b.size) return false;
  let failure: CelError | undefined;
  for (let i = 0; i < a.size; i++) {
    const same = equalResults(a.get(i), b.get(i));
    if (same === false) return false;
    if (same instanceof CelError) failure ??= same;
  }
  return failure ?? true;
}

/** Whether two values are equal, where either may be an error. */
export function equalResults(a: Result, b: Result): boolean | CelError {
  if (a instanceof CelError) return a;
  return b instanceof CelError ? b : equal(a, b);
}

type CanonicalKey = string | boolean | bigint;

/** Keys are equal across the types of numbers: `{1: 'a'}[1u]`. Undefined: no value can be found by it. */
export function canonicalKey(key: CelValue): CanonicalKey | undefined {
  if (typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint') return key;
  if (key instanceof Uint) return key.value;
  return typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : undefined;
}

/** A map that an expression has made. */
export class Entries implements CelMap {
  readonly isMap = true;
  readonly entries: ReadonlyMap<CanonicalKey, readonly [CelValue, CelValue]>;

  constructor(entries: ReadonlyMap<CanonicalKey, readonly [CelValue, CelValue]>) {
    this.entries = entries;
  }

  get size(): number {
    return this.entries.size;
  }

  find(key: CelValue): Result | undefined {
    const canonical = canonicalKey(key);
    return canonical === undefined ? undefined : this.entries.get(canonical)?.[1];
  }

  *keys(): Iterable<CelValue> {
    for (const [key] of this.entries.values()) yield key;
  }

  equals(other: CelMap): boolean | CelError {
    return equalMaps(this, other);
  }
}

/** Same keys with equal values. */
export function equalMaps(a: CelMap, b: CelMap): boolean {
  work(ENTRY_WORK);
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    work(ENTRY_WORK);
    const left = a.find(key);
    const right = b.find(key);
    if (left === undefined || right === undefined || equalResults(left, right) === false) return false;
  }
  return true;
}

/** An object whose fields are found out when they are asked for, each once: `variables.x`. */
export class LazyObject implements CelMap {
  readonly isMap = true;
  readonly #fields: ReadonlyMap<string, () => Result>;
  readonly #known = new Map<string, Result>();

  constructor(fields: ReadonlyMap<string, () => Result>) {
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#fields.get(key)?.();
    if (value !== undefined) this.#known.set(key, value);
    return value;
  }

  keys(): Iterable<CelValue> {
    return this.#fields.keys();
  }

  equals(other: CelMap): boolean | CelError {
    return this === other || equalMaps(this, other);
  }
}
