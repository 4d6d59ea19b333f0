import { type FieldError, field, fieldError, type Schema } from '@vireo/api';
import type { ValidationRule } from '@vireo/api/schema.ts';
import { CelError, type CelValue, fromSchema, Optional, type Result, WORK_LIMIT } from '../cel/index.ts';
import { withWork } from '../cel/meter.ts';
import { type CompiledRule, isTooDear } from './compile.ts';

/** What has been found so far, and what may still be spent. Below zero, nothing more is run. */
export interface Run {
  readonly errors: FieldError[];
  /** About parts that were wrong before already. */
  readonly warnings: string[];
  budget: number;
  /** The same for what the server really does. */
  work: number;
}

/** A run that has found nothing yet. */
export const newRun = (work = OBJECT_WORK): Run => ({ errors: [], warnings: [], budget: OBJECT_BUDGET, work });

/** What all rules may cost together on one object; Kubernetes' number. */
const OBJECT_BUDGET = 10_000_000;
/** Ten runs of rules that do all that they may; more than half a second. */
const OBJECT_WORK = 10 * WORK_LIMIT;

/** Kubernetes' words for having spent the budget of an object. */
export const outOfBudget = (path: string, schema: Schema): FieldError =>
  field.invalid(
    path,
    schema.type ?? '',
    'validation failed due to running out of cost budget, no further validation rules will be run',
  );

const MAX_MESSAGE_BYTES = 5 * 1024;

/**
 * The rules of one node on one value. `forgives`: whether the value is what it was, so that errors are warnings. Gives
 * way after each rule.
 */
export function* runRules(
  rules: readonly CompiledRule[],
  schema: Schema,
  value: unknown,
  old: unknown,
  path: string,
  forgives: () => boolean,
  run: Run,
): Generator<Run, void> {
  const self = withWork(() => fromSchema(value, schema));
  const oldSelf = old === undefined || old === null ? undefined : withWork(() => fromSchema(old, schema));
  const at = path === '' ? '<nil>' : path;
  for (const compiled of rules) {
    const { rule, program, error, usesOldSelf } = compiled;
    if (error !== undefined) {
      run.errors.push(field.invalid(at, schema.type ?? '', `rule compile error: ${error}`));
      continue;
    }
    if (!program || (usesOldSelf && oldSelf === undefined && !rule.optionalOldSelf)) continue;
    const variables = variablesOf(self, rule.optionalOldSelf ? optionalOf(oldSelf) : oldSelf);
    const { value: outcome, cost, work } = program.evaluate(variables);
    run.work -= work;
    yield run;
    if (cost > run.budget || run.work < 0) {
      run.errors.push(outOfBudget(at, schema));
      run.budget = -1;
      return;
    }
    run.budget -= cost;
    if (outcome === true) continue;
    if (outcome instanceof CelError) {
      run.errors.push(failed(outcome.message, rule, at, schema));
      if (!isTooDear(outcome.message)) continue;
      run.budget = -1;
      return;
    }
    const finding = falseError(compiled, value, schema, path, variables, run);
    if (!usesOldSelf && forgives()) run.warnings.push(`${finding.field}: ${finding.text}`);
    else run.errors.push(finding);
    if (run.budget < 0) return;
  }
}

const variablesOf =
  (self: Result, oldSelf: Result | undefined) =>
  (name: string): Result | undefined =>
    name === 'self' ? self : name === 'oldSelf' ? oldSelf : undefined;

function optionalOf(value: Result | undefined): Result {
  if (value instanceof CelError) return value;
  return value === undefined ? Optional.none : new Optional(value as CelValue);
}

/** What a rule is called in errors: its message, or else itself. */
const nameOf = ({ rule, message }: ValidationRule): string => (message ? message.trim() : rule.trim());

/** An error while the rule was run. */
function failed(message: string, rule: ValidationRule, path: string, schema: Schema): FieldError {
  const name = nameOf(rule);
  const type = schema.type ?? '';
  if (message.startsWith('no such overload')) {
    const why = 'call arguments did not match a supported operator, function or macro signature for rule';
    return field.invalid(path, type, `'${message}': ${why}: ${name}`);
  }
  if (isTooDear(message)) {
    const why = 'no further validation rules will be run due to call cost exceeds limit for rule';
    return field.invalid(path, type, `'${message}': ${why}: ${name}`);
  }
  return field.invalid(path, type, `${message} evaluating rule: ${name}`);
}

/** The error of a rule that does not hold. */
function falseError(
  compiled: CompiledRule,
  value: unknown,
  schema: Schema,
  path: string,
  variables: (name: string) => Result | undefined,
  run: Run,
): FieldError {
  const { rule, fieldPath } = compiled;
  const at = fieldPath === undefined ? path : path === '' ? fieldPath : `${path}.${fieldPath}`;
  const shown = at === '' ? '<nil>' : at;
  const message = evaluatedMessage(compiled, variables, run);
  if (run.budget < 0) return field.invalid(shown, schema.type ?? '', message as string);
  const detail = message ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`);
  const isOmitted = schema.type === 'object' || schema.type === 'array';
  const shownValue = isOmitted ? '' : `: ${typeof value === 'number' ? value : JSON.stringify(value)}`;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return field.forbidden(shown, detail);
    case 'FieldValueRequired':
      return field.required(shown, detail);
    case 'FieldValueDuplicate':
      return fieldError(shown, `Duplicate value${shownValue}`, 'FieldValueDuplicate');
    default:
      return fieldError(shown, `Invalid value${shownValue}${detail === '' ? '' : `: ${detail}`}`);
  }
}

/** What the message expression says; undefined where it says nothing of use. Below zero the budget is spent. */
function evaluatedMessage(
  { rule, message }: CompiledRule,
  variables: (name: string) => Result | undefined,
  run: Run,
): string | undefined {
  if (!message) return undefined;
  const { value, cost, work } = message.evaluate(variables);
  run.work -= work;
  const source = JSON.stringify(rule.messageExpression);
  if (cost > run.budget || run.work < 0) {
    run.budget = -1;
    return 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
  }
  if (value instanceof CelError && isTooDear(value.message)) {
    run.budget = -1;
    return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`;
  }
  run.budget -= cost;
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : text;
}
