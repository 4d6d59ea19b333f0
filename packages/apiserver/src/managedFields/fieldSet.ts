/**
 * Sets of field paths, in the form in which `metadata.managedFields` stores them (FieldsV1): a tree whose keys are path
 * elements. `{}` is a field in the set, `"."` marks one that has others below it. Sets are never changed in place, and
 * an operation that changes nothing returns its operand, so that what was stored can be used again.
 *
 * @example { 'f:spec': { 'f:replicas': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } }
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** The set without fields; as a node below the root, the same object is a field without others below it. */
export const EMPTY_SET: FieldSet = Object.freeze({});

const LEAF = EMPTY_SET;
const SELF = '.';

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a node below the root is itself in the set, and not only fields below it. */
export const isMember = (node: FieldSet): boolean => node[SELF] !== undefined || isEmptySet(node);

/** The path elements below a node, in their order. */
export const elementsBelow = (node: FieldSet): string[] => Object.keys(node).filter((element) => element !== SELF);

/** A node from its parts; undefined if nothing is in it. `below` is sorted here. */
export function nodeOf(member: boolean, below: readonly (readonly [string, FieldSet])[]): FieldSet | undefined {
  if (below.length === 0) return member ? LEAF : undefined;
  const sorted = isSorted(below) ? below : [...below].sort(([a], [b]) => (a < b ? -1 : 1));
  const node: Record<string, FieldSet> = {};
  if (member) node[SELF] = LEAF;
  for (const [element, child] of sorted) node[element] = child;
  return node;
}

const isSorted = (entries: readonly (readonly [string, FieldSet])[]): boolean =>
  entries.every(([element], i) => i === 0 || (entries[i - 1] as readonly [string, FieldSet])[0] < element);

/** The fields of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  if (isEmptySet(b)) return a;
  return unionOfNodes(a, b);
}

function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const member = isMember(a) || isMember(b);
  let changed = member !== isMember(a);
  const below: [string, FieldSet][] = [];
  for (const element of elementsBelow(a)) {
    const [mine, other] = [a[element] as FieldSet, b[element]];
    const child = other ? unionOfNodes(mine, other) : mine;
    if (child !== mine) changed = true;
    below.push([element, child]);
  }
  for (const element of elementsBelow(b)) {
    if (a[element]) continue;
    changed = true;
    below.push([element, b[element] as FieldSet]);
  }
  return changed ? (nodeOf(member, below) as FieldSet) : a;
}

/** The fields of `a` that are not in `b`; those below a field of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return without(a, b, false) ?? EMPTY_SET;
}

/** The fields of `a` that are neither in `b` nor below a field of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return without(a, b, true) ?? EMPTY_SET;
}

function without(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  if (a === b) return undefined;
  const inB = isMember(b);
  if (recursive && inB) return undefined;
  const member = isMember(a);
  let changed = member && inB;
  const below: [string, FieldSet][] = [];
  for (const element of elementsBelow(a)) {
    const [mine, other] = [a[element] as FieldSet, b[element]];
    const child = other ? without(mine, other, recursive) : mine;
    if (child !== mine) changed = true;
    if (child) below.push([element, child]);
  }
  return changed ? nodeOf(member && !inB, below) : a;
}

/** The fields of `set` that are in `roots` or below them. */
export function restrictTo(set: FieldSet, roots: FieldSet): FieldSet {
  const below = elementsBelow(roots).flatMap((element): [string, FieldSet][] => {
    const [node, root] = [set[element], roots[element] as FieldSet];
    if (!node) return [];
    const kept = isEmptySet(root) ? node : restrictTo(node, root);
    return isEmptySet(kept) && !isEmptySet(root) ? [] : [[element, kept]];
  });
  return nodeOf(false, below) ?? EMPTY_SET;
}

/** The fields of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return EMPTY_SET;
  return commonNode(a, b) ?? EMPTY_SET;
}

function commonNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return a;
  const below: [string, FieldSet][] = [];
  for (const element of elementsBelow(a)) {
    const other = b[element];
    const child = other && commonNode(a[element] as FieldSet, other);
    if (child) below.push([element, child]);
  }
  return nodeOf(isMember(a) && isMember(b), below);
}

/** The fields as lists of path elements, in Kubernetes' order: those of one level before those below them. */
export function* pathsOf(set: FieldSet, above: readonly string[] = []): Generator<readonly string[]> {
  const elements = elementsBelow(set);
  for (const element of elements) if (isMember(set[element] as FieldSet)) yield [...above, element];
  for (const element of elements) yield* pathsOf(set[element] as FieldSet, [...above, element]);
}
