import { BOOL } from '../../cel/index.ts';
import { type Activation, activationOf, type Seen } from './activation.ts';
import { admissionEnvironment, type Declared } from './environment.ts';
import { Evaluator, MATCH_CONDITIONS_BUDGET, type Outcome, OutOfBudget } from './evaluator.ts';
import { type Expression, lazyExpression } from './expression.ts';

/** Whether a policy or webhook is about a request, or why nobody knows. */
export type Match =
  | { readonly matches: boolean; readonly error?: undefined }
  | { readonly error: string; readonly matches?: undefined };

/** Compiles the conditions of a webhook or policy. They see all variables but those of the policy. */
export const compileMatchConditions = (
  conditions: readonly { readonly expression: string }[] | undefined,
  { params = false }: Pick<Declared, 'params'> = {},
): readonly Expression[] => {
  if (!conditions?.length) return [];
  const environment = admissionEnvironment({ params, authorizer: true });
  return conditions.map(({ expression }) => lazyExpression(expression, environment, [BOOL]));
};

/**
 * One condition that is false is enough to leave the request alone, whatever is wrong with the others. Conditions do not
 * see the namespace's object.
 */
export function evaluateMatchConditions(
  conditions: readonly Expression[],
  seen: Seen,
  failurePolicy: string | undefined,
): Match {
  if (conditions.length === 0) return { matches: true };
  const outcomes = outcomesOf(conditions, activationOf({ ...seen, namespace: undefined }));
  if (typeof outcomes !== 'string' && outcomes.some(({ value }) => value === false)) return { matches: false };
  const errors =
    typeof outcomes === 'string' ? [outcomes] : outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length === 0) return { matches: true };
  return failurePolicy === 'Ignore' ? { matches: false } : { error: aggregate(errors) };
}

function outcomesOf(conditions: readonly Expression[], activation: Activation): Outcome[] | string {
  const evaluator = new Evaluator(activation, [], MATCH_CONDITIONS_BUDGET);
  try {
    return conditions.map((condition) => evaluator.evaluate(condition));
  } catch (error) {
    if (error instanceof OutOfBudget) return error.message;
    throw error;
  }
}

/** Several errors as Go joins them. */
const aggregate = (errors: readonly string[]): string => {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
};
