import { type LabelSelectorObject, type Selector, selectorFromObject } from '@vireo/api/labelSelector.ts';

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
