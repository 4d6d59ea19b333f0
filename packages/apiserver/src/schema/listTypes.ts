import { type FieldError, field, type Schema } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { canonical, keysOf } from './listElements.ts';
import { join } from './path.ts';
import { schemaSearch } from './search.ts';

/** Past this many, more errors help nobody and cost time on hostile input. */
const MAX_ERRORS = 100;

/** What is wrong with the sets and the lists of maps in a value: elements that are there twice. */
export function listTypeErrors(value: unknown, schema: Schema): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, '', errors);
  return errors;
}

/** An update is refused for them only if there were none of them before anywhere, as in Kubernetes. */
export function listTypeUpdateErrors(value: unknown, old: unknown, schema: Schema): FieldError[] {
  const errors = listTypeErrors(value, schema);
  return errors.length === 0 || listTypeErrors(old, schema).length === 0 ? errors : [];
}

function visit(value: unknown, schema: Schema, path: string, errors: FieldError[]): void {
  if (errors.length >= MAX_ERRORS || !mayHaveListTypes(schema)) return;
  if (Array.isArray(value)) {
    const { items, listType } = schema;
    if (listType === 'set') checkSet(value, path, errors);
    if (listType === 'map') checkMaps(value, schema, path, errors);
    if (items) for (const [i, item] of value.entries()) visit(item, items, `${path}[${i}]`, errors);
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const property = schema.properties && own(schema.properties, key);
      if (schema.values) visit(member, schema.values, `${path}[${key}]`, errors);
      if (property) visit(member, property.schema, join(path, key), errors);
    }
  }
}

function checkSet(list: readonly unknown[], path: string, errors: FieldError[]): void {
  for (const index of secondOccurrences(list)) errors.push(field.duplicate(`${path}[${index}]`, list[index]));
}

function checkMaps(list: readonly unknown[], { listMapKeys = [] }: Schema, path: string, errors: FieldError[]): void {
  const wrong = list.findIndex((element) => element !== null && !isObject(element));
  if (wrong >= 0) {
    const why = 'must be an object for an array of list-type map';
    errors.push(field.invalid(`${path}[${wrong}]`, list[wrong], why));
    return;
  }
  const names = [...listMapKeys].sort();
  checkSet(
    list.map((element) => (isObject(element) ? keysOf(element, names) : {})),
    path,
    errors,
  );
}

/** Whether an element is there twice. */
export const hasDuplicates = (list: readonly unknown[]): boolean => secondOccurrences(list).next().done === false;

/** Where an element is met again; only the first time. */
function* secondOccurrences(list: readonly unknown[]): Generator<number, void> {
  const seen = new Map<string, number>();
  for (const [index, element] of list.entries()) {
    const text = canonical(element);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) yield index;
  }
}

/** Most schemas have neither, and their objects need not be looked through. */
const mayHaveListTypes = schemaSearch(({ listType }) => listType === 'set' || listType === 'map');
