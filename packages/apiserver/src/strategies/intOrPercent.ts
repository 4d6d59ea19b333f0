import { type FieldError, field } from '@vireo/api';
import { nonNegative } from './fields.ts';

const PERCENT = /^[0-9]+%$/;
const NOT_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for " +
  "validation is '[0-9]+%')";

/** A number of pods, or a share of them such as `25%`. */
export function validateIntOrPercent(value: number | string | undefined, path: string): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === 'number') return nonNegative(path, value);
  return PERCENT.test(value) ? [] : [field.invalid(path, value, NOT_PERCENT)];
}

export const atMostAll = (value: number | string | undefined, path: string): FieldError[] =>
  typeof value === 'string' && PERCENT.test(value) && Number.parseInt(value, 10) > 100
    ? [field.invalid(path, value, 'must not be greater than 100%')]
    : [];

export const isZero = (value: number | string | undefined): boolean => value === 0 || value === '0' || value === '0%';
