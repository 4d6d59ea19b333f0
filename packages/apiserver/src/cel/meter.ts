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

/** In units of about twenty nanoseconds: elements copied, nodes compared, characters read. */
export const WORK_LIMIT = 2_500_000;

let workLeft = Number.POSITIVE_INFINITY;
const NOTHING = new Set<string>();
let done = NOTHING;

/** Counts work that the cost does not reflect. Throws when a run has done too much. */
export function work(units: number): void {
  workLeft -= units;
  if (workLeft < 0) throw new CostExceeded();
}

/** A call itself, with the cost that is counted for it. */
const CALL_WORK = 2;

/**
 * Counts a call. All texts among the arguments are read: functions do, and so does telling their size. What a
 * function does beyond that it counts itself.
 */
export function callWork(values: readonly unknown[]): void {
  let units = CALL_WORK;
  for (const value of values) {
    if (typeof value === 'string' || value instanceof Uint8Array) units += value.length >> 2;
  }
  work(units);
}

/** Work on texts inside of other values. */
export const textWork = (text: { readonly length: number }): void => work(1 + (text.length >> 4));

/** Reading or writing a version, a moment, an address or another short text that has parts. */
export const partsWork = (): void => work(60);

/** The names of an object's fields. They are made anew each time. */
export function namesOf(object: object): string[] {
  const names = Object.keys(object);
  work(1 + 2 * names.length);
  return names;
}

/** Counts work that is done once in a run, however often it is needed: its result is kept. */
export function workOnce(what: string, units: number): void {
  if (done.has(what)) return;
  work(units);
  if (done === NOTHING) done = new Set();
  done.add(what);
}

/** Runs something with a fresh allowance of work. Runs may nest: a variable may itself be an expression. */
export function withWork<T>(run: () => T): T {
  return metered(run).result;
}

/** What a run costs beside what the expression does. */
const RUN_WORK = 20;

/** The same, and how much work it was. The work of a run that is ended is all that it may do. */
export function metered<T>(run: () => T): { readonly result: T; readonly work: number } {
  const before = { workLeft, done };
  workLeft = WORK_LIMIT;
  done = NOTHING;
  try {
    const result = run();
    return { result, work: RUN_WORK + WORK_LIMIT - workLeft };
  } finally {
    ({ workLeft, done } = before);
  }
}
