/** What is wrong with a value by the types of its schema, in Kubernetes' words. */
import type { Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { goText } from '../goText.ts';
import { elementText, indexElement } from './pathElement.ts';
import {
  fieldElement,
  itemElement,
  type ListStructure,
  type Place,
  placeOfItems,
  placeOfKey,
  type Structure,
  structureOf,
} from './structure.ts';

/**
 * The errors of a value, such as `.spec.foo: field not declared in schema`. An object may have items of a list twice,
 * a configuration must not.
 */
export function typeErrors(value: unknown, schema: Schema, { allowDuplicates = false } = {}): string[] {
  const errors: Wrong[] = [];
  new TypeCheck(errors, allowDuplicates).value(value, { schema }, undefined);
  return errors.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`));
}

/** Several errors as one text. */
export const errorText = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] as string) : `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`;

interface Wrong {
  readonly path: string;
  readonly text: string;
}

/** From the end to the root, so that a path is only written out where something is wrong. */
interface Path {
  readonly above: Path | undefined;
  readonly element: string;
}

const textOf = (path: Path | undefined): string => (path ? textOf(path.above) + elementText(path.element) : '');

class TypeCheck {
  readonly #errors: Wrong[];
  readonly #allowDuplicates: boolean;

  constructor(errors: Wrong[], allowDuplicates: boolean) {
    this.#errors = errors;
    this.#allowDuplicates = allowDuplicates;
  }

  /** Null is a value of every type. */
  value(value: unknown, place: Place, path: Path | undefined): undefined {
    if (value === null) return;
    const structure = structureOf(place, value);
    switch (structure.type) {
      case 'scalar':
        return this.#scalar(value, structure.scalar, path);
      case 'map':
        return this.#map(value, structure.place, path);
      case 'list':
        return this.#list(value, structure, path);
      case 'atomic':
        return this.#atomic(value, structure, path);
    }
  }

  #atomic(value: unknown, { of, place }: Extract<Structure, { type: 'atomic' }>, path: Path | undefined): undefined {
    if (of === 'anything') return;
    if (of === 'map') return this.#map(value, place, path);
    if (!Array.isArray(value)) return this.#wrong(path, `expected list, got ${shown(value)}`);
    const items = placeOfItems(place);
    if (items.schema)
      for (const [i, item] of value.entries()) this.value(item, items, { above: path, element: indexElement(i) });
  }

  #map(value: unknown, place: Place, path: Path | undefined): undefined {
    if (!isObject(value)) return this.#wrong(path, `expected map, got ${shown(value)}`);
    if (!place.schema) return;
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      const here = { above: path, element: fieldElement(key) };
      const inner = placeOfKey(place, key);
      if (inner) this.value(item, inner, here);
      else this.#wrong(here, 'field not declared in schema');
    }
  }

  #list(value: unknown, structure: ListStructure, path: Path | undefined): undefined {
    if (!Array.isArray(value)) return this.#wrong(path, `expected list, got ${shown(value)}`);
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      const element = itemElement(item, structure);
      // The others cannot be told apart from it, so nothing more is said of the list.
      if (element === undefined) return this.#wrong(path, `element ${index}: ${keyProblem(item, structure.keys)}`);
      if (seen.has(element) && !this.#allowDuplicates)
        this.#wrong(path, `duplicate entries for key ${elementText(element)}`);
      seen.add(element);
      this.value(item, structure.items, { above: path, element });
    }
  }

  #scalar(value: unknown, scalar: 'string' | 'numeric' | 'boolean' | 'untyped', path: Path | undefined): undefined {
    const type = typeof value;
    if (scalar === 'numeric' && type !== 'number')
      this.#wrong(path, `expected numeric (int or float), got ${goType(value)}`);
    if (scalar === 'string' && type !== 'string') this.#wrong(path, `expected string, got ${shownWithType(value)}`);
    if (scalar === 'boolean' && type !== 'boolean') this.#wrong(path, `expected boolean, got ${shown(value)}`);
    if (scalar === 'untyped' && type === 'object') this.#wrong(path, `expected any scalar, got ${shown(value)}`);
  }

  #wrong(path: Path | undefined, text: string): undefined {
    this.#errors.push({ path: textOf(path), text });
  }
}

/** Why an item of a list cannot be told from the others. */
export function keyProblem(item: unknown, keys: readonly string[] | undefined): string {
  if (keys) {
    if (item === null) return 'associative list with keys may not have a null element';
    if (!isObject(item)) return 'associative list with keys may not have non-map elements';
    const names = keys.map((key) => JSON.stringify(key)).join(' ');
    return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
  }
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  return "associative list without keys has an element that's a map type";
}

/** How Go prints the value. */
const shown = (value: unknown): string => `&{${goText(value)}}`;

/** How Go prints the value with its type. */
const shownWithType = (value: unknown): string => `&value.valueUnstructured{Value:${goLiteral(value)}}`;

function goLiteral(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${goLiteral(value[key])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

function goType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return '[]interface {}';
  return isObject(value) ? 'map[string]interface {}' : typeof value;
}
