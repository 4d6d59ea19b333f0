import type {
  Persisted,
  StatusReason,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
} from '@vireo/api';
import { isAudited } from '../../audit/context.ts';
import type { Pauses } from '../../pauses.ts';
import { activationOf, type Seen } from '../expressions/activation.ts';
import { COST_BUDGET, Evaluator, type Outcome, OutOfBudget } from '../expressions/evaluator.ts';
import type { Expression } from '../expressions/expression.ts';
import { evaluateMatchConditions } from '../expressions/matchConditions.ts';
import type { CompiledValidating } from './compile.ts';
import type { Invocation } from './types.ts';

export type ValidatingInvocation = Invocation<
  Persisted<ValidatingAdmissionPolicy>,
  Persisted<ValidatingAdmissionPolicyBinding>,
  CompiledValidating
>;

/** A validation that failed, or could not be evaluated by a policy that then refuses. */
export interface Failure {
  /** Of the validation in the policy. */
  readonly index: number;
  readonly message: string;
  readonly reason?: StatusReason;
}

/** What a policy has to say about a request. */
export interface Verdict {
  /** What the actions of the binding are taken for. */
  readonly failures: readonly Failure[];
  /** Audit annotations that cannot be computed: the request is refused whatever the actions are. */
  readonly annotationErrors: readonly string[];
  /** What the policy wants to have in the audit log, by its keys. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

const ADMITTED: Verdict = { failures: [], annotationErrors: [], annotations: [] };
const MAX_ANNOTATION_LENGTH = 10 * 1024;
const MAX_MESSAGE_BYTES = 5 * 1024;

/** Evaluates a policy with one parameter. Never throws for anything in the policy. */
export async function evaluateValidating(
  { policy, compiled }: ValidatingInvocation,
  seen: Seen,
  pauses: Pauses,
): Promise<Verdict> {
  const { spec = {} } = policy;
  const isIgnored = spec.failurePolicy === 'Ignore';
  const refused = (message: string): Verdict =>
    isIgnored ? ADMITTED : { ...ADMITTED, failures: [{ index: 0, message }] };
  const match = evaluateMatchConditions(compiled.conditions, seen, spec.failurePolicy);
  if (match.error !== undefined) return refused(match.error);
  if (!match.matches) return ADMITTED;
  try {
    const failures = await failuresOf(compiled, spec.validations ?? [], seen, isIgnored, pauses);
    // An annotation that cannot be computed refuses the request, whether or not anybody logs it.
    const keys = isIgnored && !isAudited() ? [] : (spec.auditAnnotations ?? []).map(({ key }) => key);
    const { errors, annotations } = await annotationsOf(compiled, keys, seen, pauses);
    return { failures, annotationErrors: isIgnored ? [] : errors, annotations };
  } catch (error) {
    if (error instanceof OutOfBudget) return refused(error.message);
    throw error;
  }
}

async function failuresOf(
  { validations, variables, messages }: CompiledValidating,
  specs: readonly Validation[],
  seen: Seen,
  isIgnored: boolean,
  pauses: Pauses,
): Promise<Failure[]> {
  const evaluator = new Evaluator(activationOf(seen), variables, COST_BUDGET);
  const outcomes = await outcomesOf(evaluator, validations, pauses);
  // Expressions of messages cannot ask the authorizer.
  const { authorizer: _, ...seenByMessages } = seen;
  let messageEvaluator: Evaluator | undefined;
  return outcomes.flatMap(({ value, error }, index): Failure[] => {
    if (error !== undefined) return isIgnored ? [] : [{ index, message: error }];
    if (value === true) return [];
    const spec = specs[index] as Validation;
    const messageExpression = messages[index];
    messageEvaluator ??= new Evaluator(activationOf(seenByMessages), variables, evaluator.budget);
    try {
      const said = messageExpression && messageOf(messageEvaluator.evaluate(messageExpression));
      return [{ index, message: said || defaultMessage(spec), reason: (spec.reason ?? 'Invalid') as StatusReason }];
    } catch (failed) {
      if (!(failed instanceof OutOfBudget)) throw failed;
      return isIgnored ? [] : [{ index, message: `failed messageExpression: ${failed.message}` }];
    }
  });
}

const defaultMessage = ({ message = '', expression }: Validation): string =>
  message.trim() || `failed expression: ${expression.trim()}`;

/** Empty where the result cannot be shown: it is no text, empty, too long or has several lines. */
function messageOf({ value }: Outcome): string {
  const message = typeof value === 'string' ? value.trim() : '';
  return Buffer.byteLength(message) > MAX_MESSAGE_BYTES || message.includes('\n') ? '' : message;
}

/** What belongs in the audit log: texts; null and '' are nothing. */
async function annotationsOf(
  { annotations: expressions, variables }: CompiledValidating,
  keys: readonly string[],
  { authorizer: _, ...seen }: Seen,
  pauses: Pauses,
): Promise<{ errors: string[]; annotations: [string, string][] }> {
  if (keys.length === 0) return { errors: [], annotations: [] };
  const evaluator = new Evaluator(activationOf(seen), variables, COST_BUDGET);
  const outcomes = await outcomesOf(evaluator, expressions, pauses);
  return {
    errors: outcomes.flatMap(({ error }) => (error === undefined ? [] : [error])),
    annotations: outcomes.flatMap(({ value }, index): [string, string][] => {
      const text = typeof value === 'string' ? value.trim().slice(0, MAX_ANNOTATION_LENGTH) : '';
      return text === '' ? [] : [[keys[index] ?? '', text]];
    }),
  };
}

async function outcomesOf(
  evaluator: Evaluator,
  expressions: readonly Expression[],
  pauses: Pauses,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const expression of expressions) {
    const pause = pauses.due();
    if (pause) await pause;
    outcomes.push(evaluator.evaluate(expression));
  }
  return outcomes;
}
