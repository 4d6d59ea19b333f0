import { type LabelSelectorObject, type Selector, selectorFromObject, selectorOf } from '@vireo/api/labelSelector.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** Objects in the store and in informers never change, so neither does the selector inside them. */
const compiled = new WeakMap<object, Selector>();

/** Whether `labels` satisfy the selector. An empty selector takes everything, a missing one nothing. */
export function matchesLabelSelector(selector: LabelSelectorObject | undefined, labels: Labels): boolean {
  if (!selector) return false;
  let ready = compiled.get(selector);
  if (!ready) {
    ready = selectorFromObject(selector);
    compiled.set(selector, ready);
  }
  return ready.matches(labels);
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!', Gt: '>', Lt: '<' } as const;

/** One requirement of a node selector, which has `Gt` and `Lt` besides the operators of labels. */
export function matchesRequirement({ key, operator, values = [] }: SelectorRequirement, labels: Labels): boolean {
  if (!Object.hasOwn(OPERATORS, operator)) return false;
  const known = OPERATORS[operator as keyof typeof OPERATORS];
  if ((known === '>' || known === '<') && !/^-?\d+$/.test(values[0] ?? '')) return false;
  return selectorOf([{ key, operator: known, values }]).matches(labels);
}
