import { type FieldError, field } from '@vireo/api';

/** Checks every item of a list, handing on its path: `spec.containers[0]`. */
export const each = <T>(
  items: readonly T[] | undefined,
  path: string,
  check: (item: T, path: string, index: number) => FieldError[],
): FieldError[] => (items ?? []).flatMap((item, index) => check(item, `${path}[${index}]`, index));

/** One `Invalid value` for each thing that is wrong with `value`. */
export const invalidFor = (path: string, value: unknown, problems: readonly string[]): FieldError[] =>
  problems.map((problem) => field.invalid(path, value, problem));

/** A string that must be there, and pass `rule` if it is. */
export function requiredText(
  path: string,
  value: string | undefined,
  rule?: (value: string) => string[],
  detail = '',
): FieldError[] {
  if (!value) return [field.required(path, detail)];
  return rule ? invalidFor(path, value, rule(value)) : [];
}

/** A string that may be missing, but passes `rule` if it is there. */
export const optionalText = (
  path: string,
  value: string | undefined,
  rule: (value: string) => string[],
): FieldError[] => (value ? invalidFor(path, value, rule(value)) : []);

/** A string out of a set; a missing one is an error only where `required`. */
export function oneOf(
  path: string,
  value: string | undefined,
  supported: readonly string[],
  required: 'required' | 'optional' = 'optional',
): FieldError[] {
  if (!value) return required === 'required' ? [field.required(path)] : [];
  return supported.includes(value) ? [] : [field.notSupported(path, value, supported)];
}

export const nonNegative = (path: string, value: number | undefined): FieldError[] =>
  value !== undefined && value < 0 ? [field.invalid(path, value, 'must be greater than or equal to 0')] : [];

export const greaterThanZero = (path: string, value: number | undefined): FieldError[] =>
  value !== undefined && value <= 0 ? [field.invalid(path, value, 'must be greater than zero')] : [];

export const inRange = (path: string, value: number | undefined, from: number, to: number): FieldError[] =>
  value !== undefined && (value < from || value > to)
    ? [field.invalid(path, value, `must be between ${from} and ${to}, inclusive`)]
    : [];

/** `Duplicate value` for each key that an earlier item has already; items without a key are left alone. */
export function duplicates<T>(
  items: readonly T[] | undefined,
  keyOf: (item: T) => string | undefined,
  pathOf: (index: number) => string,
): FieldError[] {
  const seen = new Set<string>();
  return (items ?? []).flatMap((item, index) => {
    const key = keyOf(item);
    if (!key) return [];
    if (seen.has(key)) return [field.duplicate(pathOf(index), key)];
    seen.add(key);
    return [];
  });
}

/** The names of those fields of `object` that are set, in the order asked for. */
export const present = <T extends object>(object: T | undefined, names: readonly (keyof T & string)[]): string[] =>
  object ? names.filter((name) => object[name] !== undefined && object[name] !== null) : [];
