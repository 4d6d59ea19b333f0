import { field, type Schema } from '@vireo/api';
import { Validation } from './validation.ts';

type Check = (value: unknown, schema: Schema, path: string, validation: Validation, old?: unknown) => void;

/** Adds what allOf, anyOf, oneOf and not find wrong with a value. What they say of it as a whole is said of no field. */
export function checkCombinations(
  value: unknown,
  schema: Schema,
  path: string,
  validation: Validation,
  old: unknown,
  check: Check,
): void {
  const { allOf, anyOf, oneOf, not } = schema;
  if (!allOf && !anyOf && !oneOf && !not) return;
  const refuse = (why: string) => validation.fail(() => field.invalid('', '', `${JSON.stringify(path)} must ${why}`));
  /** How well a schema fits. Matching patterns costs as much wherever they stand. */
  const attempt = (tried: Schema): Attempt => {
    const { patternWork } = validation;
    const result = new Validation({ patternWork, isQuiet: true });
    check(value, tried, path, result, old);
    validation.patternWork = result.patternWork;
    return { tried, result };
  };
  const merge = (attempted: Attempt): void => {
    const { tried, result } = attempted;
    if (!fits(attempted) && !validation.isQuiet) {
      check(value, tried, path, validation, old);
    } else {
      validation.failures += result.failures;
      validation.matches += result.matches;
    }
  };
  if (anyOf?.length) {
    const attempts = attemptsUntilOneFits(anyOf, attempt);
    const last = attempts.at(-1) as Attempt;
    if (!fits(last)) refuse('validate at least one schema (anyOf)');
    merge(fits(last) ? last : best(attempts));
  }
  if (oneOf?.length) {
    const attempts = oneOf.map(attempt);
    const fitting = attempts.filter(fits);
    if (fitting.length !== 1) {
      const found = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
      refuse(`validate one and only one schema (oneOf). ${found}`);
    }
    if (fitting.length <= 1) merge(fitting[0] ?? best(attempts));
  }
  if (allOf?.length) {
    const attempts = allOf.map(attempt);
    attempts.forEach(merge);
    const fitting = attempts.filter(fits).length;
    if (fitting < allOf.length) refuse(`validate all the schemas (allOf)${fitting === 0 ? '. None validated' : ''}`);
  }
  if (not && fits(attempt(not))) refuse('not validate the schema (not)');
}

interface Attempt {
  readonly tried: Schema;
  readonly result: Validation;
}

const fits = ({ result }: Attempt): boolean => result.failures === 0;

function attemptsUntilOneFits(schemas: readonly Schema[], attempt: (tried: Schema) => Attempt): Attempt[] {
  const attempts: Attempt[] = [];
  for (const schema of schemas) {
    attempts.push(attempt(schema));
    if (fits(attempts.at(-1) as Attempt)) break;
  }
  return attempts;
}

/** The first of those that match most. */
const best = (attempts: readonly Attempt[]): Attempt =>
  attempts.reduce((a, b) => (b.result.matches > a.result.matches ? b : a));
