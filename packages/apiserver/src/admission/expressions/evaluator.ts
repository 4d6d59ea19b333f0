import { CelError, type CelValue, LazyObject, type Result } from '../../cel/index.ts';
import type { Activation } from './activation.ts';
import type { Expression } from './expression.ts';

/** What the expressions of one policy, binding and parameter may cost together. */
export const COST_BUDGET = 10_000_000;
/** What the match conditions of one policy or webhook may cost together. */
export const MATCH_CONDITIONS_BUDGET = 2_500_000;

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** The budget is spent: no expression is evaluated any more. */
export class OutOfBudget extends Error {
  constructor() {
    super(OUT_OF_BUDGET);
  }
}

/** What an expression came to. */
export type Outcome =
  | { readonly value: CelValue; readonly error?: undefined }
  | { readonly error: string; readonly value?: undefined };

/** A variable of a policy. */
export interface NamedExpression extends Expression {
  readonly name: string;
}

/** Evaluates expressions that share their variables and a budget. */
export class Evaluator {
  readonly #activation: Activation;
  readonly #variables: LazyObject;
  #budget: number;

  constructor(activation: Activation, variables: readonly NamedExpression[], budget: number) {
    this.#activation = (name) => (name === 'variables' ? this.#variables : activation(name));
    this.#variables = new LazyObject(new Map(variables.map((each) => [each.name, () => this.#variable(each)])));
    this.#budget = budget;
  }

  /** What is left, for expressions that see other variables and share the budget. */
  get budget(): number {
    return this.#budget;
  }

  /** Throws OutOfBudget. */
  evaluate({ source, program, error }: Expression): Outcome {
    if (!program) return { error: `compilation error: ${error}` };
    const { value, cost } = program.evaluate(this.#activation);
    this.#budget -= cost;
    if (this.#budget < 0) throw new OutOfBudget();
    return value instanceof CelError
      ? { error: `expression '${source}' resulted in error: ${value.message}` }
      : { value };
  }

  #variable({ name, program, error }: NamedExpression): Result {
    if (!program) return new CelError(`composited variable "${name}" fails to compile: ${error}`);
    // Kubernetes looks at the budget when the whole expression is done; until then, it might take minutes.
    if (this.#budget < 0) return new CelError(`composited variable "${name}" fails to evaluate: ${OUT_OF_BUDGET}`);
    const { value, cost } = program.evaluate(this.#activation);
    this.#budget -= cost;
    if (!(value instanceof CelError)) return value;
    return new CelError(`composited variable "${name}" fails to evaluate: ${value.message}`);
  }
}
