import { badRequest } from '@vireo/api';
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { excerpt, PATCH, patchDirective, withoutDirectives } from './directives.ts';

/** What the schema says of a list that is merged. */
export interface ListRules {
  /** The list's name, for messages. */
  readonly field: string;
  readonly mergeKey: string | undefined;
  readonly mergeItem: (before: JsonObject, item: JsonObject) => JsonObject;
}

/** Merges the patch's elements into the list: by key where they are objects, as a set where they are plain values. */
export function mergeElements(current: readonly unknown[], patch: readonly unknown[], rules: ListRules): unknown[] {
  if (patch.some(Array.isArray)) throw badRequest(`${rules.field}: lists of lists are not supported`);
  const ordinary = patch.filter((element) => !isSpecial(element));
  const special = patch.filter(isSpecial);
  if (special.some((element) => patchDirective(element) === 'replace')) return withoutDirectives([...ordinary]);

  const deleted = new Set<string | undefined>(special.map((element) => deletedIdentity(element, rules)));
  const kept = current.filter((element) => !deleted.has(identityOf(element, rules)));
  const merged = [...kept];
  const places = positionsOf(kept, rules);
  for (const element of ordinary) {
    const identity = requireIdentity(element, rules);
    const place = places.get(identity) ?? merged.length;
    const before = merged[place];
    places.set(identity, place);
    merged[place] = isObject(element) ? rules.mergeItem(isObject(before) ? before : {}, element) : element;
  }
  return arrange(merged, current, ordinary, rules);
}

/** Removes plain values (`$deleteFromPrimitiveList`). */
export function removeElements(current: readonly unknown[], remove: readonly unknown[]): unknown[] {
  const gone = new Set(remove.map((value) => JSON.stringify(value)));
  return current.filter((value) => !gone.has(JSON.stringify(value)));
}

/** Puts the elements named by `$setElementOrder` into that order; the others stay where they were, as far as possible. */
export function orderElements(
  merged: readonly unknown[],
  before: readonly unknown[],
  patch: readonly unknown[],
  order: readonly unknown[],
  rules: ListRules,
): unknown[] {
  const positions = positionsOf(order, rules);
  const wanted = patch.filter((element) => !isSpecial(element)).map((element) => identityOf(element, rules) ?? '');
  const places = wanted.map((identity) => positions.get(identity) ?? -1);
  if (places.some((place, i) => place < 0 || (i > 0 && place < places[i - 1]!))) {
    throw badRequest(
      `The order in patch list:\n${excerpt(patch)}\n doesn't match $setElementOrder list:\n${excerpt(order)}\n`,
    );
  }
  return arrange(merged, before, order, rules);
}

/**
 * Kubernetes' order of a merged list: elements of the patch in the patch's order, the server's own in the server's; one
 * of the server's comes first only where it stood before the other already. So new elements precede what is left.
 */
function arrange(
  merged: readonly unknown[],
  before: readonly unknown[],
  patch: readonly unknown[],
  rules: ListRules,
): unknown[] {
  const patchOrder = positionsOf(patch, rules);
  const serverOrder = positionsOf(before, rules);
  const place = (element: unknown, order: Map<string, number>): number =>
    order.get(identityOf(element, rules) ?? '') ?? -1;
  const inPatch = (element: unknown): boolean => place(element, patchOrder) >= 0;
  const patched = merged.filter(inPatch).sort((a, b) => place(a, patchOrder) - place(b, patchOrder));
  const serverOnly = merged.filter((element) => !inPatch(element));
  const result: unknown[] = [];
  let next = 0;
  for (const element of serverOnly) {
    const here = place(element, serverOrder);
    for (; next < patched.length; next++) {
      const other = place(patched[next], serverOrder);
      if (here >= 0 && other >= 0 && here < other) break;
      result.push(patched[next]);
    }
    result.push(element);
  }
  return [...result, ...patched.slice(next)];
}

function positionsOf(list: readonly unknown[], rules: ListRules): Map<string, number> {
  const positions = new Map<string, number>();
  list.forEach((element, i) => {
    const identity = identityOf(element, rules);
    if (identity !== undefined && !positions.has(identity)) positions.set(identity, i);
  });
  return positions;
}

/** What makes two elements the same: the merge key of an object, the value of anything else. */
function identityOf(element: unknown, { mergeKey }: ListRules): string | undefined {
  if (!isObject(element)) return JSON.stringify(element);
  const key = mergeKey === undefined ? undefined : own(element, mergeKey);
  return key === undefined ? undefined : JSON.stringify(key);
}

function requireIdentity(element: unknown, rules: ListRules): string {
  const identity = identityOf(element, rules);
  if (identity !== undefined) return identity;
  if (rules.mergeKey === undefined)
    throw badRequest(`${rules.field}: objects cannot be merged into a list without a merge key`);
  throw badRequest(`map: ${excerpt(element)} does not contain declared merge key: ${rules.mergeKey}`);
}

const isSpecial = (element: unknown): element is JsonObject => isObject(element) && Object.hasOwn(element, PATCH);

function deletedIdentity(element: JsonObject, rules: ListRules): string {
  if (patchDirective(element) === 'delete') return requireIdentity(element, rules);
  throw badRequest(`${rules.field}: merging lists cannot yet be specified in the patch`);
}
