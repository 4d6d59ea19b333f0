/** JSONPath as kubectl and custom resources write it: `.spec.a`, `['x']`, `[-1:]`, `..name`, `[?(@.type=="Ready")].status`. */
import { isObject, type JsonObject, own, setOwn } from './json.ts';
import { type FilterStep, type PathStep, parseSteps } from './jsonPathParser.ts';

/** Every value that the path leads to, in document order. */
export type JsonPath = (root: unknown) => unknown[];

/** Throws an Error that names the path and what is wrong with it. */
export function compileJsonPath(text: string): JsonPath {
  const steps = parseSteps(text);
  return (root) => walk([root], steps, root);
}

const walk = (values: unknown[], steps: readonly PathStep[], root: unknown): unknown[] =>
  steps.reduce((found, step) => found.flatMap((value) => [...follow(value, step, root)]), values);

function* follow(value: unknown, step: PathStep, root: unknown): Generator<unknown> {
  switch (step.type) {
    case 'key':
      if (isObject(value) && Object.hasOwn(value, step.key)) yield own(value, step.key);
      return;
    case 'index': {
      const item = Array.isArray(value) ? value.at(step.index) : undefined;
      if (item !== undefined) yield item;
      return;
    }
    case 'slice':
      if (Array.isArray(value)) yield* value.slice(step.from, step.to).filter((_, i) => i % step.by === 0);
      return;
    case 'all':
      yield* childrenOf(value);
      return;
    case 'union':
      for (const other of step.steps) yield* follow(value, other, root);
      return;
    case 'descend':
      yield* descendants(value);
      return;
    case 'filter':
      for (const item of childrenOf(value)) if (passes(item, step, root)) yield item;
  }
}

const childrenOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];

/** The value and everything below it; iterative, for values may be deep. */
function* descendants(value: unknown): Generator<unknown> {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    yield next;
    for (const child of childrenOf(next).toReversed()) pending.push(child);
  }
}

function passes(item: unknown, { left, operator, right }: FilterStep, root: unknown): boolean {
  const values = walk([left.absolute ? root : item], left.steps, root);
  if (operator === undefined || right === undefined) return values.length > 0;
  const wanted = 'value' in right ? [right.value] : walk([right.absolute ? root : item], right.steps, root);
  return values.length > 0 && wanted.length > 0 && compare(values[0], operator, wanted[0]);
}

function compare(a: unknown, operator: string, b: unknown): boolean {
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  const comparable = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
  if (!comparable) return false;
  const [left, right] = [a as number, b as number];
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

/** The keys of a path made of plain field names, such as a scale subresource's `.spec.replicas`; undefined for others. */
function plainPath(text: string): readonly string[] | undefined {
  const steps = parseSteps(text);
  return steps.every((step) => step.type === 'key') ? steps.map((step) => step.key) : undefined;
}

/**
 * Sets what a path of plain field names leads to, in place, making objects on the way where there are none.
 * Throws an Error where the path has anything but field names.
 */
export function setAtPath(root: JsonObject, path: string, value: unknown): void {
  const keys = plainPath(path);
  const last = keys?.at(-1);
  if (!keys || last === undefined) throw new Error(`cannot set a value at ${JSON.stringify(path)}: not a plain path`);
  let target = root;
  for (const key of keys.slice(0, -1)) {
    const next = own(target, key);
    const child = isObject(next) ? next : {};
    if (child !== next) setOwn(target, key, child);
    target = child;
  }
  setOwn(target, last, value);
}
