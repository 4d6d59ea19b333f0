import type { Case, Step } from '../case.ts';
import { SAMPLE, TYPES } from './celSample.ts';
import { crd, create, type Schema, withSpec } from './steps.ts';

/** A rule as it is written, or its expression alone. */
export type Rule = string | Readonly<Record<string, unknown>>;

/** A case about CEL. */
export const celCase = (name: string, ...steps: Step[]): Case => ({ name: `cel: ${name}`, area: 'cel', steps });

/** The keyword of a schema that holds these rules. */
export const rules = (list: readonly Rule[]): Schema => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

/** Whether a rule on `spec` compiles; each alone, not stored. */
export const compiles = (name: string, ...list: readonly Rule[]): Case =>
  celCase(name, ...list.map((rule) => ({ ...crd(withSpec(TYPES, rules([rule]))), query: { dryRun: 'All' } })));

/** What expressions are worth for the sample: the message shows it. */
export const values = (name: string, ...expressions: readonly string[]): Case =>
  celCase(
    name,
    crd(
      withSpec(
        TYPES,
        rules(
          expressions.map((expression, index) => ({
            rule: `self.i == ${-1 - index}`,
            messageExpression: `'${index}: %s'.format([${expression}])`,
          })),
        ),
      ),
    ),
    create({ spec: SAMPLE }),
  );

/** Rules on `spec` against the sample and changes of it. */
export const judged = (name: string, list: readonly Rule[], ...steps: Step[]): Case =>
  celCase(name, crd(withSpec(TYPES, rules(list))), create({ spec: SAMPLE }), ...steps);

/** Whether a schema at `spec.x` is accepted; each alone, not stored. */
export const nodes = (name: string, ...specs: readonly Schema[]): Case =>
  celCase(name, ...specs.map((node) => ({ ...crd(withSpec({ x: node })), query: { dryRun: 'All' } })));
