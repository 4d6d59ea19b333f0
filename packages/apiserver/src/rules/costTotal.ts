import { type FieldError, field } from '@vireo/api';

/** What one expression may cost at worst, and all of one version's schema together. */
const MAX_COST = 10_000_000;
const MAX_TOTAL = 100_000_000;
const MOST_EXPENSIVE = 4;

/** Says by how much a cost is too high; undefined where it is not. */
export function tooDear(what: string, cost: number, limit = MAX_COST): string | undefined {
  if (cost <= limit) return undefined;
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return (
    `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, ` +
    'and maxLength where arrays, maps, and strings are declared)'
  );
}

/** Adds up what all rules of a schema cost, and remembers the dearest. */
export class CostTotal {
  #total = 0;
  #expensive: { path: string; cost: number }[] = [];

  add(path: string, cost: number): void {
    this.#total += cost;
    // What is less than a hundredth of the limit did not make the difference.
    if (cost < MAX_TOTAL / 100) return;
    this.#expensive = [...this.#expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, MOST_EXPENSIVE);
  }

  errors(path: string): FieldError[] {
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const error = tooDear(what, this.#total, MAX_TOTAL);
    if (error === undefined) return [];
    const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    return [...this.#expensive.map((rule) => field.forbidden(rule.path, why)), field.forbidden(path, error)];
  }
}
