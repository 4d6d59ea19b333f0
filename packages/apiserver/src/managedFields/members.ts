/** The fields that an applied configuration sets, and what is wrong with it by its schema. */
import type { Schema } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import { goText } from '../goText.ts';
import { EMPTY_SET, type FieldSet, nodeOf } from './fieldSet.ts';
import { elementText } from './pathElement.ts';
import {
  fieldElement,
  itemElement,
  namedField,
  type Place,
  placeOfKey,
  type Structure,
  structureOf,
} from './structure.ts';

export interface Members {
  readonly fields: FieldSet;
  /** In Kubernetes' words: `.spec.foo: field not declared in schema`. */
  readonly errors: readonly string[];
}

/** The fields of a configuration. Values that exist already are read with `lenient`: items may then occur twice. */
export function membersOf(config: unknown, schema: Schema, { lenient = false } = {}): Members {
  const errors: string[] = [];
  const walk = new Walk(errors, lenient);
  const fields = walk.value(config, { schema }, '') ?? EMPTY_SET;
  return { fields, errors };
}

class Walk {
  readonly #errors: string[];
  readonly #lenient: boolean;

  constructor(errors: string[], lenient: boolean) {
    this.#errors = errors;
    this.#lenient = lenient;
  }

  /** The node of a value: whether it is a field itself, and the fields below it. */
  value(value: unknown, place: Place, path: string): FieldSet | undefined {
    const structure = structureOf(place, value);
    if (value === null) return structure.type === 'map' || structure.type === 'list' ? undefined : EMPTY_SET;
    switch (structure.type) {
      case 'scalar':
        this.#scalar(value, structure.scalar, path);
        return EMPTY_SET;
      case 'atomic':
        if (structure.of === 'list' && !Array.isArray(value)) this.#wrong(path, `expected list, got ${shown(value)}`);
        if (structure.of === 'map' && !isObject(value)) this.#wrong(path, `expected map, got ${shown(value)}`);
        return EMPTY_SET;
      case 'map':
        return isObject(value)
          ? this.#map(value, structure.schema, path)
          : this.#wrong(path, `expected map, got ${shown(value)}`);
      case 'list':
        return Array.isArray(value)
          ? this.#list(value, structure, path)
          : this.#wrong(path, `expected list, got ${shown(value)}`);
    }
  }

  #map(value: JsonObject, schema: Schema | undefined, path: string): FieldSet | undefined {
    const below: [string, FieldSet][] = [];
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      const here = `${path}.${key}`;
      const place = placeOfKey(schema, key);
      if (!place) {
        this.#wrong(here, 'field not declared in schema');
        continue;
      }
      const node = this.value(item, place, here);
      const isField = isNothing(item) || !namedField(schema, key);
      const kept = isField ? asMember(node) : node;
      if (kept) below.push([fieldElement(key), kept]);
    }
    return nodeOf(false, below);
  }

  #list(value: unknown[], { items, keys }: Extract<Structure, { type: 'list' }>, path: string): FieldSet | undefined {
    const nodes = new Map<string, FieldSet>();
    for (const [index, item] of value.entries()) {
      const element = itemElement(item, items, keys);
      if (element === undefined) {
        this.#wrong(path, `element ${index}: ${keyProblem(item, keys)}`);
        continue;
      }
      const here = `${path}${elementText(element)}`;
      if (nodes.has(element)) {
        if (!this.#lenient) this.#wrong(path, `duplicate entries for key ${elementText(element)}`);
        nodes.set(element, EMPTY_SET);
        continue;
      }
      nodes.set(element, asMember(this.value(item, { schema: items }, here)));
    }
    return nodeOf(false, [...nodes]);
  }

  #scalar(value: unknown, scalar: 'string' | 'numeric' | 'boolean' | 'untyped', path: string): void {
    const type = typeof value;
    if (scalar === 'numeric' && type !== 'number')
      this.#wrong(path, `expected numeric (int or float), got ${goType(value)}`);
    if (scalar === 'string' && type !== 'string') this.#wrong(path, `expected string, got ${shownWithType(value)}`);
    if (scalar === 'boolean' && type !== 'boolean') this.#wrong(path, `expected boolean, got ${shown(value)}`);
    if (scalar === 'untyped' && type === 'object') this.#wrong(path, `expected any scalar, got ${shown(value)}`);
  }

  #wrong(path: string, text: string): undefined {
    this.#errors.push(`${path}: ${text}`);
    return undefined;
  }
}

/** Null and a map without keys are fields wherever they stand. */
const isNothing = (value: unknown): boolean => value === null || (isObject(value) && Object.keys(value).length === 0);

/** The same node, as a field of its own. */
const asMember = (node: FieldSet | undefined): FieldSet =>
  node === undefined
    ? EMPTY_SET
    : (nodeOf(
        true,
        Object.entries(node).filter(([element]) => element !== '.'),
      ) as FieldSet);

/** Why an item of a list cannot be told from the others. */
function keyProblem(item: unknown, keys: readonly string[] | undefined): string {
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
