/**
 * What a run may cost. Kubernetes counts a cost that leaves much out: comparing two objects costs as much as they have
 * fields, however deep they are, and joining two lists costs nothing. So that no expression holds the server up, the
 * work that is really done is counted beside it. Both are counts, and so the same in every run.
 */

/** Ends a run. Only `metered` catches it. */
export class CostExceeded {}

/** What a run ends with when it has spent its limit; Kubernetes' words. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

/** Kubernetes' limit for one run of one expression. */
export const PER_CALL_LIMIT = 1_000_000;

/** Elements copied, nodes compared, sixteen characters read: about ten nanoseconds each. */
const WORK_LIMIT = 5_000_000;

let workLeft = 0;
let done = new Set<string>();

/** Counts work that the cost does not reflect. Throws when a run has done too much. */
export function work(units: number): void {
  workLeft -= units;
  if (workLeft < 0) throw new CostExceeded();
}

/** Work on texts. */
export const textWork = (text: { readonly length: number }): void => work(1 + (text.length >> 4));

/** Counts work that is done once in a run, however often it is needed: its result is kept. */
export function workOnce(what: string, units: number): void {
  if (done.has(what)) return;
  work(units);
  done.add(what);
}

/** Runs something with a fresh allowance of work. Runs may nest: a variable may itself be an expression. */
export function withWork<T>(run: () => T): T {
  const before = { workLeft, done };
  workLeft = WORK_LIMIT;
  done = new Set();
  try {
    return run();
  } finally {
    ({ workLeft, done } = before);
  }
}
