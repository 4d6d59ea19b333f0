import type { GraphLine } from './graph.ts';

/** A line of the tree as it is seen. */
export interface TreeItem extends GraphLine {
  /** Undefined for objects that need nothing. */
  readonly isExpanded: boolean | undefined;
  readonly parent: string | undefined;
}

const parentOf = (key: string): string | undefined =>
  key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : undefined;

/** The lines that are in sight: nothing below what is collapsed. */
export function visibleItems(lines: readonly GraphLine[], collapsed: ReadonlySet<string>): TreeItem[] {
  const parents = new Set(lines.map(({ key }) => parentOf(key)));
  const isHidden = (key: string): boolean => {
    for (let above = parentOf(key); above !== undefined; above = parentOf(above)) if (collapsed.has(above)) return true;
    return false;
  };
  return lines
    .filter(({ key }) => !isHidden(key))
    .map((line) => ({
      ...line,
      isExpanded: parents.has(line.key) ? !collapsed.has(line.key) : undefined,
      parent: parentOf(line.key),
    }));
}

/** The lines to what is wrong, with everything above them. */
export function problemLines(lines: readonly GraphLine[]): GraphLine[] {
  const bad = lines.filter(
    ({ status, isOptional, isTruncated }) =>
      status === 'forbidden' || (status === 'missing' && !isOptional) || isTruncated,
  );
  return lines.filter(
    ({ key, depth }) => depth === 0 || bad.some((line) => line.key === key || line.key.startsWith(`${key}.`)),
  );
}

export type TreeMove =
  | { readonly focus: string }
  | { readonly expand: string }
  | { readonly collapse: string }
  | undefined;

/** What a key does in a tree, as the ARIA practices have it. */
export function treeMove(items: readonly TreeItem[], focused: string, key: string): TreeMove {
  const index = items.findIndex((item) => item.key === focused);
  const item = items[index];
  if (!item) return undefined;
  const at = (next: TreeItem | undefined): TreeMove => next && { focus: next.key };
  switch (key) {
    case 'ArrowDown':
      return at(items[index + 1]);
    case 'ArrowUp':
      return at(items[index - 1]);
    case 'Home':
      return at(items[0]);
    case 'End':
      return at(items.at(-1));
    case 'ArrowRight':
      if (item.isExpanded === undefined) return undefined;
      return item.isExpanded ? at(items[index + 1]) : { expand: item.key };
    case 'ArrowLeft':
      if (item.isExpanded) return { collapse: item.key };
      return item.parent === undefined ? undefined : { focus: item.parent };
    default:
      return undefined;
  }
}
