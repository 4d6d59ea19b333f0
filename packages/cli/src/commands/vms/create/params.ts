import { parseQuantity } from '@vireo/api/quantity.ts';
import { Failure } from '../../../failure.ts';
import type { ParamType, ParamValues, Shape } from './shapes.ts';

/** What was given for a shape. */
export type Params<S extends Shape> = { readonly [Name in keyof S]?: ParamValues[S[Name]] };

/** A flag that is wrong, in virtctl's words. */
export const flagError = (flag: string, problem: string): Failure =>
  new Failure(`failed to parse "--${flag}" flag: ${problem}`);

/** Reads `name:value,…`; values may have colons, names may not. */
export function splitParams(flag: string, text: string): Map<string, string> {
  if (text === '') throw flagError(flag, 'params may not be empty');
  return new Map(
    text.split(',').map((param) => {
      const colon = param.indexOf(':');
      if (colon < 0) throw flagError(flag, `params need to have at least one colon: ${param}`);
      return [param.slice(0, colon), param.slice(colon + 1)];
    }),
  );
}

/** Reads a flag of that shape; what does not belong to it is refused by name. */
export function readParams<const S extends Shape>(flag: string, text: string, shape: S): Params<S> {
  const given = splitParams(flag, text);
  const unknown = [...given].filter(([name]) => !Object.hasOwn(shape, name));
  const values = Object.entries(shape).flatMap(([name, type]) => {
    const value = given.get(name);
    return value === undefined ? [] : [[name, readValue(flag, name, value, type)]];
  });
  if (unknown.length > 0)
    throw flagError(flag, `unknown param(s): ${unknown.map(([name, value]) => `${name}:${value}`).join(',')}`);
  return Object.fromEntries(values) as Params<S>;
}

function readValue(flag: string, name: string, text: string, type: ParamType): string | number | readonly string[] {
  const wrong = (why: string): Failure => flagError(flag, `failed to parse param "${name}": ${why}`);
  switch (type) {
    case 'string':
      return text;
    case '[]string':
      return text.split(';');
    case 'uint':
      if (!/^\d{1,10}$/.test(text)) throw wrong(`strconv.ParseUint: parsing "${text}": invalid syntax`);
      return Number(text);
    case 'resource.Quantity':
      return quantity(text, (why) => wrong(why));
  }
}

/** The text, if it is a quantity. */
export function quantity(text: string, wrong: (why: string) => Failure): string {
  try {
    parseQuantity(text);
    return text;
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

/** `prefix/name`, or a name alone. */
export function splitPrefixed(text: string, wrong: (why: string) => Failure): { prefix?: string; name: string } {
  const parts = text.split('/');
  if (parts.length > 2) throw wrong(`invalid count ${parts.length - 1} of slashes in prefix/name`);
  const name = parts.at(-1) ?? '';
  if (name === '') throw wrong('name cannot be empty');
  return { name, ...(parts.length === 2 && parts[0] !== '' && { prefix: parts[0] }) };
}
