import type { Random } from '../../faults/random.ts';
import { HOSTILE_TEXTS } from '../fuzz/bodies.ts';

type Json = Record<string, unknown> | unknown[];

const VALUES: readonly unknown[] = [
  ...HOSTILE_TEXTS,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  [],
  {},
  [null],
  [{}],
  [[[]]],
  { '': '' },
  { a: null },
];

type Change = (random: Random, place: Json, key: string | number) => void;

const put = (place: Json, key: string | number, value: unknown): void => {
  // As JSON.parse does it: a member of that name is data.
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true });
};

const CHANGES: readonly Change[] = [
  (random, place, key) => put(place, key, structuredClone(random.pick(VALUES))),
  (random, place, key) => put(place, key, structuredClone(random.pick(VALUES))),
  (_, place, key) => (Array.isArray(place) ? place.splice(Number(key), 1) : delete place[key as string]),
  (_, place, key) => put(place, key, [at(place, key)]),
  (_, place, key) => put(place, key, { [String(key)]: at(place, key) }),
  (random, place, key) => {
    if (Array.isArray(place)) place.push(structuredClone(place[Number(key)]));
    else put(place, random.pick(HOSTILE_TEXTS), at(place, key));
  },
  // Something of the same object, where it does not belong.
  (random, place, key) => {
    const others = placesIn(place);
    const [from, name] = random.pick(others);
    put(place, key, structuredClone(at(from, name)));
  },
];

const at = (place: Json, key: string | number): unknown => (place as Record<string | number, unknown>)[key];

/** The object with a few changes anywhere in it: values of other types, texts that hurt, members that moved. */
export function mutated<T>(random: Random, value: T): T {
  const copy = structuredClone(value) as T;
  for (let changes = random.between(1, 3); changes > 0; changes--) {
    const places = placesIn(copy);
    if (places.length === 0) return copy;
    const [place, key] = random.pick(places);
    random.pick(CHANGES)(random, place, key);
  }
  return copy;
}

/** Every member and element, at any depth. */
function placesIn(value: unknown): [Json, string | number][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.keys(value).map((key): [Json, string | number] => [value as Json, key]);
  return [...own, ...own.flatMap(([place, key]) => placesIn(at(place, key)))];
}
