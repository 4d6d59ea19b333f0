import type { Random } from '../../faults/random.ts';
import type { Case } from '../case.ts';
import { SAMPLE, TYPES } from '../cases/celSample.ts';
import { crd, create, withSpec } from '../cases/steps.ts';
import { randomExpression } from './expression.ts';

const EXPRESSIONS = 12;

/** Expressions, each of which compiles or not: a CRD that is not stored. */
export const compileCase = (name: string, expressions: readonly string[]): Case => ({
  name,
  area: 'cel',
  steps: [{ ...crd(schemaOf(expressions)), query: { dryRun: 'All' } }],
});

/** Expressions that compile, and what they are worth for the sample. */
export const evaluationCase = (name: string, expressions: readonly string[]): Case => ({
  name,
  area: 'cel',
  steps: [crd(schemaOf(expressions)), create({ spec: SAMPLE })],
});

export const randomExpressions = (random: Random): string[] => [
  ...new Set(Array.from({ length: EXPRESSIONS }, () => randomExpression(random))),
];

/** Rules that always fail, and whose messages show the values. */
function schemaOf(expressions: readonly string[]) {
  const rules = expressions.map((expression, index) => ({
    rule: `self.i == ${-1 - index}`,
    messageExpression: `'${index}: %s'.format([${expression}])`,
    message: `${index}: no message`,
  }));
  return withSpec(TYPES, { 'x-kubernetes-validations': rules });
}

/** Which of the expressions an answer to `compileCase` complains about. */
export function refusedIndexes(body: unknown): Set<number> {
  const { details } = (body ?? {}) as { details?: { causes?: { field?: string }[] } };
  const fields = (details?.causes ?? []).map(({ field }) => /x-kubernetes-validations\[(\d+)\]/.exec(field ?? '')?.[1]);
  return new Set(fields.flatMap((index) => (index === undefined ? [] : [Number(index)])));
}
