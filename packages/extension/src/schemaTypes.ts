import type { Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

/**
 * The first place where a value is not of its schema's type, in words; undefined where all is well. Only types and
 * missing fields count: enough to read the value without care, and what else is wrong is for others to say.
 *
 * @example
 * typeMismatch('dryRun', 'All', list(string)) // 'dryRun is "All", not of type array'
 */
export function typeMismatch(path: string, value: unknown, schema: Schema): string | undefined {
  const found = mismatch(value, schema);
  return found && `${path === '' ? found.below.replace(/^\./, '') : path + found.below} ${found.words}`;
}

/**
 * The schema with a field that may be missing, named by the path to it.
 *
 * @example
 * withOptional(AddVolumeOptions, 'disk', 'name')
 */
export function withOptional<B>(schema: Schema<B>, name: string, ...below: string[]): Schema<B> {
  const property = schema.properties?.[name];
  if (!property) throw new TypeError(`${schema.name} has no field ${name}`);
  const [next, ...rest] = below;
  const changed =
    next === undefined
      ? { ...property, required: false }
      : { ...property, schema: withOptional(property.schema, next, ...rest) };
  return { ...schema, properties: { ...schema.properties, [name]: changed } };
}

/** What is wrong, and where below the value that was looked at: `.a[0].b`. */
interface Mismatch {
  readonly below: string;
  readonly words: string;
}

/** Every object that is written passes here, and hardly ever is anything found: paths are put together only then. */
function mismatch(value: unknown, schema: Schema): Mismatch | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isOfType(value, schema)) return { below: '', words: `is ${describe(value)}, not of type ${schema.type}` };
  if (Array.isArray(value)) {
    const { items } = schema;
    for (let index = 0; items && index < value.length; index++) {
      const found = mismatch(value[index], items);
      if (found) return { ...found, below: `[${index}]${found.below}` };
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { properties = {}, values } = schema;
  for (const name of requiredIn(schema))
    if (value[name] === undefined || value[name] === null) return { below: `.${name}`, words: 'is missing' };
  for (const name of Object.keys(value)) {
    const of = values ?? (Object.hasOwn(properties, name) ? properties[name]?.schema : undefined);
    const found = of && mismatch(value[name], of);
    if (found) return { ...found, below: `.${name}${found.below}` };
  }
  return undefined;
}

const required = new WeakMap<Schema, readonly string[]>();

/** The names of the fields that may not be missing; schemas never change, and have many more that may. */
function requiredIn(schema: Schema): readonly string[] {
  let names = required.get(schema);
  if (!names) {
    names = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => (property.required ? [name] : []));
    required.set(schema, names);
  }
  return names;
}

function isOfType(value: unknown, { type, format }: Schema): boolean {
  if (type === undefined) return true;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  if (format === 'quantity') return typeof value === 'string' || typeof value === 'number';
  return typeof value === type;
}

const describe = (value: unknown): string => (Array.isArray(value) ? 'a list' : (JSON.stringify(value) ?? 'nothing'));
